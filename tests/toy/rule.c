/* SPDX-License-Identifier: Apache-2.0
 *
 * toy/rule.c - the rule that a binding makes from its policy.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "engine/access.h"
#include "engine/input.h"
#include "engine/request.h"
#include "engine/schemas.h"
#include "toy/toy.h"
#include "value/tree.h"

struct rule {
    struct fx_mutator head;
    struct fx_unit *policy, *binding; /* counted */
    json_t *tags;              /* counted; as in struct toy_policy, without fromParam */
    struct fx_binding *wanted; /* one for each kind */
    struct fx_text *namespaces;
    struct fx_input inputs[3]; /* one for each type of input that the rule has */
};

const struct toy_policy *fx_toy_rule_policy(const struct fx_mutator *self) {
    const struct rule *rule = (const struct rule *)self; /* its first member */
    return (const struct toy_policy *)rule->policy->linkable;
}

json_t *fx_toy_rule_tags(const struct fx_mutator *self) {
    return ((const struct rule *)self)->tags;
}

static const struct toy_binding *binding_of(const struct fx_mutator *self) {
    const struct rule *rule = (const struct rule *)self;
    return (const struct toy_binding *)rule->binding->linkable;
}

/* ---- matching --------------------------------------------------------------------- */

static bool is_in(const json_t *list, struct fx_text text) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        (void)fx_spend(1);
        if (fx_text_equal(fx_tree_text(json_array_get(list, i)), text)) {
            return true;
        }
    }
    return false;
}

/* Makes the review that asks the API server for a permission: the user of the request,
 * the user's groups, and the access that the policy requires. NULL if out of memory. */
static json_t *make_review(const struct toy_policy *policy,
                           const struct fx_request *request,
                           const struct fx_subject *subject) {
    const struct fx_text namespace_ = fx_subject_object_namespace(subject, request);
    json_t *attributes = json_object();
    json_t *review = json_object();
    const json_t *user = request->user_info;
    const bool ok =
        attributes != NULL && review != NULL &&
        fx_tree_set_take(attributes, FX_TEXT("verb"), fx_tree_new_string(policy->verb)) &&
        fx_tree_set_take(attributes, FX_TEXT("resource"),
                         fx_tree_new_string(policy->resource)) &&
        fx_tree_set_take(attributes, FX_TEXT("namespace"),
                         fx_tree_new_string(namespace_)) &&
        fx_tree_set_take(review, FX_TEXT("resourceAttributes"),
                         json_incref(attributes)) &&
        fx_tree_set_take(review, FX_TEXT("user"),
                         fx_tree_new_string(fx_tree_view_string(user, "username"))) &&
        (fx_tree_view_key(user, "groups") == NULL ||
         json_object_set(review, "groups", fx_tree_view_key(user, "groups")) == 0);
    json_decref(attributes);
    if (!ok) {
        json_decref(review);
    }
    return ok ? review : NULL;
}

/* Finds out whether the user may do what the policy requires. */
static bool is_allowed(const struct toy_policy *policy, const struct fx_request *request,
                       const struct fx_subject *subject, bool *ret_allowed,
                       struct fx_err *err) {
    *ret_allowed = true;
    if (policy->verb.len == 0) {
        return true;
    }
    struct fx_input_key key = {.type = FX_INPUT_ACCESS,
                               .spec = make_review(policy, request, subject)};
    json_t *status = NULL;
    const bool ok = key.spec == NULL
                        ? fx_fail_nomem(err)
                        : fx_inputs_read(request->inputs, &key, &status, err);
    json_decref(key.spec);
    *ret_allowed = json_is_true(fx_tree_view_key(status, "allowed"));
    return ok;
}

static bool match(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                  struct fx_err *err) {
    const json_t *namespaces = binding_of(self)->namespaces;
    const struct fx_text namespace_ = fx_subject_namespace(subject, request);
    const bool has_kind = is_in(fx_toy_rule_policy(self)->kinds, subject->kind);
    if (!has_kind || (namespaces != NULL && !is_in(namespaces, namespace_))) {
        ret_verdict->matched = false;
        ret_verdict->criterion = has_kind ? "binding.namespaces" : "match.kinds";
        return true;
    }
    const bool ok = is_allowed(fx_toy_rule_policy(self), request, subject,
                               &ret_verdict->matched, err);
    ret_verdict->criterion = ret_verdict->matched ? NULL : "requires";
    return ok;
}

/* ---- the effect ------------------------------------------------------------------- */

static const json_t *view_annotations(const json_t *root) {
    return fx_tree_view_key(fx_tree_view_key(root, "metadata"), "annotations");
}

/* Returns the Namespace of the object; NULL if there is none, or if it is not known. */
static const json_t *find_namespace(const struct fx_request *request,
                                    const json_t *root) {
    struct fx_subject subject;
    struct fx_input_key key;
    fx_subject_read(root, &subject);
    const struct fx_input_entry *entry = fx_input_namespace_key(request, &subject, &key)
                                             ? fx_inputs_find(request->inputs, &key)
                                             : NULL;
    return entry == NULL ? NULL : entry->value;
}

/* Returns the annotation that names the ConfigMap of a tag; NULL if the tag has none. */
static const char *annotation_of(const json_t *tag) {
    return json_string_value(
        fx_tree_view_key(fx_tree_view_key(tag, "fromConfigMap"), "annotation"));
}

/* Reads the ConfigMap that the object names; NULL if it names none, or if there is
 * none. */
static bool read_config_map(const struct fx_request *request, const json_t *root,
                            const char *annotation, json_t **ret_config_map,
                            struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    struct fx_input_key key = fx_input_core_key(
        "ConfigMap", fx_tree_view_string(view_annotations(root), annotation));
    key.namespace_ = fx_subject_object_namespace(&subject, request);
    *ret_config_map = NULL;
    return key.name.len == 0 || key.namespace_.len == 0 ||
           fx_inputs_read(request->inputs, &key, ret_config_map, err);
}

/* Finds the value of a tag for objects whose kind is known to have a field. */
static bool read_schema(const struct fx_request *request, const json_t *root,
                        const json_t *source, json_t **ret_value, struct fx_err *err) {
    struct fx_schema schema;
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    *ret_value = NULL;
    if (!fx_schemas_find(request, subject.group, subject.version, subject.kind, &schema,
                         err)) {
        return false;
    }
    const struct fx_text field = fx_tree_view_string(source, "field");
    if (schema.set != NULL && fx_schema_field(schema, field).set != NULL) {
        *ret_value = fx_tree_view_key(source, "value");
    }
    return true;
}

bool fx_toy_find_value(const struct fx_request *request, const json_t *root, json_t *tag,
                       json_t **ret_value, struct fx_err *err) {
    const json_t *key = fx_tree_view_key(tag, "fromNamespace");
    json_t *config_map = NULL;
    *ret_value = tag;
    if (key != NULL) {
        *ret_value = fx_tree_view_key(view_annotations(find_namespace(request, root)),
                                      json_string_value(key));
    } else if (annotation_of(tag) != NULL) {
        if (!read_config_map(request, root, annotation_of(tag), &config_map, err)) {
            return false;
        }
        key = fx_tree_view_key(fx_tree_view_key(tag, "fromConfigMap"), "key");
        *ret_value = fx_tree_view_key(fx_tree_view_key(config_map, "data"),
                                      json_string_value(key));
    } else if (fx_tree_view_key(tag, "fromSchema") != NULL &&
               !read_schema(request, root, fx_tree_view_key(tag, "fromSchema"), ret_value,
                            err)) {
        return false;
    }
    *ret_value = json_is_string(*ret_value) ? *ret_value : NULL;
    return true;
}

/* Finds the value that the object should have but does not have; NULL if the object has
 * it, or if there is none. */
static bool find_missing(const struct fx_request *request, const json_t *root,
                         const char *key, json_t *tag, json_t **ret_value,
                         struct fx_err *err) {
    (void)fx_spend(1);
    const bool ok = fx_toy_find_value(request, root, tag, ret_value, err);
    if (ok && *ret_value != NULL &&
        fx_text_equal(fx_tree_view_string(view_annotations(root), key),
                      fx_tree_text(*ret_value))) {
        *ret_value = NULL;
    }
    return ok;
}

/* Returns the annotations of the object, writable; NULL if out of memory. */
static json_t *own_annotations(json_t **root) {
    json_t *object = fx_tree_own_root(root);
    json_t *metadata =
        object == NULL ? NULL : fx_tree_own_key(object, FX_TEXT("metadata"));
    if (metadata != NULL && fx_tree_view_key(metadata, "annotations") == NULL &&
        !fx_tree_set_take(metadata, FX_TEXT("annotations"), json_object())) {
        return NULL;
    }
    return metadata == NULL ? NULL : fx_tree_own_key(metadata, FX_TEXT("annotations"));
}

bool fx_toy_set_tag(json_t **root, const char *key, json_t *value) {
    json_t *annotations = own_annotations(root);
    return annotations != NULL &&
           fx_tree_set_take(annotations, fx_text_of(key), json_incref(value));
}

static bool apply(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    const struct rule *rule = (const struct rule *)self;
    const char *key = NULL;
    json_t *tag = NULL;
    json_t *value = NULL;
    *ret_effect = (struct fx_effect){.applied = true};
    json_object_foreach (rule->tags, key, tag) {
        if (!find_missing(request, *root, key, tag, &value, err)) {
            return false;
        }
        if (value != NULL) {
            ret_effect->changed = true;
            if (!fx_toy_set_tag(root, key, value)) {
                return fx_fail_nomem(err);
            }
        }
    }
    return true;
}

static bool apply_nothing(const struct fx_mutator *self, const struct fx_request *request,
                          json_t **root, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    (void)self;
    (void)request;
    (void)root;
    (void)err;
    *ret_effect = (struct fx_effect){.applied = false};
    return true;
}

/* Denies with "TagPolicy owner:here wants owner=ann, team=shop". */
static bool validate(const struct fx_mutator *self, const struct fx_request *request,
                     json_t *root, struct fx_buf *entry, struct fx_err *note,
                     struct fx_err *err) {
    (void)note;
    const struct rule *rule = (const struct rule *)self;
    const char *key = NULL;
    json_t *tag = NULL;
    json_t *value = NULL;
    json_object_foreach (rule->tags, key, tag) {
        if (!find_missing(request, root, key, tag, &value, err)) {
            return false;
        }
        if (value != NULL) {
            if (entry->len == 0) {
                fx_buf_printf(entry, "TagPolicy %s wants ", self->full_name);
            } else {
                fx_buf_str(entry, ", ");
            }
            fx_buf_printf(entry, "%s=%s", key, json_string_value(value));
        }
    }
    return true;
}

/* Declares the annotations: each tag is one, and so is the name of a ConfigMap. */
static void declare_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct rule *rule = (const struct rule *)self;
    const char *key = NULL;
    json_t *tag = NULL;
    json_object_foreach (rule->tags, key, tag) {
        fx_access_write(access, FX_ACCESS_UNTYPED, false);
        fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("metadata")});
        fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("annotations")});
        fx_access_step(access, (struct fx_path_step){.name = fx_text_of(key)});
        if (annotation_of(tag) != NULL) {
            fx_access_read(access);
            fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("metadata")});
            fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("annotations")});
            fx_access_step(access,
                           (struct fx_path_step){.name = fx_text_of(annotation_of(tag))});
        }
    }
}

/* Makes an object on which the rule acts. */
static json_t *example(const struct fx_mutator *self, struct fx_err *err) {
    const json_t *namespaces = binding_of(self)->namespaces;
    json_t *metadata = json_pack("{s:s, s:O*}", "name", "example", "namespace",
                                 json_array_get(namespaces, 0));
    json_t *object = json_pack("{s:s, s:O, s:o}", "apiVersion", "v1", "kind",
                               json_array_get(fx_toy_rule_policy(self)->kinds, 0),
                               "metadata", metadata);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
    }
    return object;
}

/* ---- explanations ----------------------------------------------------------------- */

static void add_list(struct fx_buf *buf, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        fx_buf_text(buf, fx_tree_text(json_array_get(list, i)));
    }
}

enum toy_criterion { KINDS, NAMESPACES, REQUIRES }; /* in the order of evaluation */

static enum toy_criterion criterion_of(const char *text) {
    return strcmp(text, "match.kinds") == 0 ? KINDS
           : strcmp(text, "requires") == 0  ? REQUIRES
                                            : NAMESPACES;
}

static void explain(const struct fx_mutator *self, const char *text,
                    struct fx_criterion *ret_criterion) {
    const struct toy_policy *policy = fx_toy_rule_policy(self);
    const enum toy_criterion criterion = criterion_of(text);
    fx_buf_str(&ret_criterion->field, text);
    ret_criterion->rank = 1 + (unsigned)(REQUIRES - criterion);
    ret_criterion->asks_namespace = criterion == NAMESPACES;
    switch (criterion) {
    case KINDS: add_list(&ret_criterion->wanted, policy->kinds); break;
    case NAMESPACES:
        add_list(&ret_criterion->wanted, binding_of(self)->namespaces);
        break;
    case REQUIRES:
        fx_buf_printf(&ret_criterion->wanted, "a user who may %.*s %.*s",
                      FX_TEXT_ARG(policy->verb), FX_TEXT_ARG(policy->resource));
        break;
    }
}

static void found(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, const char *text,
                  struct fx_buf *buf) {
    (void)self;
    switch (criterion_of(text)) {
    case KINDS: fx_buf_text(buf, subject->kind); break;
    case NAMESPACES: fx_buf_text(buf, fx_subject_namespace(subject, request)); break;
    case REQUIRES:
        fx_buf_text(buf, fx_tree_view_string(request->user_info, "username"));
        break;
    }
}

/* ---- creation --------------------------------------------------------------------- */

static void destroy(struct fx_mutator *self) {
    struct rule *rule = (struct rule *)self; /* its first member */
    fx_mutator_finish(self);
    fx_unit_unref(rule->policy);
    fx_unit_unref(rule->binding);
    json_decref(rule->tags);
    free(rule->wanted);
    free(rule->namespaces);
    free(rule);
}

static const struct fx_mutator_ops writer = {.match = match,
                                             .apply = apply,
                                             .access = declare_access,
                                             .example = example,
                                             .explain = explain,
                                             .found = found,
                                             .destroy = destroy};
static const struct fx_mutator_ops validator = {.match = match,
                                                .apply = apply_nothing,
                                                .validate = validate,
                                                .explain = explain,
                                                .found = found,
                                                .destroy = destroy};

static const struct fx_mutator_ops trigger = {.match = match,
                                              .apply = apply_nothing,
                                              .access = fx_toy_declare_kind,
                                              .existing = &fx_toy_existing,
                                              .explain = explain,
                                              .found = found,
                                              .destroy = destroy};

static const struct fx_mutator_ops *ops_for(enum fx_action action) {
    return action == FX_ACTION_MUTATE     ? &writer
           : action == FX_ACTION_EXISTING ? &trigger
                                          : &validator;
}

/* Sets the inputs. The Namespace is known before the rule is evaluated. The other inputs
 * have no `key`: the rule asks for them while it is evaluated. */
static void set_inputs(struct rule *rule) {
    const struct toy_policy *policy = fx_toy_rule_policy(&rule->head);
    size_t n = 0;
    if (policy->wants_namespace) {
        rule->inputs[n++] = (struct fx_input){.type = FX_INPUT_OBJECT,
                                              .phase = FX_INPUT_BEFORE,
                                              .key = fx_input_namespace_key};
    }
    if (policy->wants_config_map) {
        rule->inputs[n++] =
            (struct fx_input){.type = FX_INPUT_OBJECT, .phase = FX_INPUT_BEFORE};
    }
    if (policy->verb.len > 0) {
        rule->inputs[n++] =
            (struct fx_input){.type = FX_INPUT_ACCESS, .phase = FX_INPUT_BEFORE};
    }
    rule->head.inputs = rule->inputs;
    rule->head.n_inputs = n;
}

/* A deletion may trigger changes of other objects. */
static unsigned operations_of(const struct rule *rule) {
    const unsigned writes =
        FX_OPERATION_BIT(FX_OPERATION_CREATE) | FX_OPERATION_BIT(FX_OPERATION_UPDATE);
    return fx_toy_rule_policy(&rule->head)->action == FX_ACTION_EXISTING
               ? writes | FX_OPERATION_BIT(FX_OPERATION_DELETE)
               : writes;
}

/* Sets the kinds and the namespaces for the index. */
static bool set_wanted(struct rule *rule) {
    const json_t *kinds = fx_toy_rule_policy(&rule->head)->kinds;
    const json_t *namespaces = binding_of(&rule->head)->namespaces;
    rule->wanted = calloc(json_array_size(kinds), sizeof *rule->wanted);
    rule->namespaces = calloc(json_array_size(namespaces) + 1, sizeof *rule->namespaces);
    if (rule->wanted == NULL || rule->namespaces == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        rule->wanted[i] =
            (struct fx_binding){.kind = fx_tree_text(json_array_get(kinds, i)),
                                .operations = operations_of(rule),
                                .no_operation = true,
                                .any_group = true,
                                .any_version = true};
    }
    for (size_t i = 0; i < json_array_size(namespaces); i++) {
        rule->namespaces[i] = fx_tree_text(json_array_get(namespaces, i));
    }
    rule->head.bindings = rule->wanted;
    rule->head.n_bindings = json_array_size(kinds);
    rule->head.namespaces = rule->namespaces;
    rule->head.n_namespaces = json_array_size(namespaces);
    return true;
}

struct fx_mutator *fx_toy_rule_create_take(struct fx_unit *policy,
                                           struct fx_unit *binding, uint32_t position,
                                           json_t *tags) {
    struct rule *rule = calloc(1, sizeof *rule);
    if (rule == NULL) {
        json_decref(tags);
        return NULL;
    }
    rule->policy = fx_unit_ref(policy);
    rule->binding = fx_unit_ref(binding);
    rule->tags = tags;
    const struct toy_policy *linkable = (const struct toy_policy *)policy->linkable;
    if (!fx_mutator_init(&rule->head, ops_for(linkable->action), FX_TEXT(TOY_GROUP),
                         FX_TEXT("TagPolicy"), fx_text_of(policy->name), NULL) ||
        !fx_mutator_set_rule(&rule->head, fx_text_of(binding->name), position) ||
        !set_wanted(rule)) {
        destroy(&rule->head);
        return NULL;
    }
    rule->head.rank = TOY_RANK;
    rule->head.run.once = linkable->once;
    rule->head.run.action = linkable->action;
    rule->head.run.on_own_requests = linkable->on_own_requests;
    rule->head.run.on_policy_change = linkable->on_policy_change;
    rule->head.run.by_apply = linkable->by_apply;
    set_inputs(rule);
    return &rule->head;
}
