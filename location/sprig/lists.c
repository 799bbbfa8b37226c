/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/lists.c - Sprig's Lists. If the plain function panics and its must… twin
 * returns an error, both give the same execution error here.
 */

#include <math.h>

#include "location/sprig/functions.h"

/* Go's messages for a list of negative length, and for a slice out of bounds. */
#define PANIC_LENGTH "runtime error: makeslice: len out of range"
#define PANIC_SLICE  "reflect.Value.Slice: slice index out of bounds"

/* ---- shared by several functions -------------------------------------------------- */

/* Fails with the kind of the value between `before` and `after`. */
static bool fail_kind(struct template_call *call, const char *before,
                      const struct value *value, const char *after) {
    if (value_is_nil(value)) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_NIL);
    }
    return fx_fail(call->err, FX_EMUTATE, "%s%s%s", before, value_kind_name(value),
                   after);
}

/* Returns the list of an argument. For another value returns NULL with the message `what`
 * and the kind. */
static const struct template_list *take_list(struct template_call *call, size_t i,
                                             const char *what) {
    const struct value *value = &call->arguments[i];
    if (value->kind != VALUE_LIST) {
        (void)fail_kind(call, what, value, "");
        return NULL;
    }
    return value->list;
}

/* Converts an element of a list: MISSING becomes nil. */
static struct value element_of(struct value value) {
    value.boxed = false;
    return value.kind == VALUE_MISSING ? value_nil() : value;
}

static void copy_values(struct value *to, const struct value *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i] = element_of(from[i]);
    }
}

/* Returns a new list of the n values. */
static bool give_values(struct template_call *call, const struct value *values,
                        size_t n) {
    struct template_list *list = value_list_new(call->run, n);
    if (list == NULL) {
        return false;
    }
    copy_values(list->values, values, n);
    return return_list(call, list);
}

static bool give_element(struct template_call *call, const struct template_list *list,
                         size_t i) {
    *call->ret = list->n == 0 ? value_nil() : list->values[i];
    return true;
}

/* ---- making lists ---------------------------------------------------------------- */

static bool call_list(struct template_call *call) {
    return give_values(call, call->arguments, call->n_arguments);
}

/* Returns the list with one more element at index `at`. */
static bool return_with_element(struct template_call *call,
                                const struct template_list *list, size_t at) {
    struct template_list *longer = value_list_new(call->run, list->n + 1);
    if (longer == NULL) {
        return false;
    }
    copy_values(longer->values, list->values, at);
    longer->values[at] = element_of(call->arguments[1]);
    copy_values(longer->values + at + 1, list->values + at, list->n - at);
    return return_list(call, longer);
}

static bool call_append(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot push on type ");
    return list != NULL && return_with_element(call, list, list->n);
}

static bool call_prepend(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot prepend on type ");
    return list != NULL && return_with_element(call, list, 0);
}

static bool call_concat(struct template_call *call) {
    size_t n = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (call->arguments[i].kind != VALUE_LIST) {
            return fail_kind(call, "Cannot concat type ", &call->arguments[i],
                             " as list");
        }
        n += call->arguments[i].list->n;
    }
    struct template_list *all = value_list_new(call->run, n);
    if (all == NULL) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        const struct template_list *list = call->arguments[i].list;
        copy_values(all->values + at, list->values, list->n);
        at += list->n;
    }
    return return_list(call, all);
}

/* ---- parts of lists -------------------------------------------------------------- */

static bool call_first(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find first on type ");
    return list != NULL && give_element(call, list, 0);
}

static bool call_last(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find last on type ");
    return list != NULL && give_element(call, list, list->n - 1);
}

static bool call_rest(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find rest on type ");
    if (list == NULL) {
        return false;
    }
    return list->n == 0 ? give_values(call, NULL, 0)
                        : give_values(call, list->values + 1, list->n - 1);
}

static bool call_initial(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find initial on type ");
    return list != NULL &&
           give_values(call, list->values, list->n == 0 ? 0 : list->n - 1);
}

/* Computes `slice list [from [to]]`: a part of the same type; nil for an empty list. In
 * Go `to` may exceed the length up to the capacity. */
static bool call_slice(struct template_call *call) {
    const struct template_list *list =
        take_list(call, 0, "list should be type of slice or array but ");
    if (list == NULL) {
        return false;
    }
    if (list->n == 0) {
        *call->ret = value_nil();
        return true;
    }
    const int64_t n = (int64_t)list->n;
    const int64_t from = call->n_arguments > 1 ? value_to_int64(&call->arguments[1]) : 0;
    const int64_t to = call->n_arguments > 2 ? value_to_int64(&call->arguments[2]) : n;
    if (from < 0 || to < from || to > n) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_SLICE);
    }
    if (!give_values(call, list->values + from, (size_t)(to - from))) {
        return false;
    }
    call->ret->list->type = list->type;
    return true;
}

static bool call_reverse(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find reverse on type ");
    if (list == NULL || !give_values(call, list->values, list->n)) {
        return false;
    }
    struct value *values = call->ret->list->values;
    for (size_t i = 0; i < list->n; i++) {
        values[i] = list->values[list->n - 1 - i];
    }
    return true;
}

/* ---- chunks ---------------------------------------------------------------------- */

/* Computes the number of chunks in float64, as Go does, even for invalid sizes. False if
 * Go panics. */
static bool count_chunks(int64_t size, size_t n, size_t *ret_count) {
    const double count = floor(((double)n - 1) / (double)size) + 1;
    const bool bad_last = count >= 1 && size < 0 && fmod((double)n, (double)size) == 0;
    if (isnan(count) || isinf(count) || count < 0 || bad_last) {
        return false;
    }
    *ret_count = (size_t)count;
    return true;
}

static bool fill_chunks(struct template_call *call, const struct template_list *list,
                        size_t size, struct template_list *chunks) {
    for (size_t i = 0; i < chunks->n; i++) {
        const size_t from = i * size;
        const size_t left = list->n - from;
        if (!give_values(call, list->values + from, left < size ? left : size)) {
            return false;
        }
        chunks->values[i] = *call->ret;
    }
    return true;
}

static bool call_chunk(struct template_call *call) {
    const struct template_list *list = take_list(call, 1, "Cannot chunk type ");
    const int64_t size = call->arguments[0].integer;
    size_t count = 0;
    if (list == NULL) {
        return false;
    }
    if (!count_chunks(size, list->n, &count)) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_LENGTH);
    }
    struct template_list *chunks =
        run_spend(call->run, count) ? value_list_new(call->run, count) : NULL;
    const size_t most = size < 0 || (uint64_t)size > list->n ? list->n : (size_t)size;
    if (chunks == NULL || !fill_chunks(call, list, most, chunks)) {
        return false;
    }
    chunks->type = TYPE_LISTS;
    return return_list(call, chunks);
}

/* ---- equal elements -------------------------------------------------------------- */

static bool list_holds(struct template_run *run, const struct value *values, size_t n,
                       const struct value *wanted, bool *ret_found) {
    *ret_found = false;
    for (size_t i = 0; i < n && !*ret_found; i++) {
        if (!value_deep_equal(run, &values[i], wanted, ret_found)) {
            return false;
        }
    }
    return true;
}

/* Tells whether a list has a value. A nil list has no elements. */
static bool call_has(struct template_call *call) {
    bool found = false;
    if (!value_is_nil(&call->arguments[1])) {
        const struct template_list *list = take_list(call, 1, "Cannot find has on type ");
        if (list == NULL ||
            !list_holds(call->run, list->values, list->n, &call->arguments[0], &found)) {
            return false;
        }
    }
    return return_bool(call, found);
}

/* Returns the elements of `list` that are not in `others`. If `others` is NULL, returns
 * the elements that do not equal a previous one. */
static bool give_others(struct template_call *call, const struct template_list *list,
                        const struct value *others, size_t n_others) {
    struct template_list *rest = value_list_new(call->run, list->n);
    if (rest == NULL) {
        return false;
    }
    rest->n = 0;
    for (size_t i = 0; i < list->n; i++) {
        bool found = false;
        if (!list_holds(call->run, others == NULL ? rest->values : others,
                        others == NULL ? rest->n : n_others, &list->values[i], &found)) {
            return false;
        }
        if (!found) {
            rest->values[rest->n++] = list->values[i];
        }
    }
    return return_list(call, rest);
}

static bool call_uniq(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find uniq on type ");
    return list != NULL && give_others(call, list, NULL, 0);
}

static bool call_without(struct template_call *call) {
    const struct template_list *list = take_list(call, 0, "Cannot find without on type ");
    return list != NULL &&
           give_others(call, list, call->arguments + 1, call->n_arguments - 1);
}

const struct function functions_lists[] = {
    VARIADIC("list", call_list, 1, ANY),
    VARIADIC("tuple", call_list, 1, ANY),
    WITH_MUST(FUNCTION, "first", "mustFirst", call_first, 1, ANY),
    WITH_MUST(FUNCTION, "rest", "mustRest", call_rest, 1, ANY),
    WITH_MUST(FUNCTION, "last", "mustLast", call_last, 1, ANY),
    WITH_MUST(FUNCTION, "initial", "mustInitial", call_initial, 1, ANY),
    WITH_MUST(FUNCTION, "append", "mustAppend", call_append, 1, ANY, ANY),
    WITH_MUST(FUNCTION, "push", "mustPush", call_append, 1, ANY, ANY),
    WITH_MUST(FUNCTION, "prepend", "mustPrepend", call_prepend, 1, ANY, ANY),
    VARIADIC("concat", call_concat, 1, ANY),
    WITH_MUST(FUNCTION, "reverse", "mustReverse", call_reverse, 1, ANY),
    WITH_MUST(FUNCTION, "uniq", "mustUniq", call_uniq, 1, ANY),
    WITH_MUST(VARIADIC, "without", "mustWithout", call_without, 1, ANY, ANY),
    WITH_MUST(FUNCTION, "has", "mustHas", call_has, 1, ANY, ANY),
    WITH_MUST(VARIADIC, "slice", "mustSlice", call_slice, 1, ANY, ANY),
    WITH_MUST(FUNCTION, "chunk", "mustChunk", call_chunk, 1, INT, ANY),
    {.name = NULL},
};
