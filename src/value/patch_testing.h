/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_testing.h - what the tests of patches share: trees from text and back.
 */
#ifndef FX_VALUE_PATCH_TESTING_H
#define FX_VALUE_PATCH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/json.h"

static inline json_t *tree(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    if (root == NULL) {
        fail_msg("%s: %s", text, err.msg);
    }
    return root;
}

static inline void assert_tree(const json_t *root, const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, root, FX_JSON_COMPACT);
    assert_string_equal(buf.data, text);
    fx_buf_finish(&buf);
}

/* Is the value still exactly what the text reads as? */
static inline void assert_unchanged(const json_t *root, const char *text) {
    struct fx_buf buf;
    json_t *fresh = tree(text);
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, fresh, FX_JSON_COMPACT);
    assert_tree(root, buf.data);
    json_decref(fresh);
    fx_buf_finish(&buf);
}

#endif
