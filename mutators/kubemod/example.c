/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/example.c - makes an object that has the path of each select, with
 * values for which the tests hold. Selects that are not plain paths are ignored: callers
 * must try whether the rule acts.
 */
#include "mutators/kubemod/modrule.h"

#include <string.h>

#include "mutators/kubemod/synthetic_refs.h"
#include "value/json.h"
#include "value/tree.h"

#define EXAMPLE FX_TEXT("example")

struct rule_example {
    const struct modrule *rule;
    json_t *root; /* not shared */
    bool is_out_of_memory;
};

/* Records whether an allocation failed, and returns the node. */
static json_t *made(struct rule_example *example, json_t *node) {
    example->is_out_of_memory = example->is_out_of_memory || node == NULL;
    return node;
}

static bool done(struct rule_example *example, bool ok) {
    example->is_out_of_memory = example->is_out_of_memory || !ok;
    return ok;
}

/* ---- the object ------------------------------------------------------------------ */

/* Kinds for which rules are often written, and their apiVersion. All others have v1. */
static const struct {
    const char *kind, *api_version;
} known_kinds[] = {
    {"Deployment", "apps/v1"},
    {"StatefulSet", "apps/v1"},
    {"DaemonSet", "apps/v1"},
    {"ReplicaSet", "apps/v1"},
    {"Job", "batch/v1"},
    {"CronJob", "batch/v1"},
    {"Ingress", "networking.k8s.io/v1"},
    {"NetworkPolicy", "networking.k8s.io/v1"},
    {"HorizontalPodAutoscaler", "autoscaling/v2"},
    {"PodDisruptionBudget", "policy/v1"},
    {"Role", "rbac.authorization.k8s.io/v1"},
    {"RoleBinding", "rbac.authorization.k8s.io/v1"},
    {"ClusterRole", "rbac.authorization.k8s.io/v1"},
    {"ClusterRoleBinding", "rbac.authorization.k8s.io/v1"},
};

static const char *api_version_of(struct fx_text kind) {
    for (size_t i = 0; i < FX_COUNT(known_kinds); i++) {
        if (fx_text_is(kind, known_kinds[i].kind)) {
            return known_kinds[i].api_version;
        }
    }
    return "v1";
}

/* ---- values ---------------------------------------------------------------------- */

/* True if the expression matches the text. Also false if matching fails. */
static bool matches(const struct fx_regex *regex, struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    bool found = false;
    return fx_regex_match(regex, text, &found, &err) && found;
}

/* Returns the pattern without its special characters, if the pattern matches this text;
 * otherwise NULL. */
static json_t *plain_text(struct rule_example *example, const struct fx_regex *regex,
                          const json_t *pattern) {
    static const char marks[] = "^$\\*?+()";
    struct fx_text rest = fx_tree_text(pattern);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (; rest.len > 0; rest = (struct fx_text){rest.data + 1, rest.len - 1}) {
        if (memchr(marks, rest.data[0], sizeof marks - 1) == NULL) {
            fx_buf_char(&text, rest.data[0]);
        }
    }
    const struct fx_text plain = {text.data, text.len};
    const bool fits = done(example, !text.failed) && plain.len > 0 &&
                      fx_text_is_utf8(plain) && matches(regex, plain);
    json_t *node = fits ? made(example, fx_tree_new_string(plain)) : NULL;
    fx_buf_finish(&text);
    return node;
}

/* Returns the namespace of the object: that of the rule, or one for which the rule is.
 * Returns NULL if the object has none. *ret_found is false if none can be derived. */
static json_t *make_namespace(struct rule_example *example, bool *ret_found) {
    const struct modrule *rule = example->rule;
    *ret_found = true;
    if (!rule->is_cluster) {
        return made(example, json_string(rule->head.namespace_));
    }
    if (rule->target == NULL) {
        return NULL;
    }
    if (matches(rule->target, FX_TEXT("default"))) {
        return made(example, json_string("default"));
    }
    json_t *name = plain_text(example, rule->target, rule->target_pattern);
    *ret_found = name != NULL;
    return name;
}

static bool begins_like_number(struct fx_text text) {
    return text.len > 0 &&
           (text.data[0] == '-' || (text.data[0] >= '0' && text.data[0] <= '9'));
}

/* Returns the node for a text. Labels and annotations are strings. Elsewhere a text that
 * can be read as a number or a boolean becomes one. */
static json_t *value_of_text(struct rule_example *example, struct fx_text text,
                             bool is_metadata) {
    const bool is_true = fx_text_is(text, "true");
    if (!is_metadata && (is_true || fx_text_is(text, "false"))) {
        return json_boolean(is_true);
    }
    if (!is_metadata && begins_like_number(text)) {
        struct fx_err err = FX_ERR_INIT;
        json_t *number = fx_json_read(text, NULL, &err);
        if (number != NULL || err.code == FX_ENOMEM) {
            return made(example, number);
        }
    }
    return made(example, fx_tree_new_string(text));
}

/* Returns a value for which the item's test holds. NULL if none can be derived. */
static json_t *make_value(struct rule_example *example, const struct match_item *item,
                          bool is_metadata) {
    if (item->value != NULL || item->values != NULL) {
        const json_t *text =
            item->value != NULL ? item->value : json_array_get(item->values, 0);
        return value_of_text(example, fx_tree_text(text), is_metadata);
    }
    if (item->regex == NULL || matches(item->regex, EXAMPLE)) {
        return made(example, fx_tree_new_string(EXAMPLE));
    }
    return plain_text(example, item->regex, item->pattern);
}

/* ---- along a path ---------------------------------------------------------------- */

static bool is_containers(struct fx_text name) {
    return fx_text_is(name, "containers") || fx_text_is(name, "initContainers");
}

/* Returns the node after a step, and makes it if there is none. NULL if a node has
 * another type, or if out of memory. */
static json_t *step_into(struct rule_example *example, json_t *at, struct fx_text name,
                         bool to_list) {
    const bool in_list = name.data == NULL;
    json_t *next = in_list ? json_array_get(at, 0) : fx_tree_view_text(at, name);
    if (next != NULL || !(in_list ? json_is_array(at) : json_is_object(at))) {
        return next;
    }
    next = to_list ? json_array() : json_object();
    const bool ok =
        in_list ? fx_tree_append_take(at, next) : fx_tree_set_take(at, name, next);
    return done(example, ok) ? next : NULL;
}

/* Adds a name and an image to a container of Pods. */
static void complete_container(struct rule_example *example, json_t *container) {
    if (json_is_object(container) && json_object_size(container) == 0) {
        (void)(done(example, fx_tree_set_take(container, FX_TEXT("name"),
                                              json_string("example"))) &&
               done(example, fx_tree_set_take(container, FX_TEXT("image"),
                                              json_string("nginx:1.25"))));
    }
}

/* Returns the node before the last step. NULL if a node has another type, or if out of
 * memory. */
static json_t *approach(struct rule_example *example, const struct fx_text *names,
                        size_t n_names) {
    json_t *at = example->root;
    for (size_t i = 0; at != NULL && i + 1 < n_names; i++) {
        at = step_into(example, at, names[i], names[i + 1].data == NULL);
        if (at != NULL && i > 0 && names[i].data == NULL && is_containers(names[i - 1])) {
            complete_container(example, at);
        }
    }
    return at;
}

/* Writes the value (consumed) at the end of the path. Keeps an existing element of a
 * list, and with `keeps` any existing value. */
static void put_take(struct rule_example *example, const struct fx_text *names,
                     size_t n_names, json_t *value, bool keeps) {
    json_t *at = approach(example, names, n_names);
    const struct fx_text last = names[n_names - 1];
    if (last.data == NULL) {
        if (json_is_array(at) && json_array_size(at) == 0) {
            (void)done(example, fx_tree_append_take(at, json_incref(value)));
        }
    } else if (json_is_object(at) && !(keeps && fx_tree_view_text(at, last) != NULL)) {
        (void)done(example, fx_tree_set_take(at, last, json_incref(value)));
    }
    json_decref(value);
}

/* Makes sure that the end of the path exists: an object or a string. */
static void ensure(struct rule_example *example, const struct fx_text *names,
                   size_t n_names, bool object) {
    const bool is_container = n_names > 1 && names[n_names - 1].data == NULL &&
                              is_containers(names[n_names - 2]);
    json_t *value = made(example, is_container || object ? json_object()
                                                         : fx_tree_new_string(EXAMPLE));
    if (value != NULL && is_container) {
        complete_container(example, value);
    }
    put_take(example, names, n_names, value, true);
}

/* ---- the fields that the rule requires -------------------------------------------- */

/* True for the field that the object view adds. An example does not have it. */
static bool is_shown(struct fx_text name) {
    return name.data != NULL && fx_text_is(name, SYNTHETIC_REFS);
}

static void add_item(struct rule_example *example, const struct match_item *item) {
    struct fx_text names[FX_JSONPATH_MOST_STEPS];
    const size_t n_names = fx_jsonpath_step_names(item->select, names);
    if (n_names == 0 || item->negate || is_shown(names[0])) {
        return;
    }
    if (!fx_match_item_tests(item)) {
        ensure(example, names, n_names, false);
        return;
    }
    const bool is_metadata = names[0].data != NULL && fx_text_is(names[0], "metadata");
    json_t *value = make_value(example, item, is_metadata);
    if (value != NULL) {
        put_take(example, names, n_names, value, false);
    }
}

/* True if the path continues after the selected part: /spec/volumes/#0/name. */
static bool continues(const struct patch_operation *operation) {
    const char *slash = strrchr(operation->path, '/');
    return slash != NULL && strchr(operation->path, '#') != NULL &&
           strchr(slash, '#') == NULL;
}

/* Adds the nodes that an operation selects. */
static void add_selected(struct rule_example *example,
                         const struct patch_operation *operation) {
    struct fx_text names[FX_JSONPATH_MOST_STEPS];
    const size_t n_names = fx_jsonpath_step_names(operation->select, names);
    if (n_names > 0) {
        ensure(example, names, n_names,
               names[n_names - 1].data == NULL && continues(operation));
    }
}

static bool is_index(const struct step *step) {
    return step->is_number || fx_text_is(step->text, "-");
}

/* Returns the number of steps that must exist: all of them for `replace` and `remove`,
 * those up to the last list for `add`. */
static size_t count_needed(const struct steps *steps, enum operation operation) {
    size_t n = steps->n_items;
    while (operation == OPERATION_ADD && n > 0 && !is_index(&steps->items[n - 1])) {
        n--;
    }
    return n <= FX_JSONPATH_MOST_STEPS ? n : 0;
}

/* Adds the nodes that the path of an operation without a select needs. */
static void add_target(struct rule_example *example,
                       const struct patch_operation *operation) {
    struct fx_text names[FX_JSONPATH_MOST_STEPS];
    const struct steps *steps = &operation->steps;
    const size_t n = count_needed(steps, operation->operation);
    for (size_t i = 0; i < n; i++) {
        names[i] =
            is_index(&steps->items[i]) ? (struct fx_text){NULL, 0} : steps->items[i].text;
    }
    if (n > 0) {
        ensure(example, names, n, false);
    }
}

static void fill_example(struct rule_example *example) {
    const struct modrule *rule = example->rule;
    for (size_t i = 0; i < rule->n_items; i++) {
        add_item(example, &rule->items[i]);
    }
    for (size_t i = 0; i < rule->n_patch; i++) {
        if (rule->patch[i].select != NULL) {
            add_selected(example, &rule->patch[i]);
        } else {
            add_target(example, &rule->patch[i]);
        }
    }
}

/* ---- the example ----------------------------------------------------------------- */

/* Returns the kind that an item requires; Pod if no item requires one. */
static struct fx_text kind_of(const struct modrule *rule) {
    for (size_t i = 0; i < rule->n_items; i++) {
        const struct match_item *item = &rule->items[i];
        struct fx_text names[FX_JSONPATH_MOST_STEPS];
        if (fx_jsonpath_step_names(item->select, names) == 1 && !item->negate &&
            fx_text_is(names[0], "kind") &&
            (item->value != NULL || item->values != NULL)) {
            return fx_tree_text(item->value != NULL ? item->value
                                                    : json_array_get(item->values, 0));
        }
    }
    return FX_TEXT("Pod");
}

/* Makes the object. Takes the namespace, which may be NULL. */
static json_t *make_root_take(const struct modrule *rule, json_t *namespace_) {
    return json_pack("{s:s, s:s, s:{s:s, s:o*}}", "apiVersion",
                     api_version_of(kind_of(rule)), "kind", "Pod", "metadata", "name",
                     "example", "namespace", namespace_);
}

json_t *fx_modrule_example(const struct fx_mutator *self, struct fx_err *err) {
    struct rule_example example = {.rule = (const struct modrule *)self};
    bool found = false;
    json_t *namespace_ = make_namespace(&example, &found);
    if (found && !example.is_out_of_memory) {
        example.root = made(&example, make_root_take(example.rule, namespace_));
    }
    if (example.root != NULL) {
        fill_example(&example);
    }
    if (example.is_out_of_memory) {
        json_decref(example.root);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    return example.root;
}
