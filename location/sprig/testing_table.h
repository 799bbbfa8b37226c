/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/testing_table.h - for the tests of functions: templates and their
 * results.
 */
#ifndef FX_LOCATION_SPRIG_TESTING_TABLE_H
#define FX_LOCATION_SPRIG_TESTING_TABLE_H

#include <string.h>

#include "location/sprig/testing.h"

/* The result, or the end of the error message. */
struct table_case {
    const char *template, *text, *error;
};

/* The `.Target` of all of them, that of the examples in the templates spec. */
static const char table_target[] =
    "{\"n\":5,\"f\":1.5,\"big\":1000650000,\"nul\":null,\"t\":true,\"fa\":false,"
    "\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"arr\":[\"x\",\"y\",\"z\"],\"ea\":[],"
    "\"eo\":{},\"nested\":[[1,2],[3]],\"mixed\":[\"a\",\"\",0,null,\"b\"],"
    "\"nums\":[3,1,2],\"kind\":\"Pod\"}";

static void check_case(const struct table_case *expected, json_t *target) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "<");
    const bool ok = testing_run(fx_text_of(expected->template), target, &text, &err);
    if (ok != (expected->error == NULL)) {
        fail_msg("%s: %s%s", expected->template, text.data, err.msg);
    } else if (ok && strcmp(text.data + 1, expected->text) != 0) {
        fail_msg("%s gives %s, not %s", expected->template, text.data + 1,
                 expected->text);
    } else if (!ok && !fx_text_ends(fx_text_of(err.msg), fx_text_of(expected->error))) {
        fail_msg("%s fails: %s, not: %s", expected->template, err.msg, expected->error);
    }
    fx_buf_finish(&text);
}

static void check_table(const struct table_case *cases, size_t n) {
    json_t *target = json_loads(table_target, 0, NULL);
    assert_non_null(target);
    for (size_t i = 0; i < n; i++) {
        check_case(&cases[i], target);
    }
    json_decref(target);
}

#endif
