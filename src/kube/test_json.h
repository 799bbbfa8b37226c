/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/test_json.h - for tests: reads and compares JSON. Include it after <cmocka.h>.
 */
#ifndef FX_KUBE_TEST_JSON_H
#define FX_KUBE_TEST_JSON_H

#include <jansson.h>

#include "value/equal.h"
#include "value/json.h"

static inline json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    if (value == NULL) {
        fail_msg("%s: %s", err.msg, text);
    }
    return value;
}

/* Asserts that `made` equals the expected JSON, and frees it. */
static inline void expect_made(json_t *made, const char *expected) {
    json_t *wanted = read_json(expected);
    assert_non_null(made);
    if (!fx_equal(made, wanted)) {
        char *text = json_dumps(made, JSON_COMPACT);
        assert_string_equal(text, expected);
    }
    json_decref(wanted);
    json_decref(made);
}

#endif
