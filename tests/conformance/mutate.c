/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.c - gatekeeper/mutate.jsonl, random.jsonl and external.jsonl: applies mutators
 * to an object, with the answers of providers, which gives an object or an error.
 */
#include <ctype.h>
#include <string.h>

#include "answer.h"
#include "kinds.h"
#include "skips.h"
#include "system.h"
#include "value/tree.h"

/* True if there is a UUID at `text`. */
static bool is_uuid(const char *text, size_t len) {
    static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (len < sizeof shape - 1) {
        return false;
    }
    for (size_t i = 0; i < sizeof shape - 1; i++) {
        const bool fits =
            shape[i] == '-' ? text[i] == '-' : isxdigit((unsigned char)text[i]) != 0;
        if (!fits) {
            return false;
        }
    }
    return true;
}

/* Appends the message with every UUID replaced by zeros, as in the cases. */
static void add_without_uuids(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len;) {
        if (is_uuid(text.data + i, text.len - i)) {
            fx_buf_str(buf, "00000000-0000-0000-0000-000000000000");
            i += 36;
        } else {
            fx_buf_char(buf, text.data[i++]);
        }
    }
}

#define GO_POINTER "got &{0x"

/* Returns the offset of a pointer that Go printed, or the length of the message. */
static size_t find_pointer(struct fx_text words) {
    const char *at = words.len > 0 ? strstr(words.data, GO_POINTER) : NULL;
    return at != NULL ? (size_t)(at - words.data) : words.len;
}

/* Returns the message up to a pointer, because addresses cannot be compared. */
static struct fx_text without_pointer(struct fx_text words) {
    return (struct fx_text){words.data, find_pointer(words)};
}

/* Returns the part of Fixpoint's message that can be compared with the expected one. */
static struct fx_text without_value(struct fx_text got, struct fx_text expected) {
    const size_t comparable = find_pointer(expected);
    if (comparable < expected.len && comparable < got.len) {
        got.len = comparable;
    }
    return got;
}

/* Compares an error with the expected message. Fails if the case expects no error. */
static void compare_error(struct fx_case_result *result, const char *what,
                          const json_t *expect, const struct fx_err *err) {
    const json_t *words = fx_tree_view_key(expect, what);
    if (words == NULL) {
        fx_case_fail(result, what, "none", err->msg);
        return;
    }
    struct fx_buf got;
    fx_buf_init(&got, 0);
    add_without_uuids(&got, fx_text_of(err->msg));
    fx_case_expect_text(
        result, what, without_pointer(fx_tree_text(words)),
        without_value((struct fx_text){got.data, got.len}, fx_tree_text(words)));
    fx_buf_finish(&got);
}

/* Adds the mutators up to the first invalid one. False if the case ends with that. */
static bool upsert_all(struct fx_case_system *system, const json_t *row,
                       struct fx_case_result *result) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *policies = fx_tree_view_key(row, "mutators");
    for (size_t i = 0; i < json_array_size(policies); i++) {
        struct fx_err err = FX_ERR_INIT;
        if (fx_case_system_upsert(system, json_array_get(policies, i), &err)) {
            continue;
        }
        compare_error(result, "mutatorError", expect, &err);
        const json_t *index = fx_tree_view_key(expect, "mutatorIndex");
        if (index != NULL) {
            json_t *got = json_integer((json_int_t)i);
            fx_case_expect_json(result, "mutatorIndex", index, got);
            json_decref(got);
        }
        return false;
    }
    const json_t *words = fx_tree_view_key(expect, "mutatorError");
    if (words != NULL) {
        fx_case_fail(result, "mutatorError", json_string_value(words), "valid mutators");
    }
    return words == NULL;
}

/* Compares the result. A `quirk` of Go's number types affects all of it but the object
 * itself. */
static void compare_answer(const json_t *row, const struct fx_case_answer *answer,
                           struct fx_case_result *result) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *words = fx_tree_view_key(expect, "mutateError");
    if (words != NULL) {
        fx_case_fail(result, "mutateError", json_string_value(words), "a result");
        return;
    }
    fx_case_expect_json(result, "object", fx_tree_view_key(expect, "object"),
                        answer->object);
    if (fx_tree_view_key(row, "quirk") == NULL) {
        fx_case_expect_bool(result, "mutated",
                            json_is_true(fx_tree_view_key(expect, "mutated")),
                            answer->mutated);
    }
}

static void run(json_t *row, struct fx_case_system *system,
                struct fx_case_result *result) {
    if (!json_is_object(fx_tree_view_key(row, "object"))) {
        fx_case_fail(result, "the case", "an object", "none");
        return;
    }
    if (!upsert_all(system, row, result)) {
        return;
    }
    fx_case_system_compare(system, fx_tree_view_key(row, "expect"), result);

    struct fx_case_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = json_is_true(fx_tree_view_key(row, "webhook"))
                        ? fx_case_review_object(row, system->snapshot, &answer, &err)
                        : fx_case_mutate_object(row, system->snapshot, &answer, &err);
    if (ok) {
        compare_answer(row, &answer, result);
    } else {
        compare_error(result, "mutateError", fx_tree_view_key(row, "expect"), &err);
    }
    const json_t *calls =
        fx_tree_view_key(fx_tree_view_key(row, "expect"), "providerCalls");
    if (calls != NULL) {
        fx_case_expect_json(result, "providerCalls", calls, answer.calls);
    }
    fx_case_answer_finish(&answer);
}

void fx_case_mutate(json_t *row, struct fx_case_result *result) {
    result->skipped = fx_case_skip_reason(row, fx_tree_view_key(row, "mutators"));
    if (result->skipped == NULL) {
        struct fx_case_system system;
        struct fx_err err = FX_ERR_INIT;
        if (fx_case_system_init(&system, row, &err)) {
            run(row, &system, result);
        } else {
            fx_case_fail(result, "system", "an empty one", err.msg);
        }
        fx_case_system_finish(&system);
    }
}
