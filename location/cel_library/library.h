/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/library.h - the libraries of functions that Kubernetes gives CEL
 * expressions, beside the standard one (spec/cel.md section 7). Each is a table of
 * overloads; `function` NULL ends.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_LIBRARY_H
#define FX_LOCATION_CEL_LIBRARY_LIBRARY_H

#include "location/cel/cel.h"

extern const struct fx_cel_overload fx_cel_optionals[]; /* optional.of, orValue, … */
extern const struct fx_cel_overload fx_cel_strings[];   /* charAt, replace, format, … */
extern const struct fx_cel_overload fx_cel_lists[];     /* isSorted, slice, sort, … */
extern const struct fx_cel_overload fx_cel_sets[];      /* sets.contains, … */
extern const struct fx_cel_overload fx_cel_regexes[];   /* find, findAll */
extern const struct fx_cel_overload fx_cel_urls[];
extern const struct fx_cel_overload fx_cel_quantities[];
extern const struct fx_cel_overload fx_cel_addresses[]; /* ip and cidr */
extern const struct fx_cel_overload fx_cel_versions[];  /* semver */
extern const struct fx_cel_overload fx_cel_formats[];   /* format.named, validate */
extern const struct fx_cel_overload fx_cel_authorizers[];
extern const struct fx_cel_overload fx_cel_json_patches[]; /* jsonpatch.escapeKey */

/* All that admission policies have, with the standard library; NULL ends. The second list
 * is for mutations: it has fx_cel_json_patches, too. */
extern const struct fx_cel_overload *const fx_cel_policy_libraries[];
extern const struct fx_cel_overload *const fx_cel_mutation_libraries[];

#endif
