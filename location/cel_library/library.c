/* SPDX-License-Identifier: Apache-2.0
 *
 * library.c - the libraries of admission policies.
 */
#include "location/cel_library/library.h"

const struct fx_cel_overload *const fx_cel_policy_libraries[] = {
    fx_cel_operators,   fx_cel_standard,
    fx_cel_optionals,   fx_cel_strings,
    fx_cel_lists,       fx_cel_sets,
    fx_cel_regexes,     fx_cel_urls,
    fx_cel_quantities,  fx_cel_addresses,
    fx_cel_versions,    fx_cel_formats,
    fx_cel_authorizers, NULL,
};

const struct fx_cel_overload *const fx_cel_mutation_libraries[] = {
    fx_cel_operators,   fx_cel_standard,     fx_cel_optionals,
    fx_cel_strings,     fx_cel_lists,        fx_cel_sets,
    fx_cel_regexes,     fx_cel_urls,         fx_cel_quantities,
    fx_cel_addresses,   fx_cel_versions,     fx_cel_formats,
    fx_cel_authorizers, fx_cel_json_patches, NULL,
};
