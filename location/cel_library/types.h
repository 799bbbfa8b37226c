/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/types.h - private to the room: the types of the opaque values that
 * the Kubernetes libraries make, and pieces for their tables of overloads.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_TYPES_H
#define FX_LOCATION_CEL_LIBRARY_TYPES_H

#include "location/cel/function.h"

extern const struct fx_cel_type fx_cel_url;      /* kubernetes.URL */
extern const struct fx_cel_type fx_cel_quantity; /* kubernetes.Quantity */
extern const struct fx_cel_type fx_cel_ip;       /* net.IP */
extern const struct fx_cel_type fx_cel_cidr;     /* net.CIDR */
extern const struct fx_cel_type fx_cel_semver;   /* kubernetes.Semver */
extern const struct fx_cel_type fx_cel_format;   /* kubernetes.NamedFormat */

#define FX_CEL_OPAQUE_TYPE(variable, name_) \
    const struct fx_cel_type variable = {   \
        .kind = FX_CEL_TYPE_OPAQUE,         \
        .name = (name_),                    \
    }

/* The result of a function whose reader filled run->err: an error value with its message
 * for FX_EMUTATE, a text that cannot be read; else a fatal one. */
struct fx_cel_value fx_cel_fail_read(struct fx_cel_run *run);

/* The result of a function that asks whether a text can be read, `ok`; fatal if run->err
 * has another reason than FX_EMUTATE. */
struct fx_cel_value fx_cel_make_readable(struct fx_cel_run *run, bool ok);

/* Spends for reading a text; false with run->err if the budget is exceeded. */
bool fx_cel_spend_text(struct fx_cel_run *run, struct fx_text text) FX_MUST_USE;

/* Adds `before`, the text quoted as Go's %q does, and `after` to the front of a message
 * with FX_EMUTATE; others stay. Always false. */
bool fx_cel_prefix_quoted(struct fx_err *err, const char *before, struct fx_text text,
                          const char *after);

/* A string with this text, borrowed if it is UTF-8; else a copy with U+FFFD for each
 * wrong byte. (Strings of Go may have any bytes.) */
struct fx_cel_value fx_cel_make_valid_string(struct fx_cel_run *run, struct fx_text text);

/* The cost of a function that reads its first argument once. */
uint64_t fx_cel_cost_text(const struct fx_cel_value *args, struct fx_cel_value result);

#endif
