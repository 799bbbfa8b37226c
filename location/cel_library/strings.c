/* SPDX-License-Identifier: Apache-2.0
 *
 * strings.c - the extended functions of strings, which count in code points
 * (spec/cel.md sections 4, 7 and 10). Results are parts of the receiver where they can
 * be.
 */
#include "location/cel_library/library.h"

#include <string.h>

#include "base/find.h"
#include "location/cel/cost.h"
#include "location/cel_library/functions.h"

/* ---- code points and bytes
 * --------------------------------------------------------------- */

static bool starts_rune(char c) {
    return ((unsigned char)c & 0xc0u) != 0x80u;
}

/* Is the string known to have as many code points as bytes? */
static bool is_ascii(struct fx_cel_value string) {
    return string.runes == string.text.len;
}

/* The offset of the code point with this number; FX_NOT_FOUND if there are fewer, of
 * which the last one ends at the length. */
static size_t offset_of(struct fx_cel_value string, int64_t number) {
    size_t offset = 0;
    if (number < 0 || (uint64_t)number > string.text.len) {
        return FX_NOT_FOUND;
    }
    if (is_ascii(string)) {
        return (size_t)number;
    }
    for (int64_t left = number; left > 0; left--) {
        if (offset == string.text.len) {
            return FX_NOT_FOUND;
        }
        offset++;
        while (offset < string.text.len && !starts_rune(string.text.data[offset])) {
            offset++;
        }
    }
    return offset;
}

/* The number of the code point at this offset. */
static int64_t number_of(struct fx_cel_value string, size_t offset) {
    if (is_ascii(string)) {
        return (int64_t)offset;
    }
    return (int64_t)fx_cel_count_runes(
        fx_cel_make_string((struct fx_text){string.text.data, offset}));
}

static struct fx_cel_value part_of(struct fx_cel_value string, size_t from, size_t to) {
    return fx_cel_make_string((struct fx_text){string.text.data + from, to - from});
}

static struct fx_cel_value fail_index(struct fx_cel_run *run, int64_t index) {
    return fx_cel_fail(run, "index out of range: %lld", (long long)index);
}

/* ---- parts
 * ------------------------------------------------------------------------------- */

static struct fx_cel_value char_at(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t from = offset_of(args[0], args[1].integer);
    if (from == FX_NOT_FOUND) {
        return fail_index(run, args[1].integer);
    }
    size_t to = from < args[0].text.len ? from + 1 : from;
    while (to < args[0].text.len && !starts_rune(args[0].text.data[to])) {
        to++;
    }
    return part_of(args[0], from, to);
}

static struct fx_cel_value substring_from(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t from = offset_of(args[0], args[1].integer);
    return from == FX_NOT_FOUND ? fail_index(run, args[1].integer)
                                : part_of(args[0], from, args[0].text.len);
}

static struct fx_cel_value substring(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    if (args[1].integer > args[2].integer) {
        return fx_cel_fail(run, "invalid substring range. start: %lld, end: %lld",
                           (long long)args[1].integer, (long long)args[2].integer);
    }
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t from = offset_of(args[0], args[1].integer);
    if (from == FX_NOT_FOUND) {
        return fail_index(run, args[1].integer);
    }
    const size_t to = offset_of(args[0], args[2].integer);
    return to == FX_NOT_FOUND ? fail_index(run, args[2].integer)
                              : part_of(args[0], from, to);
}

static struct fx_cel_value trim(struct fx_cel_run *run, const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    return fx_cel_make_string(fx_text_trim_space(args[0].text));
}

/* ---- search
 * ------------------------------------------------------------------------------ */

/* The number of the code point where the argument begins in the receiver from `offset`
 * on. */
static struct fx_cel_value index_from(struct fx_cel_run *run,
                                      const struct fx_cel_value *args, int64_t offset) {
    if (args[1].text.len == 0) {
        return fx_cel_make_int(offset);
    }
    if (offset < 0) {
        return fail_index(run, offset);
    }
    if (!fx_cel_spend_bytes(2 * args[0].text.len + args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t from = offset_of(args[0], offset);
    if (from == FX_NOT_FOUND) {
        return fx_cel_make_int(-1);
    }
    const size_t found = fx_text_find(fx_text_rest(args[0].text, from), args[1].text);
    return fx_cel_make_int(found == FX_NOT_FOUND ? -1 : number_of(args[0], from + found));
}

static struct fx_cel_value index_of(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    return index_from(run, args, 0);
}

static struct fx_cel_value index_of_from(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    return index_from(run, args, args[2].integer);
}

static struct fx_cel_value last_index_of(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(2 * args[0].text.len + args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t found = fx_text_find_last(args[0].text, args[1].text);
    return fx_cel_make_int(found == FX_NOT_FOUND ? -1 : number_of(args[0], found));
}

/* The last one that begins at `offset` or before it. */
static struct fx_cel_value last_index_of_from(struct fx_cel_run *run,
                                              const struct fx_cel_value *args) {
    const int64_t offset = args[2].integer;
    if (args[1].text.len == 0) {
        return fx_cel_make_int(offset);
    }
    if (offset < 0) {
        return fail_index(run, offset);
    }
    if (!fx_cel_spend_bytes(2 * args[0].text.len + args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    const size_t from = offset_of(args[0], offset);
    if (from == FX_NOT_FOUND || from == args[0].text.len) {
        return fx_cel_make_int(-1);
    }
    const size_t left = args[0].text.len - from;
    const size_t end =
        args[1].text.len < left ? from + args[1].text.len : args[0].text.len;
    const size_t found =
        fx_text_find_last((struct fx_text){args[0].text.data, end}, args[1].text);
    return fx_cel_make_int(found == FX_NOT_FOUND ? -1 : number_of(args[0], found));
}

/* ---- case
 * -------------------------------------------------------------------------------- */

/* The receiver with the letters from `first` on moved by `by`; itself if it has none. */
static struct fx_cel_value
change_case(struct fx_cel_run *run, const struct fx_cel_value *args, char first, int by) {
    const struct fx_text text = args[0].text;
    size_t at = 0;
    if (!fx_cel_spend_bytes(2 * text.len)) {
        return fx_cel_exceeded(run);
    }
    while (at < text.len && (text.data[at] < first || text.data[at] > first + 25)) {
        at++;
    }
    if (at == text.len) {
        return args[0];
    }
    char *changed = fx_arena_alloc(run->arena, text.len);
    if (changed == NULL) {
        return fx_cel_no_memory(run);
    }
    memcpy(changed, text.data, text.len);
    for (; at < text.len; at++) {
        if (changed[at] >= first && changed[at] <= first + 25) {
            changed[at] = (char)(changed[at] + by);
        }
    }
    struct fx_cel_value result = args[0];
    result.text.data = changed;
    return result;
}

static struct fx_cel_value lower_ascii(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return change_case(run, args, 'A', 'a' - 'A');
}

static struct fx_cel_value upper_ascii(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return change_case(run, args, 'a', 'A' - 'a');
}

/* ---- costs
 * ------------------------------------------------------------------------------- */

uint64_t cel_rebuild_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[0]), 0.2);
}

static uint64_t join_cost(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)args;
    return fx_cel_cost_scale(fx_cel_cost_length(result), 0.2);
}

#define TEXT   &fx_cel_string
#define NUMBER &fx_cel_int

/* A method with a cost that holds for the function. */
#define METHOD(name, call_, cost_, result_, ...) \
    {                                            \
        .function = (name),                      \
        FX_CEL_METHOD(__VA_ARGS__),              \
        .result = &(result_),                    \
        .call = (call_),                         \
        .cost = (cost_),                         \
        .always_costs = true,                    \
    }
#define INDEX(name, call_, ...) \
    METHOD(name, call_, cel_traversal_cost, fx_cel_int, __VA_ARGS__)
#define READ(name, call_, ...) \
    METHOD(name, call_, fx_cel_argument_cost, fx_cel_string, __VA_ARGS__)
#define REBUILD(name, call_, result_, ...) \
    METHOD(name, call_, cel_rebuild_cost, result_, __VA_ARGS__)

const struct fx_cel_overload fx_cel_strings[] = {
    METHOD("charAt", char_at, NULL, fx_cel_string, TEXT, NUMBER),
    INDEX("indexOf", index_of, TEXT, TEXT),
    INDEX("indexOf", index_of_from, TEXT, TEXT, NUMBER),
    INDEX("lastIndexOf", last_index_of, TEXT, TEXT),
    INDEX("lastIndexOf", last_index_of_from, TEXT, TEXT, NUMBER),
    READ("lowerAscii", lower_ascii, TEXT),
    READ("upperAscii", upper_ascii, TEXT),
    REBUILD("replace", cel_replace, fx_cel_string, TEXT, TEXT, TEXT),
    REBUILD("replace", cel_replace_some, fx_cel_string, TEXT, TEXT, TEXT, NUMBER),
    REBUILD("split", cel_split, fx_cel_list_string, TEXT, TEXT),
    REBUILD("split", cel_split_some, fx_cel_list_string, TEXT, TEXT, NUMBER),
    READ("substring", substring_from, TEXT, NUMBER),
    READ("substring", substring, TEXT, NUMBER, NUMBER),
    READ("trim", trim, TEXT),
    METHOD("join", cel_join, join_cost, fx_cel_string, &fx_cel_list_string),
    METHOD("join", cel_join_with, join_cost, fx_cel_string, &fx_cel_list_string, TEXT),
    {.function = "format",
     FX_CEL_METHOD(TEXT, &fx_cel_list_dyn),
     .result = &fx_cel_string,
     .call = cel_format,
     .cost = fx_cel_argument_cost,
     .check = cel_format_check},
    {.function = "strings.quote",
     FX_CEL_FUNCTION(TEXT),
     .result = &fx_cel_string,
     .call = cel_quote,
     .cost = fx_cel_argument_cost},
    {.function = NULL},
};
