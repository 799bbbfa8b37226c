/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/testing.h - private: what the tests of this room share. Included
 * behind <cmocka.h>.
 */
#ifndef FX_LOCATION_GATEKEEPER_TESTING_H
#define FX_LOCATION_GATEKEEPER_TESTING_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "location/gatekeeper/location.h"
#include "value/json.h"

static inline struct fx_location *must_parse_as(enum fx_location_syntax syntax,
                                                const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_location *location = NULL;
    if (!fx_location_parse(fx_text_of(text), syntax, &location, &err)) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return location;
}

static inline struct fx_location *must_parse(const char *text) {
    return must_parse_as(FX_LOCATION_GATEKEEPER, text);
}

static inline struct fx_location *must_parse_extended(const char *text) {
    return must_parse_as(FX_LOCATION_EXTENDED, text);
}

static inline json_t *must_read(const char *json) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(json), NULL, &err);
    if (value == NULL) {
        fail_msg("`%s`: %s", json, err.msg);
    }
    return value;
}

/* The printed form, which the caller frees. */
static inline char *must_print(const struct fx_location *location) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_location_print(&buf, location);
    char *text = fx_buf_steal(&buf);
    assert_non_null(text);
    return text;
}

static inline void assert_json(const json_t *value, const char *expected) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    char *text = fx_buf_steal(&buf);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

#endif
