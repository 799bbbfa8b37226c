/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/functions.c - all families, by name. A function of Sprig hides that
 * of text/template (`slice`).
 */
#include "location/gotemplate/function.h"

#include <stddef.h>

static const struct function *const families[] = {
    functions_strings, functions_numbers, functions_defaults, functions_lists,
    functions_dicts,   functions_dates,   functions_regex,    functions_encoding,
    functions_semver,  functions_refused, functions_builtin,
};

const struct function *function_find(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(families); i++) {
        for (const struct function *function = families[i]; function->name != NULL;
             function++) {
            if (fx_text_is(name, function->name)) {
                return function;
            }
        }
    }
    return NULL;
}
