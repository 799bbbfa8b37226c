/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions.h - private to the room: Kyverno's functions by theme, and
 * how they read their arguments and fail.
 */
#ifndef FX_LOCATION_JMESPATH_FUNCTIONS_H
#define FX_LOCATION_JMESPATH_FUNCTIONS_H

#include <jansson.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "location/jmespath/function.h"

/* The tables, each of which ends with a NULL name. */
extern const struct fx_jmespath_function fx_jmespath_text_functions[];
extern const struct fx_jmespath_function fx_jmespath_case_functions[];
extern const struct fx_jmespath_function fx_jmespath_pattern_functions[];
extern const struct fx_jmespath_function fx_jmespath_arithmetic_functions[];
extern const struct fx_jmespath_function fx_jmespath_collection_functions[];
extern const struct fx_jmespath_function fx_jmespath_encoding_functions[];
extern const struct fx_jmespath_function fx_jmespath_name_functions[];
extern const struct fx_jmespath_function fx_jmespath_semver_functions[];
extern const struct fx_jmespath_function fx_jmespath_time_functions[];
extern const struct fx_jmespath_function fx_jmespath_random_functions[];
extern const struct fx_jmespath_function fx_jmespath_x509_functions[];

/* Rows of a table: `FX_JMESPATH_ROW("trim", call_trim, {.types = FX_JMESPATH_STRING},
 * …)`. */
#define FX_JMESPATH_ROW(name_, call_, ...) \
    {.name = (name_), .parameters = {__VA_ARGS__}, .call = (call_)}

/* Returns the bytes of argument `i`, which is a string. */
static inline struct fx_text jmespath_argument_text(const struct fx_jmespath_call *call,
                                                    size_t i) {
    return (struct fx_text){json_string_value(call->args[i]),
                            json_string_length(call->args[i])};
}

/* Returns argument `i`, which is a number, as a double. */
static inline double jmespath_argument_number(const struct fx_jmespath_call *call,
                                              size_t i) {
    return json_number_value(call->args[i]);
}

/* Makes an empty buffer for a result: it has the limit of texts. */
static inline void jmespath_result_init(struct fx_buf *buf) {
    fx_buf_init(buf, FX_LIMIT_JMESPATH_TEXT_BYTES);
}

/* Spends for `bytes` read or written, and for a step. */
bool jmespath_spend_bytes(size_t bytes, struct fx_err *err) FX_MUST_USE;

/* Makes an error of another room, about the argument, one of a function: FX_EINVALID.
 * Failures of Fixpoint and limits stay. Always false. */
bool jmespath_fail_argument(struct fx_err *err);

/* Makes the error of fx_regex_compile() one of a function: an invalid pattern gets Go's
 * message. Always false. */
bool jmespath_fail_pattern(struct fx_err *err);

/* Appends a number in decimal, without an exponent: "0.25", "100000". */
void jmespath_add_plain_number(struct fx_buf *buf, const json_t *number);

/* The text of argument `i`: a string, or a number in decimal. It is borrowed from the
 * argument or from `room`, an empty buffer, which the caller finishes. */
bool jmespath_argument_plain(const struct fx_jmespath_call *call, size_t i,
                             struct fx_buf *room, struct fx_text *ret_text,
                             struct fx_err *err) FX_MUST_USE;

/* Appends an element to a list that is a result. Consumes the element, and spends for it.
 * Errors: FX_ELIMIT over FX_LIMIT_JMESPATH_VALUE_NODES or the budget, FX_EDEADLINE,
 * FX_ENOMEM. */
bool jmespath_append_take(json_t *list, json_t *element, struct fx_err *err) FX_MUST_USE;

#endif
