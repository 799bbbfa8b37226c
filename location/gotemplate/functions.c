/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/functions.c - all families, by name, and calls. A function of Sprig
 * hides that of text/template (`slice`).
 */
#include "location/gotemplate/function.h"

#include <stddef.h>

/* The family of that index: the library's, then text/template's own; NULL: the end. */
static const struct function *family_at(const struct fx_gotemplate_library *library,
                                        size_t index) {
    size_t n = 0;
    while (library != NULL && library->families[n] != NULL) {
        n++;
    }
    if (index < n) {
        return library->families[index];
    }
    return index == n ? functions_builtin : NULL;
}

const struct function *function_find(const struct fx_gotemplate_library *library,
                                     struct fx_text name) {
    for (size_t i = 0; family_at(library, i) != NULL; i++) {
        for (const struct function *function = family_at(library, i);
             function->name != NULL; function++) {
            if (fx_text_is(name, function->name)) {
                return function;
            }
        }
    }
    return NULL;
}

const struct function *function_at(const struct fx_gotemplate_library *library,
                                   size_t index) {
    for (size_t i = 0; family_at(library, i) != NULL; i++) {
        for (const struct function *function = family_at(library, i);
             function->name != NULL; function++) {
            if (index-- == 0) {
                return function;
            }
        }
    }
    return NULL;
}

/* Bytes and elements, one level deep: a function that looks deeper pays for that. */
static size_t size_of(const struct value *value) {
    return value->kind == VALUE_OBJECT ? value->object.type->size(value->object.data)
                                       : value_length(value);
}

/* Most of the work of a call is in proportion to what it is given. */
static bool charge(struct run *run, const struct function *function,
                   const struct value *arguments, size_t n) {
    const size_t price = function->price == 0 ? 1 : function->price;
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size += size_of(&arguments[i]);
    }
    return run_spend(run, price + n + size / FUNCTION_SIZE_OF_PRICE * price);
}

bool function_call(struct run *run, const struct function *function,
                   const struct value *arguments, size_t n, struct value *ret_value) {
    struct call call = {
        .function = function,
        .run = run,
        .arena = &run->arena,
        .arguments = arguments,
        .n_arguments = n,
        .ret = ret_value,
        .err = run->err,
    };
    *ret_value = value_nil();
    return charge(run, function, arguments, n) && function->call(&call);
}
