/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/resource_testing.h - private: what the tests of the kinds share
 * that give no mutator. Included behind <cmocka.h>.
 */
#ifndef FX_MUTATORS_GATEKEEPER_RESOURCE_TESTING_H
#define FX_MUTATORS_GATEKEEPER_RESOURCE_TESTING_H

#include "mutators/gatekeeper/testing.h"

/* Compiles a policy that is sound and gives so many resources. */
static inline struct fx_compilation must_yield(json_t *policy, size_t n_resources) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_dialect_gatekeeper.compile(policy, &compilation, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(compilation.n_mutators, 0);
    assert_int_equal(compilation.n_resources, n_resources);
    return compilation;
}

/* A policy, and its warnings: the text, `@`, and the node as JSON; `;` between two. */
struct warned {
    const char *policy, *warnings;
    size_t n_resources;
};

static inline void print_warnings(struct fx_buf *buf,
                                  const struct fx_compilation *compilation) {
    fx_buf_str(buf, "");
    for (size_t i = 0; i < compilation->n_warnings; i++) {
        fx_buf_printf(buf, "%s%s @ ", i == 0 ? "" : "; ", compilation->warnings[i].text);
        fx_json_write(buf, compilation->warnings[i].node, FX_JSON_COMPACT);
    }
    for (size_t i = 0; i < buf->len; i++) {
        if (buf->data[i] == '"') {
            buf->data[i] = '\'';
        }
    }
}

static inline void expect_warnings(const struct warned *rows, size_t n_rows) {
    for (size_t i = 0; i < n_rows; i++) {
        json_t *policy = must_read(rows[i].policy);
        struct fx_compilation made = must_yield(policy, rows[i].n_resources);
        struct fx_buf got;
        fx_buf_init(&got, 0);
        print_warnings(&got, &made);
        assert_string_equal(got.data, rows[i].warnings);
        fx_buf_finish(&got);
        fx_compilation_finish(&made);
        assert_int_equal(policy->refcount, 1); /* nothing of it is left */
        json_decref(policy);
    }
}

#endif
