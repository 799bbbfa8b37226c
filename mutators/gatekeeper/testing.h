/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/testing.h - private: what the tests of this room share. Included
 * behind <cmocka.h>.
 */
#ifndef FX_MUTATORS_GATEKEEPER_TESTING_H
#define FX_MUTATORS_GATEKEEPER_TESTING_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "engine/access.h"
#include "engine/dialect.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "value/json.h"

extern const struct fx_dialect fx_dialect_gatekeeper;

/* Test data writes ' where JSON has ". */
static inline json_t *must_read(const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            fx_buf_char(&buf, '"');
        } else {
            fx_buf_char(&buf, *c);
        }
    }
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read((struct fx_text){buf.data, buf.len}, NULL, &err);
    if (value == NULL) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    fx_buf_finish(&buf);
    return value;
}

static inline void assert_json(const json_t *value, const char *expected) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    for (size_t i = 0; i < buf.len; i++) {
        if (buf.data[i] == '"') {
            buf.data[i] = '\'';
        }
    }
    assert_string_equal(buf.data, expected);
    fx_buf_finish(&buf);
}

/* Compiles a policy that is sound. */
static inline struct fx_compilation must_compile(json_t *policy) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_dialect_gatekeeper.compile(policy, &compilation, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(compilation.n_mutators, 1);
    return compilation;
}

/* The error of a policy that is not. */
static inline struct fx_err must_refuse(json_t *policy) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_dialect_gatekeeper.compile(policy, &compilation, &err)) {
        fail_msg("accepted");
    }
    assert_int_equal(compilation.n_mutators, 0);
    fx_compilation_finish(&compilation);
    return err;
}

/* A policy that is refused: the message, the node at fault as JSON (NULL: any), the span.
 */
struct refusal {
    const char *policy, *msg, *node;
    uint32_t off, len;
};

static inline void expect_refusals(const struct refusal *refused, size_t n_refused) {
    for (size_t i = 0; i < n_refused; i++) {
        json_t *policy = must_read(refused[i].policy);
        const struct fx_err err = must_refuse(policy);
        assert_string_equal(err.msg, refused[i].msg);
        assert_non_null(err.node);
        if (refused[i].node != NULL) {
            assert_json(err.node, refused[i].node);
        }
        assert_int_equal(err.off, refused[i].off);
        assert_int_equal(err.len, refused[i].len);
        json_decref(policy);
    }
}

static const struct fx_request request_create = {.operation = FX_OPERATION_CREATE,
                                                 .source = FX_SOURCE_ORIGINAL};

/* Does the mutator match the object? Otherwise the criterion that failed. */
static inline struct fx_verdict match(const struct fx_mutator *mutator,
                                      const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    struct fx_verdict verdict = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!mutator->ops->match(mutator, &request_create, &subject, &verdict, &err)) {
        fail_msg("%s", err.msg);
    }
    return verdict;
}

/* Applies the mutator, then again: the second time nothing may change. */
static inline struct fx_effect must_apply(const struct fx_mutator *mutator,
                                          json_t **root) {
    struct fx_effect effect = {0};
    struct fx_effect again = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!mutator->ops->apply(mutator, &request_create, root, &effect, &err) ||
        !mutator->ops->apply(mutator, &request_create, root, &again, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_false(again.changed);
    return effect;
}

/* A policy, an object's spec before and after (NULL: the very same object), and what
 * stood against the mutator (NULL: it applied). */
struct writing {
    const char *policy, *before, *after, *criterion;
};

/* Expects that the mutator declares one written path: `spec.l[k].x:Unknown`, with `!` if
 * no other path may go on from its end. */
static inline void expect_written(const struct fx_mutator *mutator,
                                  const char *expected) {
    static const char *const types[] = {"Untyped", "Unknown", "Object",
                                        "List",    "Set",     "String"};
    struct fx_access access = {.parts = NULL};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_true(fx_access_declare(&access, mutator));
    for (size_t i = 0; i < access.n_paths; i++) {
        const struct fx_access_path *path = &access.paths[i];
        const struct fx_path_step *steps = fx_access_steps(&access, path);
        for (size_t k = 0; path->writes && k < path->n_steps; k++) {
            const bool is_list = steps[k].type == FX_PATH_ELEMENT;
            fx_buf_str(&text, is_list ? "[" : k > 0 ? "." : "");
            fx_buf_text(&text, steps[k].name);
            fx_buf_str(&text, is_list ? "]" : "");
        }
        if (path->writes) {
            fx_buf_printf(&text, ":%s%s", types[path->type],
                          path->must_terminate ? "!" : "");
            assert_int_equal(mutator->is_typed, path->type != FX_ACCESS_UNTYPED);
        }
    }
    assert_string_equal(text.data, expected);
    fx_buf_finish(&text);
    fx_access_finish(&access);
}

static inline json_t *pod_of(const char *spec) {
    json_t *pod = must_read("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
                            "'namespace':'ns'}}");
    json_object_set_new(pod, "spec", must_read(spec));
    return pod;
}

static inline void expect_writing(const struct writing *row) {
    json_t *policy = must_read(row->policy);
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    json_t *before = pod_of(row->before);
    json_t *root = json_incref(before);
    const struct fx_verdict verdict = match(mutator, root);
    struct fx_effect effect = {.criterion = verdict.criterion};
    if (verdict.matched) {
        effect = must_apply(mutator, &root);
    }
    const char *criterion = effect.criterion != NULL ? effect.criterion : "applied";
    assert_string_equal(criterion, row->criterion != NULL ? row->criterion : "applied");
    assert_int_equal(effect.applied, row->criterion == NULL);
    assert_int_equal(effect.changed, row->after != NULL);
    assert_int_equal(root == before, row->after == NULL);
    if (row->after != NULL) {
        assert_json(json_object_get(root, "spec"), row->after);
    }
    json_t *untouched = pod_of(row->before);
    assert_true(json_equal(before, untouched));
    json_decref(untouched);
    json_decref(root);
    json_decref(before);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static inline void expect_writings(const struct writing *rows, size_t n_rows) {
    for (size_t i = 0; i < n_rows; i++) {
        expect_writing(&rows[i]);
    }
}

/* A sound policy that fails on an object of this spec, with this message. */
static inline void expect_failure(const char *policy_text, const char *spec,
                                  enum fx_code code, const char *message) {
    json_t *policy = must_read(policy_text);
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    json_t *root = pod_of(spec);
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(match(mutator, root).matched);
    assert_false(mutator->ops->apply(mutator, &request_create, &root, &effect, &err));
    assert_string_equal(err.msg, message);
    assert_int_equal(err.code, code);
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

#define POD_ONLY "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod']}]"

/* A policy of our own group; `spec` without braces. */
#define OURS(kind, spec)                                                            \
    "{'apiVersion':'mutations.fixpoint.dev/v1alpha1','kind':'" kind "','metadata':" \
    "{'name':'m'},'spec':{" spec "}}"

#endif
