/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/testing.h - private: what the tests of this room share. Included
 * behind <cmocka.h>.
 */
#ifndef FX_MUTATORS_KUBEMOD_TESTING_H
#define FX_MUTATORS_KUBEMOD_TESTING_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/yaml.h"

extern const struct fx_dialect fx_dialect_kubemod;

/* Test data is YAML. */
static inline json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(text));
    json_t *value = NULL;
    assert_non_null(reader);
    if (!fx_yaml_next(reader, NULL, &value, &err)) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    fx_yaml_close(reader);
    assert_non_null(value);
    return value;
}

static inline void assert_value(json_t *got, const char *expected, const char *what) {
    json_t *wanted = must_read(expected);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, got, FX_JSON_COMPACT);
    if (!fx_equal(wanted, got)) {
        fail_msg("%s: wanted %s, got %s", what, expected, buf.data);
    }
    fx_buf_finish(&buf);
    json_decref(wanted);
}

#define RULE(spec)                                                             \
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, " \
    "namespace: "                                                              \
    "ns}, spec: {" spec "}}"
#define MATCH "match: [{select: $.kind, matchValue: Pod}]"

#endif
