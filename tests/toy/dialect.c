/* SPDX-License-Identifier: Apache-2.0
 *
 * toy/dialect.c - compiles documents of the toy dialect into units.
 */
#include <stdlib.h>
#include <string.h>

#include "toy/toy.h"
#include "value/tree.h"

static const char *const versions[] = {"v1", NULL};

const struct fx_kind fx_toy_kinds[] = {
    [TOY_POLICY] = {.group = TOY_GROUP,
                    .kind = "TagPolicy",
                    .resource = "tagpolicies",
                    .versions = versions,
                    .role = FX_ROLE_POLICY,
                    .status = FX_KIND_STATUS_BY_POD},
    [TOY_BINDING] = {.group = TOY_GROUP,
                     .kind = "TagBinding",
                     .resource = "tagbindings",
                     .versions = versions,
                     .role = FX_ROLE_BINDING},
    [TOY_END] = {.kind = NULL},
};

/* ---- reading ---------------------------------------------------------------------- */

static bool fail_type(const json_t *node, const char *field, const char *wanted,
                      struct fx_err *err) {
    return fx_fail_in(err, node, FX_EINVALID, "`spec.%s` must be %s", field, wanted);
}

/* Reads object[key]: a string, or missing. `field` is its name in messages. */
static bool read_string(const json_t *object, const char *key, const char *field,
                        struct fx_text *ret_text, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(object, key);
    *ret_text = fx_tree_text(node);
    return node == NULL || json_is_string(node) ||
           fail_type(node, field, "a string", err);
}

/* Reads object[key]: a list of strings, or missing. */
static bool read_strings(const json_t *object, const char *key, const char *field,
                         const json_t **ret_list, struct fx_err *err) {
    const json_t *list = fx_tree_view_key(object, key);
    *ret_list = list;
    bool ok = list == NULL || json_is_array(list);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = json_is_string(json_array_get(list, i));
    }
    return ok || fail_type(list, field, "a list of strings", err);
}

/* Reads spec[key] as the index of one of the words, a list that NULL ends. The first word
 * is the default. */
static bool read_word(const json_t *spec, const char *key, const char *const *words,
                      unsigned *ret_index, struct fx_err *err) {
    struct fx_text text = {0};
    *ret_index = 0;
    if (!read_string(spec, key, key, &text, err)) {
        return false;
    }
    for (unsigned i = 0; text.data != NULL && words[i] != NULL; i++) {
        if (fx_text_is(text, words[i])) {
            *ret_index = i;
            return true;
        }
    }
    return text.data == NULL ||
           fx_fail_in(err, fx_tree_view_key(spec, key), FX_EINVALID,
                      "`spec.%s`: unknown word; the default is %s", key, words[0]);
}

/* ---- TagPolicy -------------------------------------------------------------------- */

static void destroy_policy(struct fx_linkable *self) {
    struct toy_policy *policy = (struct toy_policy *)self; /* its first member */
    json_decref(policy->spec);
    free(policy);
}

static bool read_param_kind(struct toy_policy *policy, struct fx_err *err) {
    const json_t *kind = fx_tree_view_key(policy->spec, "paramKind");
    struct fx_text version = {0};
    if (kind == NULL) {
        return true;
    }
    if (!read_string(kind, "apiVersion", "paramKind.apiVersion", &version, err) ||
        !read_string(kind, "kind", "paramKind.kind", &policy->param_kind.kind, err)) {
        return false;
    }
    const char *slash = version.len == 0 ? NULL : memchr(version.data, '/', version.len);
    if (slash != NULL) {
        const size_t group_len = (size_t)(slash - version.data);
        policy->param_kind.group = (struct fx_text){version.data, group_len};
        version = (struct fx_text){slash + 1, version.len - group_len - 1};
    }
    policy->param_kind.version = version;
    policy->has_params = true;
    return (version.len > 0 && policy->param_kind.kind.len > 0) ||
           fail_type(kind, "paramKind", "a kind with its apiVersion", err);
}

/* True for a text, a path in the parameter, an annotation of the Namespace, a key of a
 * ConfigMap, and a field of the schema. */
static bool is_tag(struct toy_policy *policy, const json_t *value) {
    const json_t *source = fx_tree_view_key(value, "fromConfigMap");
    const bool is_of_namespace = json_is_string(fx_tree_view_key(value, "fromNamespace"));
    const bool is_of_config_map =
        json_is_string(fx_tree_view_key(source, "annotation")) &&
        json_is_string(fx_tree_view_key(source, "key"));
    const json_t *schema = fx_tree_view_key(value, "fromSchema");
    const bool is_of_schema = json_is_string(fx_tree_view_key(schema, "field")) &&
                              json_is_string(fx_tree_view_key(schema, "value"));
    policy->wants_namespace = policy->wants_namespace || is_of_namespace;
    policy->wants_config_map = policy->wants_config_map || is_of_config_map;
    const bool is_of_existing = policy->action == FX_ACTION_EXISTING &&
                                (json_is_string(fx_tree_view_key(value, "fromTrigger")) ||
                                 json_is_string(fx_tree_view_key(value, "grows")));
    return is_of_existing || json_is_string(value) || is_of_namespace ||
           is_of_config_map || is_of_schema ||
           (policy->has_params && json_is_string(fx_tree_view_key(value, "fromParam")));
}

static bool check_tags(struct toy_policy *policy, struct fx_err *err) {
    json_t *tags = fx_tree_view_key(policy->spec, "tags");
    const char *key = NULL;
    json_t *value = NULL;
    if (json_object_size(tags) == 0) {
        return fail_type(tags != NULL ? tags : policy->spec, "tags", "a set of tags",
                         err);
    }
    json_object_foreach (tags, key, value) {
        if (!is_tag(policy, value)) {
            return fail_type(value, "tags",
                             policy->has_params
                                 ? "texts, fromParam, fromNamespace or fromConfigMap"
                                 : "texts, fromNamespace or fromConfigMap: there is no "
                                   "paramKind",
                             err);
        }
    }
    return true;
}

static bool read_requires(struct toy_policy *policy, struct fx_err *err) {
    const json_t *
        requires
    = fx_tree_view_key(policy->spec, "requires");
    return
        requires ==
    NULL ||
        (read_string(requires, "verb", "requires.verb", &policy->verb, err) &&
         read_string(requires, "resource", "requires.resource", &policy->resource, err) &&
         ((policy->verb.len > 0 && policy->resource.len > 0) ||
          fail_type(requires, "requires", "a verb and a resource", err)));
}

static bool is_set(const json_t *spec, const char *key) {
    return json_is_true(fx_tree_view_key(spec, key));
}

/* Reads what only a rule for existing objects has. */
static bool read_targets(struct toy_policy *policy, struct fx_err *err) {
    const json_t *targets = fx_tree_view_key(policy->spec, "targets");
    policy->targets = targets;
    policy->on_own_requests = is_set(policy->spec, "ownRequests");
    policy->on_policy_change = is_set(policy->spec, "onPolicyChange");
    policy->by_apply = is_set(policy->spec, "serverSideApply");
    if (policy->action != FX_ACTION_EXISTING) {
        return targets == NULL ||
               fail_type(targets, "targets", "left out without `action: existing`", err);
    }
    return json_array_size(targets) > 0 ||
           fail_type(targets != NULL ? targets : policy->spec, "targets",
                     "a list of objects", err);
}

static bool read_policy(struct toy_policy *policy, struct fx_err *err) {
    static const char *const action_words[] = {"mutate", "deny",     "warn",
                                               "audit",  "existing", NULL};
    static const enum fx_action actions[] = {FX_ACTION_MUTATE, FX_ACTION_DENY,
                                             FX_ACTION_WARN, FX_ACTION_AUDIT,
                                             FX_ACTION_EXISTING};
    static const char *const reinvoke_words[] = {"IfNeeded", "Never", NULL};
    unsigned action = 0;
    unsigned reinvoke = 0;
    const json_t *match = fx_tree_view_key(policy->spec, "match");
    policy->tags = fx_tree_view_key(policy->spec, "tags");
    if (!read_word(policy->spec, "action", action_words, &action, err) ||
        !read_word(policy->spec, "reinvoke", reinvoke_words, &reinvoke, err)) {
        return false;
    }
    policy->action = actions[action];
    policy->once = reinvoke == 1;
    return read_targets(policy, err) && read_param_kind(policy, err) &&
           read_requires(policy, err) &&
           read_strings(match, "kinds", "match.kinds", &policy->kinds, err) &&
           (json_array_size(policy->kinds) > 0 ||
            fail_type(match != NULL ? match : policy->spec, "match.kinds",
                      "a list of kinds", err)) &&
           check_tags(policy, err);
}

static bool compile_policy(json_t *spec, struct fx_linkable **ret_linkable,
                           struct fx_err *err) {
    struct toy_policy *policy = calloc(1, sizeof *policy);
    if (policy == NULL) {
        return fx_fail_nomem(err);
    }
    policy->head.destroy = destroy_policy;
    policy->spec = json_incref(spec);
    *ret_linkable = &policy->head;
    return read_policy(policy, err);
}

/* ---- TagBinding ------------------------------------------------------------------- */

static void destroy_binding(struct fx_linkable *self) {
    struct toy_binding *binding = (struct toy_binding *)self; /* its first member */
    json_decref(binding->spec);
    free(binding);
}

static bool read_binding(struct toy_binding *binding, struct fx_err *err) {
    const json_t *ref = fx_tree_view_key(binding->spec, "paramRef");
    return read_string(binding->spec, "policyName", "policyName", &binding->head.target,
                       err) &&
           (binding->head.target.len > 0 ||
            fail_type(binding->spec, "policyName", "the name of a TagPolicy", err)) &&
           read_string(ref, "name", "paramRef.name", &binding->param_name, err) &&
           read_string(ref, "namespace", "paramRef.namespace", &binding->param_namespace,
                       err) &&
           read_strings(binding->spec, "namespaces", "namespaces", &binding->namespaces,
                        err);
}

static bool compile_binding(json_t *spec, struct fx_linkable **ret_linkable,
                            struct fx_err *err) {
    struct toy_binding *binding = calloc(1, sizeof *binding);
    if (binding == NULL) {
        return fx_fail_nomem(err);
    }
    binding->head.destroy = destroy_binding;
    binding->spec = json_incref(spec);
    *ret_linkable = &binding->head;
    return read_binding(binding, err);
}

/* ---- both kinds ------------------------------------------------------------------- */

static bool is_known(const char *key, const char *const *fields) {
    for (; *fields != NULL; fields++) {
        if (strcmp(key, *fields) == 0) {
            return true;
        }
    }
    return false;
}

static bool warn_of_unknown(json_t *spec, const char *const *fields,
                            struct fx_compilation *made) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (spec, key, value) {
        if (!is_known(key, fields) &&
            !fx_compilation_warn(made, value, "unknown field \"spec.%s\"", key)) {
            return false;
        }
    }
    return true;
}

static bool compile(json_t *document, struct fx_compilation *ret_compilation,
                    struct fx_err *err) {
    static const char *const policy_fields[] = {
        "paramKind",      "match",           "tags",    "requires",
        "action",         "reinvoke",        "targets", "ownRequests",
        "onPolicyChange", "serverSideApply", NULL};
    static const char *const binding_fields[] = {"policyName", "paramRef", "namespaces",
                                                 NULL};
    json_t *spec = fx_tree_view_key(document, "spec");
    const bool is_policy = fx_text_is(fx_tree_view_string(document, "kind"), "TagPolicy");
    if (!json_is_object(spec)) {
        return fx_fail_in(err, spec != NULL ? spec : document, FX_EINVALID,
                          "`spec` must be an object");
    }
    return (warn_of_unknown(spec, is_policy ? policy_fields : binding_fields,
                            ret_compilation) ||
            fx_fail_nomem(err)) &&
           (is_policy ? compile_policy(spec, &ret_compilation->linkable, err)
                      : compile_binding(spec, &ret_compilation->linkable, err));
}

const struct fx_dialect fx_dialect_toy = {
    .name = "toy",
    .rank = TOY_RANK,
    .kinds = fx_toy_kinds,
    .compile = compile,
    .link = fx_toy_link,
};
