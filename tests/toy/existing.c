/* SPDX-License-Identifier: Apache-2.0
 *
 * toy/existing.c - rules that write tags into other objects than that of the request.
 */
#include <string.h>

#include "engine/access.h"
#include "toy/toy.h"
#include "value/tree.h"

/* Returns the text, or what the words $namespace and $name stand for: those of the
 * trigger. */
static struct fx_text fill_in(struct fx_text text, const struct fx_subject *trigger) {
    return fx_text_is(text, "$namespace") ? trigger->namespace_
           : fx_text_is(text, "$name")    ? trigger->name
                                          : text;
}

/* Adds the query of one target. */
static bool add_target(const json_t *target, const struct fx_subject *trigger,
                       struct fx_existing_queries *queries, struct fx_err *err) {
    struct fx_subject type;
    fx_subject_read_type(target, &type);
    const struct fx_existing_query query = {
        .group = type.group,
        .version = type.version,
        .kind = type.kind,
        .namespace_ = fill_in(fx_tree_view_string(target, "namespace"), trigger),
        .name = fill_in(fx_tree_view_string(target, "name"), trigger),
    };
    return fx_existing_queries_add(queries, &query, fx_tree_view_key(target, "selector"),
                                   err);
}

static bool select_targets(const struct fx_mutator *self,
                           const struct fx_request *request, json_t *trigger,
                           struct fx_existing_queries *queries, struct fx_err *err) {
    const json_t *targets = fx_toy_rule_policy(self)->targets;
    struct fx_subject subject;
    bool ok = true;
    (void)request;
    fx_subject_read(trigger, &subject);
    for (size_t i = 0; ok && i < json_array_size(targets); i++) {
        ok = add_target(json_array_get(targets, i), &subject, queries, err);
    }
    return ok;
}

/* Adds all objects of the kinds of the policy, which are in v1 or apps/v1. */
static bool select_triggers(const struct fx_mutator *self,
                            struct fx_existing_queries *queries, struct fx_err *err) {
    const json_t *kinds = fx_toy_rule_policy(self)->kinds;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(kinds); i++) {
        const struct fx_text kind = fx_tree_text(json_array_get(kinds, i));
        const struct fx_existing_query query = {
            .group = fx_text_is(kind, "Deployment") ? FX_TEXT("apps") : FX_TEXT(""),
            .version = FX_TEXT("v1"),
            .kind = kind,
        };
        ok = fx_existing_queries_add(queries, &query, NULL, err);
    }
    return ok;
}

static const json_t *view_annotations(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "annotations");
}

/* A trigger and one of its targets. */
struct pair {
    const struct fx_request *request;
    json_t *trigger, **target;
};

/* Returns a text that is longer each time, so that the rule never settles. */
static json_t *grow(struct fx_text old, struct fx_text more) {
    struct fx_buf buf = {0};
    fx_buf_text(&buf, old);
    fx_buf_text(&buf, more);
    json_t *made = buf.failed ? NULL : fx_tree_new_string(fx_buf_view(&buf));
    fx_buf_finish(&buf);
    return made;
}

/* Makes the value of a tag: an annotation of the trigger ({fromTrigger: key}), the old
 * value and more ({grows: text}), or as for any rule. NULL if there is none. */
static bool make_value(const struct pair *pair, json_t *tag, struct fx_text old,
                       json_t **ret_value, struct fx_err *err) {
    const json_t *source = fx_tree_view_key(tag, "fromTrigger");
    const json_t *more = fx_tree_view_key(tag, "grows");
    if (more != NULL) {
        *ret_value = grow(old, fx_tree_text(more));
        return *ret_value != NULL || fx_fail_nomem(err);
    }
    json_t *value = source == NULL ? NULL
                                   : fx_tree_view_key(view_annotations(pair->trigger),
                                                      json_string_value(source));
    const bool ok = source != NULL ||
                    fx_toy_find_value(pair->request, *pair->target, tag, &value, err);
    *ret_value = ok ? json_incref(value) : NULL;
    return ok;
}

static bool apply_tag(const struct pair *pair, const char *key, json_t *tag,
                      struct fx_effect *effect, struct fx_err *err) {
    const struct fx_text old = fx_tree_view_string(view_annotations(*pair->target), key);
    json_t *value = NULL;
    bool ok = make_value(pair, tag, old, &value, err);
    if (ok && value != NULL && !fx_text_equal(old, fx_tree_text(value))) {
        effect->changed = true;
        ok = fx_toy_set_tag(pair->target, key, value) || fx_fail_nomem(err);
    }
    json_decref(value);
    return ok;
}

static bool apply_tags(const struct fx_mutator *self, const struct fx_request *request,
                       json_t *trigger, json_t **target, struct fx_effect *ret_effect,
                       struct fx_err *err) {
    const struct pair pair = {request, trigger, target};
    json_t *tags = fx_toy_rule_tags(self);
    const char *key = NULL;
    json_t *tag = NULL;
    *ret_effect = (struct fx_effect){.applied = true};
    json_object_foreach (tags, key, tag) {
        if (!apply_tag(&pair, key, tag, ret_effect, err)) {
            return false;
        }
    }
    return true;
}

void fx_toy_declare_kind(const struct fx_mutator *self, struct fx_access *access) {
    (void)self;
    fx_access_read(access);
    fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("kind")});
}

const struct fx_existing_ops fx_toy_existing = {
    .select = select_targets,
    .apply = apply_tags,
    .triggers = select_triggers,
};
