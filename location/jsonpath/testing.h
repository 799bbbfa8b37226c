/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/testing.h - what the tests of this room share: an expression and a
 * document in, JSON text out.
 */
#ifndef FX_LOCATION_JSONPATH_TESTING_H
#define FX_LOCATION_JSONPATH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "location/jsonpath/jsonpath.h"
#include "value/json.h"

static inline json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(root);
    return root;
}

static inline struct fx_jsonpath *compile(const char *text, enum fx_jsonpath_use use) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_compile(fx_text_of(text), use, &path, &err)) {
        fail_msg("%s: %s", text, err.msg);
    }
    return path;
}

/* Appends the result: `undefined`, the value, or the list; undefined entries are `-`. */
static inline void write_result(struct fx_buf *buf,
                                const struct fx_jsonpath_result *result) {
    if (result->shape == FX_JSONPATH_UNDEFINED) {
        fx_buf_str(buf, "undefined");
        return;
    }
    fx_buf_str(buf, result->shape == FX_JSONPATH_LIST ? "<" : "");
    for (size_t i = 0; i < result->n_values; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        if (result->values[i] == NULL) {
            fx_buf_char(buf, '-');
        } else {
            fx_json_write(buf, result->values[i], FX_JSON_SORT_KEYS);
        }
    }
    fx_buf_str(buf, result->shape == FX_JSONPATH_LIST ? ">" : "");
}

/* Evaluates and writes: the result as above, or `! ` and the error's message. */
static inline void evaluate_to(struct fx_buf *buf, const char *text, json_t *root) {
    struct fx_jsonpath *path = compile(text, FX_JSONPATH_EXPRESSION);
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(buf);
    if (fx_jsonpath_eval(path, root, &result, &err)) {
        write_result(buf, &result);
    } else {
        assert_int_equal(err.code, FX_EMUTATE);
        assert_true(err.len > 0 && err.off + err.len <= strlen(text));
        fx_buf_printf(buf, "! %s", err.msg);
    }
    fx_jsonpath_result_finish(&result);
    fx_jsonpath_destroy(path);
}

#endif
