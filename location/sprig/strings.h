/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings.h - private: what the other files of Sprig's
 * strings give the table in functions_strings.c.
 */
#ifndef FX_LOCATION_SPRIG_STRINGS_H
#define FX_LOCATION_SPRIG_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/function.h"

/* functions_strings_case.c */
bool call_upper(struct call *call) FX_MUST_USE;
bool call_lower(struct call *call) FX_MUST_USE;
bool call_title(struct call *call) FX_MUST_USE;
bool call_untitle(struct call *call) FX_MUST_USE;
bool call_swapcase(struct call *call) FX_MUST_USE;
bool call_initials(struct call *call) FX_MUST_USE;

/* functions_strings_words.c */
bool call_snakecase(struct call *call) FX_MUST_USE;
bool call_kebabcase(struct call *call) FX_MUST_USE;
bool call_camelcase(struct call *call) FX_MUST_USE;

/* functions_strings_cut.c */
bool call_abbrev(struct call *call) FX_MUST_USE;
bool call_abbrevboth(struct call *call) FX_MUST_USE;
bool call_trunc(struct call *call) FX_MUST_USE;
bool call_substr(struct call *call) FX_MUST_USE;
bool call_trim(struct call *call) FX_MUST_USE;
bool call_trim_all(struct call *call) FX_MUST_USE;
bool call_trim_prefix(struct call *call) FX_MUST_USE;
bool call_trim_suffix(struct call *call) FX_MUST_USE;
bool call_nospace(struct call *call) FX_MUST_USE;

/* functions_strings_wrap.c */
bool call_wrap(struct call *call) FX_MUST_USE;
bool call_wrap_with(struct call *call) FX_MUST_USE;

/* functions_strings_list.c */
bool call_split(struct call *call) FX_MUST_USE;
bool call_splitn(struct call *call) FX_MUST_USE;
bool call_split_list(struct call *call) FX_MUST_USE;
bool call_join(struct call *call) FX_MUST_USE;
bool call_to_strings(struct call *call) FX_MUST_USE;
bool call_sort_alpha(struct call *call) FX_MUST_USE;

/* The argument, which is a string. */
static inline struct fx_text argument_text(const struct call *call, size_t i) {
    return call->arguments[i].string;
}

/* The argument, which is an int. */
static inline int64_t argument_int(const struct call *call, size_t i) {
    return call->arguments[i].integer;
}

/* Returns a string: bytes that outlive the call. */
static inline bool return_text(struct call *call, struct fx_text text) {
    *call->ret = value_string(text);
    return true;
}

static inline bool return_bool(struct call *call, bool boolean) {
    *call->ret = value_bool(boolean);
    return true;
}

/* The bytes from `from` up to `to`. */
static inline struct fx_text text_between(struct fx_text text, size_t from, size_t to) {
    return to == from ? FX_TEXT("") : (struct fx_text){text.data + from, to - from};
}

#endif
