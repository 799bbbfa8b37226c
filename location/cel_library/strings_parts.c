/* SPDX-License-Identifier: Apache-2.0
 *
 * strings_parts.c - taking strings apart and putting them together (spec/cel.md sections
 * 4 and 10).
 */
#include "location/cel_library/functions.h"

#include <inttypes.h>

#include "base/find.h"
#include "base/limits.h"
#include "value/number.h"

/* A count below 0: all. */
static uint64_t count_of(int64_t count) {
    return count < 0 ? UINT64_MAX : (uint64_t)count;
}

/* Where the separator is found next; the empty one is after each code point. */
static size_t find_next(struct fx_text rest, struct fx_text separator) {
    uint32_t rune = 0;
    if (separator.len > 0) {
        return fx_text_find(rest, separator);
    }
    return rest.len == 0 ? FX_NOT_FOUND : fx_text_rune(rest, &rune);
}

/* ---- replace
 * ----------------------------------------------------------------------------- */

/* Appends, and spends for it. False if the budget or the buffer ends. */
static bool add(struct fx_buf *buf, struct fx_text text) {
    if (!fx_spend(text.len / FX_BUDGET_BYTES + 1)) {
        return false;
    }
    fx_buf_text(buf, text);
    return !buf->failed;
}

/* Appends the text with `count` occurrences of `old` replaced by `by`. An empty one
 * occurs before each code point and at the end. */
static bool add_replaced(struct fx_buf *buf, struct fx_text text, struct fx_text old,
                         struct fx_text by, uint64_t count) {
    if (old.len == 0 && count > 0) {
        count--;
        if (!add(buf, by)) {
            return false;
        }
    }
    for (; count > 0; count--) {
        const size_t at = find_next(text, old);
        if (at == FX_NOT_FOUND) {
            break;
        }
        if (!add(buf, (struct fx_text){text.data, at}) || !add(buf, by)) {
            return false;
        }
        text = fx_text_rest(text, at + old.len);
    }
    return add(buf, text);
}

static struct fx_cel_value replace(struct fx_cel_run *run,
                                   const struct fx_cel_value *args, uint64_t count) {
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_CEL_TEXT_BYTES);
    if (!fx_cel_spend_bytes(2 * args[0].text.len + args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    (void)add_replaced(&buf, args[0].text, args[1].text, args[2].text, count);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        fx_buf_finish(&buf);
        return fx_cel_exceeded(run);
    }
    return fx_cel_take_buf(run, &buf);
}

struct fx_cel_value cel_replace(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return replace(run, args, UINT64_MAX);
}

struct fx_cel_value cel_replace_some(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    return replace(run, args, count_of(args[3].integer));
}

/* ---- split
 * ------------------------------------------------------------------------------- */

/* Splits into `count` parts at most, of which the last one has the rest. */
static struct fx_cel_value split(struct fx_cel_run *run, const struct fx_cel_value *args,
                                 uint64_t count) {
    struct fx_text rest = args[0].text;
    const struct fx_text separator = args[1].text;
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    if (fx_cel_is_error(list)) {
        return list;
    }
    list.flags |= FX_CEL_NATIVE;
    if (count == 0 || (rest.len == 0 && separator.len == 0)) {
        return list;
    }
    if (!fx_cel_spend_bytes(2 * rest.len + separator.len)) {
        return fx_cel_exceeded(run);
    }
    for (uint64_t n = 1; n < count; n++) {
        const size_t at = find_next(rest, separator);
        if (at == FX_NOT_FOUND || (separator.len == 0 && at == rest.len)) {
            break;
        }
        const struct fx_text part = {rest.data, at};
        if (!fx_cel_list_add(run, list, fx_cel_make_string(part))) {
            return fx_cel_no_memory(run);
        }
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        rest = fx_text_rest(rest, at + separator.len);
    }
    return fx_cel_list_add(run, list, fx_cel_make_string(rest)) ? list
                                                                : fx_cel_no_memory(run);
}

struct fx_cel_value cel_split(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return split(run, args, UINT64_MAX);
}

struct fx_cel_value cel_split_some(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    return split(run, args, count_of(args[2].integer));
}

/* ---- join and quote
 * ---------------------------------------------------------------------- */

/* A list that was not checked may have other elements than strings. */
static struct fx_cel_value fail_element(struct fx_cel_run *run,
                                        struct fx_cel_value element) {
    char number[FX_NUMBER_SIZE];
    switch ((enum fx_cel_kind)element.kind) {
    case FX_CEL_INT:
        return fx_cel_fail(run, "join: invalid input: %" PRId64, element.integer);
    case FX_CEL_UINT:
        return fx_cel_fail(run, "join: invalid input: %" PRIu64, element.uinteger);
    case FX_CEL_BOOL:
        return fx_cel_fail(run, "join: invalid input: %s",
                           element.boolean ? "true" : "false");
    case FX_CEL_NULL: return fx_cel_fail(run, "join: invalid input: 0"); /* as in Go */
    case FX_CEL_DOUBLE:
        (void)fx_number_print_go(element.real, false, number);
        return fx_cel_fail(run, "join: invalid input: %s", number);
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_STRING:
    case FX_CEL_BYTES:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_LIST:
    case FX_CEL_MAP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: break;
    }
    return fx_cel_fail(run, "join: invalid input: %s", fx_cel_type_name(element));
}

static struct fx_cel_value join(struct fx_cel_run *run, struct fx_cel_value list,
                                struct fx_text separator) {
    const size_t n = fx_cel_list_size(list);
    struct fx_buf buf;
    struct fx_cel_value failure;
    fx_buf_init(&buf, FX_LIMIT_CEL_TEXT_BYTES);
    for (size_t i = 0; i < n; i++) {
        const struct fx_cel_value element = fx_cel_list_at(list, i);
        if (element.kind != FX_CEL_STRING) {
            failure = fail_element(run, element);
            fx_buf_finish(&buf);
            return failure;
        }
        if ((i > 0 && !add(&buf, separator)) || !add(&buf, element.text)) {
            break;
        }
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        fx_buf_finish(&buf);
        return fx_cel_exceeded(run);
    }
    return fx_cel_take_buf(run, &buf);
}

struct fx_cel_value cel_join(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return join(run, args[0], FX_TEXT(""));
}

struct fx_cel_value cel_join_with(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    return join(run, args[0], args[1].text);
}

/* Appends the text in double quotes; only \a \b \f \n \r \t \v \\ and \" are escaped. */
static void add_quoted(struct fx_buf *buf, struct fx_text text) {
    static const char escaped[] = "\a\b\f\n\r\t\v\\\"";
    static const char letters[] = "abfnrtv\\\"";
    size_t done = 0;
    fx_buf_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        for (size_t which = 0; which < sizeof escaped - 1; which++) {
            if (text.data[i] == escaped[which]) {
                fx_buf_add(buf, text.data + done, i - done);
                fx_buf_char(buf, '\\');
                fx_buf_char(buf, letters[which]);
                done = i + 1;
            }
        }
    }
    fx_buf_add(buf, text.data + done, text.len - done);
    fx_buf_char(buf, '"');
}

struct fx_cel_value cel_quote(struct fx_cel_run *run, const struct fx_cel_value *args) {
    struct fx_buf buf;
    if (!fx_cel_spend_bytes(4 * args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    fx_buf_init(&buf, FX_LIMIT_CEL_TEXT_BYTES);
    add_quoted(&buf, args[0].text);
    return fx_cel_take_buf(run, &buf);
}
