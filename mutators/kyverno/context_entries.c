/* SPDX-License-Identifier: Apache-2.0
 *
 * context_entries.c - compiles the entries of a context.
 */
#include "context_entries.h"

#include "base/limits.h"
#include "context_internal.h"
#include "url_path.h"
#include "value/tree.h"

static bool fail_entry(const struct kyverno_template_compile *with, const json_t *node,
                       const char *why) {
    return fx_fail_in(with->err, node, FX_EINVALID, "%s", why);
}

/* Compiles a member of the source; NULL if it is not given. */
static bool compile_member(const struct kyverno_template_compile *with,
                           const json_t *source, const struct kyverno_path *path,
                           const char *name, struct kyverno_template **ret) {
    json_t *member = fx_tree_view_key(source, name);
    const struct kyverno_path below = {.above = path, .key = fx_text_of(name)};
    *ret = NULL;
    if (member == NULL) {
        return true;
    }
    *ret = fx_kyverno_template_compile(with, member, &below);
    return *ret != NULL;
}

/* The same for a text. */
static bool compile_text(const struct kyverno_template_compile *with,
                         const json_t *source, const struct kyverno_path *path,
                         const char *name, struct kyverno_template **ret) {
    const json_t *member = fx_tree_view_key(source, name);
    if (member != NULL && !json_is_string(member)) {
        return fx_fail_in(with->err, member, FX_EINVALID,
                          "`%s` of a context entry must be a string", name);
    }
    return compile_member(with, source, path, name, ret);
}

/* ---- variable ------------------------------------------------------------------------
 */

/* Compiles a `jmesPath` without variables. One that does not compile fails when the entry
 * is evaluated. */
static bool compile_query(const struct kyverno_template_compile *with,
                          struct kyverno_entry_variable *variable) {
    struct fx_err fault = FX_ERR_INIT;
    const json_t *text = variable->query_text == NULL
                             ? NULL
                             : fx_kyverno_template_constant(variable->query_text);
    if (text == NULL ||
        fx_jmespath_compile(fx_tree_text(text), &variable->query, &fault)) {
        return true;
    }
    if (fault.code == FX_ENOMEM || fault.code == FX_EDEADLINE) {
        *with->err = fault;
        return false;
    }
    return true;
}

static bool compile_variable(const struct kyverno_template_compile *with,
                             const json_t *source, struct kyverno_context_entry *entry) {
    struct kyverno_entry_variable *variable = &entry->variable;
    const struct kyverno_path *path = entry->path;
    return compile_member(with, source, path, "value", &variable->value) &&
           compile_member(with, source, path, "default", &variable->default_) &&
           compile_text(with, source, path, "jmesPath", &variable->query_text) &&
           compile_query(with, variable);
}

/* ---- configMap -----------------------------------------------------------------------
 */

static bool compile_map(const struct kyverno_template_compile *with, const json_t *source,
                        struct kyverno_context_entry *entry) {
    struct kyverno_entry_map *map = &entry->map;
    entry->source = KYVERNO_ENTRY_MAP;
    if (fx_tree_view_string(source, "name").len == 0) {
        return fail_entry(with, source, "`configMap` of a context entry needs a `name`");
    }
    return compile_text(with, source, entry->path, "name", &map->name) &&
           compile_text(with, source, entry->path, "namespace", &map->namespace_);
}

/* ---- apiCall -------------------------------------------------------------------------
 */

/* Only a GET of one object of the API server is supported. */
static bool check_call(const struct kyverno_template_compile *with,
                       const json_t *source) {
    const struct fx_text method = fx_tree_view_string(source, "method");
    if (fx_tree_view_key(source, "service") != NULL) {
        return fail_entry(with, source,
                          "`apiCall.service` is not supported: Fixpoint calls no other "
                          "host than the API server");
    }
    if (fx_tree_view_key(source, "data") != NULL ||
        (method.data != NULL && !fx_text_is(method, "GET"))) {
        return fail_entry(with, source, "`apiCall` can only read: `method` must be GET");
    }
    return fx_tree_view_string(source, "urlPath").len > 0 ||
           fail_entry(with, source, "`apiCall` of a context entry needs a `urlPath`");
}

static bool compile_call(const struct kyverno_template_compile *with,
                         const json_t *source, struct kyverno_context_entry *entry) {
    entry->source = KYVERNO_ENTRY_CALL;
    entry->call.n_slashes =
        fx_kyverno_count_slashes(fx_tree_view_string(source, "urlPath"));
    return check_call(with, source) &&
           compile_text(with, source, entry->path, "urlPath", &entry->call.path) &&
           compile_member(with, source, entry->path, "default",
                          &entry->variable.default_) &&
           compile_text(with, source, entry->path, "jmesPath",
                        &entry->variable.query_text) &&
           compile_query(with, &entry->variable);
}

/* ---- sources -------------------------------------------------------------------------
 */

static bool refuse_global(const struct kyverno_template_compile *with,
                          const json_t *source, struct kyverno_context_entry *entry) {
    (void)entry;
    return fail_entry(with, source,
                      "`globalReference` is not supported: a context entry may be a "
                      "`variable`, a `configMap` or an `apiCall`");
}

static bool refuse_registry(const struct kyverno_template_compile *with,
                            const json_t *source, struct kyverno_context_entry *entry) {
    (void)entry;
    return fail_entry(with, source,
                      "`imageRegistry` is not supported: Fixpoint calls no registry of "
                      "images");
}

static const struct {
    const char *name;
    bool (*compile)(const struct kyverno_template_compile *with, const json_t *source,
                    struct kyverno_context_entry *entry);
} sources[] = {
    {"configMap", compile_map},         {"apiCall", compile_call},
    {"imageRegistry", refuse_registry}, {"globalReference", refuse_global},
    {"variable", compile_variable},
};

#define N_SOURCES (sizeof sources / sizeof *sources)

/* Returns the index of the first source that the entry has; N_SOURCES if none. */
static size_t find_source(const json_t *node) {
    size_t i = 0;
    while (i < N_SOURCES && !json_is_object(fx_tree_view_key(node, sources[i].name))) {
        i++;
    }
    return i;
}

static bool compile_entry(const struct kyverno_template_compile *with, json_t *node,
                          const struct kyverno_path *path,
                          struct kyverno_context_entry *entry) {
    const size_t i = find_source(node);
    entry->name = fx_tree_view_string(node, "name");
    if (entry->name.len == 0) {
        return fail_entry(with, node, "a context entry needs a `name`");
    }
    if (i == N_SOURCES) {
        return fail_entry(with, node,
                          "a context entry needs a `variable`, a `configMap` or an "
                          "`apiCall`");
    }
    const struct kyverno_path below = {.above = path, .key = fx_text_of(sources[i].name)};
    const char *name = fx_arena_copy(with->arena, entry->name);
    entry->path = fx_kyverno_path_keep(with->arena, &below);
    if (name == NULL || entry->path == NULL) {
        return fx_fail_nomem(with->err);
    }
    entry->name.data = name;
    return sources[i].compile(with, fx_tree_view_key(node, sources[i].name), entry);
}

/* ---- lists ---------------------------------------------------------------------------
 */

static struct kyverno_context_entries *
create_entries(const struct kyverno_template_compile *with, size_t n,
               struct fx_text policy_namespace) {
    struct kyverno_context_entries *made = fx_arena_alloc(with->arena, sizeof *made);
    struct kyverno_context_entry *items = fx_arena_alloc(with->arena, n * sizeof *items);
    const char *kept = policy_namespace.data == NULL
                           ? NULL
                           : fx_arena_copy(with->arena, policy_namespace);
    if (made == NULL || items == NULL ||
        (policy_namespace.data != NULL && kept == NULL)) {
        (void)fx_fail_nomem(with->err);
        return NULL;
    }
    made->items = items;
    made->policy_namespace = (struct fx_text){kept, policy_namespace.len};
    return made;
}

static bool compile_entries(const struct kyverno_template_compile *with, json_t *list,
                            const struct kyverno_path *path,
                            struct kyverno_context_entries *made) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        const struct kyverno_path below = {.above = path, .index = i};
        made->n = i + 1;
        ok = compile_entry(with, json_array_get(list, i), &below, &made->items[i]);
    }
    return ok;
}

bool fx_kyverno_context_entries_compile(const struct kyverno_template_compile *with,
                                        json_t *list, const struct kyverno_path *path,
                                        struct fx_text policy_namespace,
                                        struct kyverno_context_entries **ret_entries) {
    const size_t n = json_array_size(list);
    *ret_entries = NULL;
    if (list != NULL && !json_is_null(list) && !json_is_array(list)) {
        return fail_entry(with, list, "`context` must be a list");
    }
    if (n == 0) {
        return true;
    }
    if (n > FX_LIMIT_CONTEXT_ENTRIES) {
        return fx_fail_in(with->err, list, FX_ELIMIT,
                          "`context` has more than %u entries", FX_LIMIT_CONTEXT_ENTRIES);
    }
    struct kyverno_context_entries *made = create_entries(with, n, policy_namespace);
    if (made == NULL || !compile_entries(with, list, path, made)) {
        fx_kyverno_context_entries_finish(made);
        return false;
    }
    *ret_entries = made;
    return true;
}

void fx_kyverno_context_entries_finish(struct kyverno_context_entries *entries) {
    for (size_t i = 0; entries != NULL && i < entries->n; i++) {
        struct kyverno_context_entry *entry = &entries->items[i];
        fx_kyverno_template_finish(entry->variable.value);
        fx_kyverno_template_finish(entry->variable.default_);
        fx_kyverno_template_finish(entry->variable.query_text);
        fx_jmespath_destroy(entry->variable.query);
        fx_kyverno_template_finish(entry->map.name);
        fx_kyverno_template_finish(entry->map.namespace_);
        fx_kyverno_template_finish(entry->call.path);
    }
}

bool fx_kyverno_context_entries_read_objects(
    const struct kyverno_context_entries *entries) {
    for (size_t i = 0; entries != NULL && i < entries->n; i++) {
        if (entries->items[i].source != KYVERNO_ENTRY_VARIABLE) {
            return true;
        }
    }
    return false;
}
