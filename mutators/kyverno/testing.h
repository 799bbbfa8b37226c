/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/testing.h - what tests of this room share.
 */
#ifndef FX_KYVERNO_TESTING_H
#define FX_KYVERNO_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "value/json.h"

#define KYVERNO_TEST_ARENA ((size_t)1 << 20) /* the most bytes of an arena */

/* Reads JSON; the test fails if it is none. */
static inline json_t *kyverno_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    if (node == NULL) {
        fail_msg("%s: %s", text, err.msg);
    }
    return node;
}

/* The same for JSON in which ' stands for ", so that it is readable as a C string. */
static inline json_t *kyverno_read_quoted(const char *text) {
    char copy[2048];
    const size_t n = strlen(text);
    assert_true(n < sizeof copy);
    for (size_t i = 0; i <= n; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return kyverno_read(copy);
}

/* Appends a value as JSON. */
static inline void kyverno_write(struct fx_buf *buf, const json_t *value) {
    fx_json_write(buf, value, FX_JSON_COMPACT);
}

#endif
