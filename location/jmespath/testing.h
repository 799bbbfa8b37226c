/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/testing.h - what the tests of this room share: a query and a document
 * in, JSON text out.
 */
#ifndef FX_LOCATION_JMESPATH_TESTING_H
#define FX_LOCATION_JMESPATH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "location/jmespath/jmespath.h"
#include "value/json.h"
#include "value/tree.h"

static inline json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    if (root == NULL) {
        fail_msg("%s: %s", text, err.msg);
    }
    return root;
}

static inline struct fx_jmespath *compile(const char *text) {
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jmespath_compile(fx_text_of(text), &query, &err)) {
        fail_msg("%s: %s", text, err.msg);
    }
    return query;
}

/* Writes the outcome: the value, `? ` and the message of a missing key, or `! ` and that
 * of an error. */
static inline void write_outcome(struct fx_buf *buf, enum fx_jmespath_outcome outcome,
                                 const json_t *value, const struct fx_err *err) {
    fx_buf_reset(buf);
    if (outcome == FX_JMESPATH_VALUE) {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    } else {
        fx_buf_printf(buf, "%c %s", outcome == FX_JMESPATH_NOT_FOUND ? '?' : '!',
                      err->msg);
    }
}

static inline void search_to(struct fx_buf *buf, const char *text, json_t *root) {
    struct fx_jmespath *query = compile(text);
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_search(query, root, NULL, &value, &err);
    write_outcome(buf, outcome, value, &err);
    assert_true(outcome == FX_JMESPATH_VALUE || (value == NULL && err.len > 0));
    json_decref(value);
    fx_jmespath_destroy(query);
}

/* A query, and its outcome as written above. */
struct search_row {
    const char *query, *expected;
};

/* Runs all rows on the document. */
static inline void expect_rows(const char *document, const struct search_row *rows,
                               size_t n_rows) {
    struct fx_buf buf;
    json_t *root = read_json(document);
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < n_rows; i++) {
        search_to(&buf, rows[i].query, root);
        if (strcmp(buf.data, rows[i].expected) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i].query, rows[i].expected,
                     buf.data);
        }
    }
    fx_buf_finish(&buf);
    json_decref(root);
}

#endif
