/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/fake_mutator.h - small mutators for the tests of this room and of the dialects.
 * A fake says which objects it wants and which field it writes.
 */
#ifndef FX_ENGINE_FAKE_MUTATOR_H
#define FX_ENGINE_FAKE_MUTATOR_H

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "engine/access.h"
#include "engine/failures.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "value/json.h"
#include "value/tree.h"

/* What a fake is. Unset members ask for nothing and do nothing. */
struct fake_plan {
    const char *name;
    const char *binding;    /* the kind it wants, of v1, under CREATE; NULL: any object */
    const char *namespace_; /* the one namespace it wants */
    const char *if_key;     /* it matches where root[if_key] … */
    const char *if_value;   /* … is this string (NULL: is there at all) */
    const char *set_key;    /* it sets root[set_key] … */
    const char *set_value;  /* … to this string */
    bool append;            /* rather: appends it to the list root[set_key] */
    bool once, again, match_first, ignores_failure;
    /* It reports this failure with this HTTP code, and goes on. */
    const char *failure;
    unsigned failure_code;
    bool checks_late; /* `apply` checks if_key, and not `match` */
    unsigned rank;
    int tier;
    const char *match_error, *apply_error;
    enum fx_action action;
    const char *violation; /* of a validator: the message; NULL: it finds nothing */
};

struct fake {
    struct fx_mutator head;
    struct fake_plan plan;
    struct fx_binding binding;
    struct fx_text namespace_;
    /* For fake_access(). */
    const char *path;    /* where it writes; NULL: root[set_key] */
    bool is_typed;       /* it assumes types of what it writes */
    bool only_reads;     /* it does not say where it writes */
    bool uses_old_value; /* so that it never settles */
};

static inline bool fake_match(const struct fx_mutator *self,
                              const struct fx_request *request,
                              const struct fx_subject *subject,
                              struct fx_verdict *ret_verdict, struct fx_err *err) {
    const struct fake_plan *plan = &((const struct fake *)self)->plan;
    *ret_verdict = (struct fx_verdict){false, "applyTo"};
    if (plan->binding != NULL && (!fx_text_is(subject->kind, plan->binding) ||
                                  !fx_text_is(subject->api_version, "v1") ||
                                  request->operation != FX_OPERATION_CREATE)) {
        return true;
    }
    const struct fx_text namespace_ = fx_subject_namespace(subject, request);
    if (plan->namespace_ != NULL && namespace_.len > 0 &&
        !fx_text_is(namespace_, plan->namespace_)) {
        ret_verdict->criterion = "namespaces";
        return true;
    }
    if (plan->match_error != NULL) {
        return fx_fail(err, FX_EMUTATE, "%s", plan->match_error);
    }
    ret_verdict->criterion = "if";
    if (plan->if_key != NULL && !plan->checks_late) {
        const json_t *value = fx_tree_view_key(subject->object, plan->if_key);
        if (value == NULL || (plan->if_value != NULL &&
                              !fx_text_is(fx_tree_text(value), plan->if_value))) {
            return true;
        }
    }
    *ret_verdict = (struct fx_verdict){true, NULL};
    return true;
}

/* Appends to the list at `key`, which it makes where there is none. */
static inline bool fake_append(json_t *root, struct fx_text key, const char *value) {
    if (fx_tree_view_text(root, key) == NULL &&
        !fx_tree_set_take(root, key, json_array())) {
        return false;
    }
    json_t *list = fx_tree_own_key(root, key);
    return list != NULL && fx_tree_append_take(list, json_string(value));
}

static inline bool fake_apply(const struct fx_mutator *self,
                              const struct fx_request *request, json_t **root,
                              struct fx_effect *ret_effect, struct fx_err *err) {
    const struct fake_plan *plan = &((const struct fake *)self)->plan;
    if (plan->checks_late && fx_tree_view_key(*root, plan->if_key) == NULL) {
        *ret_effect = (struct fx_effect){.unmatched = true, .criterion = "if"};
        return true;
    }
    const struct fx_failure failure = {.code = plan->failure_code,
                                       .reason = "Invalid",
                                       .part = FX_TEXT("plan"),
                                       .message = fx_text_of(plan->failure)};
    if (plan->failure != NULL && !fx_failures_add(request->failures, &failure)) {
        return fx_fail_nomem(err);
    }
    if (plan->apply_error != NULL) {
        return fx_fail(err, FX_EMUTATE, "%s", plan->apply_error);
    }
    *ret_effect = (struct fx_effect){.applied = plan->set_key != NULL};
    if (plan->set_key == NULL) {
        return true;
    }
    const struct fx_text key = fx_text_of(plan->set_key);
    if (!plan->append &&
        fx_text_is(fx_tree_text(fx_tree_view_text(*root, key)), plan->set_value)) {
        return true;
    }
    ret_effect->changed = true;
    json_t *own = fx_tree_own_root(root);
    const bool ok =
        own != NULL &&
        (plan->append ? fake_append(own, key, plan->set_value)
                      : fx_tree_set_take(own, key, json_string(plan->set_value)));
    return ok || fx_fail_nomem(err);
}

/* Adds the steps of a path such as `spec.c[name].i`: the field spec, the list c keyed by
 * name, and its field i. `:` and `!` end it. */
static inline void fake_steps(struct fx_access *access, const char *path) {
    const char *at = path;
    while (*at != '\0' && *at != ':' && *at != '!') {
        const size_t len = strcspn(at, ".[]:!");
        const bool is_list = at > path && at[-1] == '[';
        fx_access_step(access, (struct fx_path_step){
                                   .type = is_list ? FX_PATH_ELEMENT : FX_PATH_MEMBER,
                                   .name = {at, len},
                               });
        at += len;
        at += *at == ']' ? 1 : 0;
        at += *at == '.' || *at == '[' ? 1 : 0;
    }
}

/* Reads if_key and writes `path`. If the fake is typed, the end of the path is Unknown,
 * with `:set` a Set, with `:string` a String, and with `!` no other path may go on from
 * there. */
static inline void fake_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct fake *fake = (const struct fake *)self;
    const char *path = fake->path != NULL ? fake->path : fake->plan.set_key;
    if (fake->plan.if_key != NULL) {
        fx_access_read(access);
        fake_steps(access, fake->plan.if_key);
    }
    access->uses_old_value = fake->uses_old_value;
    if (path == NULL || fake->only_reads) {
        fx_access_read(access);
        fake_steps(access, path == NULL ? "any" : path);
        return;
    }
    fx_access_write(access,
                    !fake->is_typed                   ? FX_ACCESS_UNTYPED
                    : strstr(path, ":set") != NULL    ? FX_ACCESS_SET
                    : strstr(path, ":string") != NULL ? FX_ACCESS_STRING
                                                      : FX_ACCESS_UNKNOWN,
                    strchr(path, '!') != NULL);
    fake_steps(access, path);
}

static inline bool fake_validate(const struct fx_mutator *self,
                                 const struct fx_request *request, json_t *root,
                                 struct fx_buf *entry, struct fx_err *note,
                                 struct fx_err *err) {
    const struct fake_plan *plan = &((const struct fake *)self)->plan;
    (void)request;
    (void)root;
    (void)note;
    (void)err;
    fx_buf_str(entry, plan->violation == NULL ? "" : plan->violation);
    return true;
}

static inline void fake_destroy(struct fx_mutator *self) {
    fx_mutator_finish(self);
    free(self);
}

/* A new fake of one reference, or NULL without memory. */
static inline struct fake *fake_create(const struct fake_plan *plan) {
    static const struct fx_mutator_ops ops = {
        .match = fake_match,
        .apply = fake_apply,
        .validate = fake_validate,
        .destroy = fake_destroy,
    };
    struct fake *fake = calloc(1, sizeof *fake);
    if (fake == NULL || !fx_mutator_init(&fake->head, &ops, FX_TEXT("test.dev"),
                                         FX_TEXT("Fake"), fx_text_of(plan->name), NULL)) {
        abort();
    }
    fake->plan = *plan;
    fake->head.run.action = plan->action;
    fake->head.run.once = plan->once;
    fake->head.run.again = plan->again;
    fake->head.run.match_first = plan->match_first;
    fake->head.run.ignores_failure = plan->ignores_failure;
    fake->head.rank = plan->rank;
    fake->head.tier = plan->tier;
    if (plan->binding != NULL) {
        fake->binding = (struct fx_binding){
            .group = FX_TEXT(""),
            .version = FX_TEXT("v1"),
            .kind = fx_text_of(plan->binding),
            .operations = FX_OPERATION_BIT(FX_OPERATION_CREATE),
        };
        fake->head.bindings = &fake->binding;
        fake->head.n_bindings = 1;
    }
    if (plan->namespace_ != NULL) {
        fake->namespace_ = fx_text_of(plan->namespace_);
        fake->head.namespaces = &fake->namespace_;
        fake->head.n_namespaces = 1;
    }
    return fake;
}

/* Gives the fake a declared access, by the rest of its functions as in `ops`. */
static inline bool fake_declare(struct fake *fake, const struct fx_mutator_ops *ops) {
    assert(ops->access != NULL);
    fake->head.ops = ops;
    return fx_mutator_derive_access(&fake->head);
}

static inline json_t *fake_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    return fx_json_read(fx_text_of(text), NULL, &err);
}

#endif
