/* SPDX-License-Identifier: Apache-2.0
 *
 * context_source.c - the sources of entries of a context: `variable`, `configMap` and
 * `apiCall`.
 */
#include "base/dns_name.h"
#include "context_internal.h"
#include "engine/input.h"
#include "url_path.h"
#include "value/tree.h"

/* A step below the path of the source. */
static struct kyverno_path step(const struct kyverno_context_entry *entry,
                                const char *name) {
    return (struct kyverno_path){.above = entry->path, .key = fx_text_of(name)};
}

/* Is it a failure that a default value replaces? Others are no fault of the query. */
static bool is_fault(const struct fx_err *err) {
    return err->code == FX_EMUTATE || err->code == FX_EINVALID || err->code == FX_ESYNTAX;
}

static bool is_null(const json_t *value) {
    return value == NULL || json_is_null(value);
}

/* ---- variable ------------------------------------------------------------------------
 */

/* Evaluates a part of the entry, if it is given; otherwise *ret_value is NULL. */
static bool eval_part(struct kyverno_context *context,
                      const struct kyverno_context_entry *entry,
                      const struct kyverno_template *part, const char *name,
                      json_t **ret_value, struct fx_err *err) {
    const struct kyverno_path path = step(entry, name);
    *ret_value = NULL;
    if (part == NULL ||
        fx_kyverno_template_eval(part, &path, &context->scope, ret_value, err)) {
        return true;
    }
    return err->code == FX_EMUTATE
               ? fx_err_prefix(err,
                               "failed to substitute variables in context entry %.*s: ",
                               FX_TEXT_ARG(entry->name))
               : false;
}

/* Compiles `jmesPath`, whose text has variables. The caller destroys the query. */
static bool compile_query(struct kyverno_context *context,
                          const struct kyverno_context_entry *entry,
                          struct fx_jmespath **ret_query, struct fx_err *err) {
    json_t *text;
    *ret_query = NULL;
    if (!eval_part(context, entry, entry->variable.query_text, "jmesPath", &text, err)) {
        return false;
    }
    const bool ok =
        json_is_string(text)
            ? fx_jmespath_compile(fx_tree_text(text), ret_query, err)
            : fx_fail(err, FX_EMUTATE, "`jmesPath` of context entry %.*s is no text",
                      FX_TEXT_ARG(entry->name));
    json_decref(text);
    return ok;
}

/* Evaluates the query on the value, or on the context if `value` is NULL. */
static bool search(struct kyverno_context *context, const struct fx_jmespath *query,
                   json_t *value, json_t **ret_value, struct fx_err *err) {
    if (value == NULL) {
        return fx_kyverno_context_query(context, query, ret_value, err);
    }
    return fx_jmespath_search(query, value, NULL, ret_value, err) == FX_JMESPATH_VALUE;
}

static bool eval_query(struct kyverno_context *context,
                       const struct kyverno_context_entry *entry, json_t *value,
                       json_t **ret_value, struct fx_err *err) {
    struct fx_jmespath *made = NULL;
    const struct fx_jmespath *query = entry->variable.query;
    *ret_value = NULL;
    bool ok = query != NULL || compile_query(context, entry, &made, err);
    query = query == NULL ? made : query;
    ok = ok && search(context, query, value, ret_value, err);
    fx_jmespath_destroy(made);
    if (!ok && is_fault(err)) {
        err->code = FX_EMUTATE;
        (void)fx_err_prefix(err, "failed to apply jmespath to context entry %.*s: ",
                            FX_TEXT_ARG(entry->name));
    }
    return ok;
}

/* The value, or what the query gives: of the value, or of the context. A query of the
 * context that gives null leaves the default; one of the value does not. */
static bool eval_value(struct kyverno_context *context,
                       const struct kyverno_context_entry *entry, json_t *value,
                       json_t *default_, json_t **ret_value, struct fx_err *err) {
    *ret_value = NULL;
    if (entry->variable.query_text == NULL) {
        *ret_value = json_incref(value == NULL ? default_ : value);
        return true;
    }
    if (!eval_query(context, entry, value, ret_value, err)) {
        *ret_value = is_fault(err) ? json_incref(default_) : NULL;
        return *ret_value != NULL;
    }
    if (value == NULL && is_null(*ret_value) && default_ != NULL) {
        json_decref(*ret_value);
        *ret_value = json_incref(default_);
    }
    return true;
}

static bool eval_variable(struct kyverno_context *context,
                          const struct kyverno_context_entry *entry, json_t **ret_value,
                          struct fx_err *err) {
    const struct kyverno_entry_variable *variable = &entry->variable;
    json_t *default_ = NULL;
    json_t *value = NULL;
    const bool ok =
        eval_part(context, entry, variable->default_, "default", &default_, err) &&
        eval_part(context, entry, variable->value, "value", &value, err) &&
        eval_value(context, entry, value, default_, ret_value, err);
    json_decref(default_);
    json_decref(value);
    return ok;
}

/* ---- configMap -----------------------------------------------------------------------
 */

/* Evaluates a text of the entry. *ret_text is NULL if it is not given. */
static bool eval_text(struct kyverno_context *context,
                      const struct kyverno_context_entry *entry,
                      const struct kyverno_template *part, const char *name,
                      json_t **ret_text, struct fx_err *err) {
    if (!eval_part(context, entry, part, name, ret_text, err)) {
        return false;
    }
    if (*ret_text == NULL || json_is_string(*ret_text)) {
        return true;
    }
    json_decref(*ret_text);
    *ret_text = NULL;
    return fx_fail(err, FX_EMUTATE, "`%s` of context entry %.*s is no text", name,
                   FX_TEXT_ARG(entry->name));
}

/* Makes {data, metadata} of a ConfigMap. */
static json_t *make_map(const json_t *object) {
    static const char *const names[] = {"data", "metadata"};
    json_t *made = json_object();
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        json_t *member = fx_tree_view_key(object, names[i]);
        ok = fx_tree_set_take(made, fx_text_of(names[i]),
                              member == NULL ? json_null() : json_incref(member));
    }
    return fx_tree_keep_if(ok, made);
}

static bool fail_map(const struct kyverno_context_entry *entry,
                     const struct fx_input_key *key, const char *why,
                     struct fx_err *err) {
    return fx_fail(err, FX_EMUTATE,
                   "failed to retrieve config map for context entry %.*s: failed to get "
                   "configmap %.*s/%.*s : %s",
                   FX_TEXT_ARG(entry->name), FX_TEXT_ARG(key->namespace_),
                   FX_TEXT_ARG(key->name), why);
}

static bool read_map(struct kyverno_context *context,
                     const struct kyverno_context_entry *entry,
                     const struct fx_input_key *key, json_t **ret_value,
                     struct fx_err *err) {
    json_t *object = NULL;
    if (!fx_dns_is_subdomain(key->name) || !fx_dns_is_subdomain(key->namespace_)) {
        return fail_map(entry, key, "no object has such a name", err);
    }
    if (!fx_inputs_read(context->request->inputs, key, &object, err)) {
        return err->code == FX_EMUTATE && err->msg[0] != '\0'
                   ? fx_err_prefix(err,
                                   "failed to retrieve config map for context entry "
                                   "%.*s: failed to get configmap %.*s/%.*s : ",
                                   FX_TEXT_ARG(entry->name), FX_TEXT_ARG(key->namespace_),
                                   FX_TEXT_ARG(key->name))
                   : false;
    }
    if (object == NULL) {
        return fail_map(entry, key, "there is no such ConfigMap", err);
    }
    *ret_value = make_map(object);
    return *ret_value != NULL || fx_fail_nomem(err);
}

/* The namespace of the ConfigMap: that of the policy, or `default`, if none is given. A
 * policy of a namespace may read no other one. */
static bool choose_namespace(const struct kyverno_context_entries *entries,
                             const struct kyverno_context_entry *entry,
                             const json_t *given, struct fx_text *ret_namespace,
                             struct fx_err *err) {
    const struct fx_text own = entries->policy_namespace;
    const struct fx_text text = fx_tree_text(given);
    *ret_namespace = text.len > 0 ? text : own.data != NULL ? own : FX_TEXT("default");
    if (own.data == NULL || fx_text_equal(own, *ret_namespace)) {
        return true;
    }
    return fx_fail(err, FX_EMUTATE,
                   "failed to retrieve config map for context entry %.*s: a policy of "
                   "the namespace %.*s may not read a ConfigMap of %.*s",
                   FX_TEXT_ARG(entry->name), FX_TEXT_ARG(own),
                   FX_TEXT_ARG(*ret_namespace));
}

static bool eval_map(struct kyverno_context *context,
                     const struct kyverno_context_entries *entries,
                     const struct kyverno_context_entry *entry, json_t **ret_value,
                     struct fx_err *err) {
    json_t *name = NULL;
    json_t *namespace_ = NULL;
    struct fx_input_key key = fx_input_core_key("ConfigMap", FX_TEXT(""));
    bool ok =
        eval_text(context, entry, entry->map.name, "name", &name, err) &&
        eval_text(context, entry, entry->map.namespace_, "namespace", &namespace_, err) &&
        choose_namespace(entries, entry, namespace_, &key.namespace_, err);
    if (ok) {
        key.name = fx_tree_text(name);
        ok = read_map(context, entry, &key, ret_value, err);
    }
    json_decref(name);
    json_decref(namespace_);
    return ok;
}

/* ---- apiCall -------------------------------------------------------------------------
 */

/* Reads the object that the path names: a new reference. A policy of a namespace may read
 * only objects in it. */
static bool read_object(struct kyverno_context *context,
                        const struct kyverno_context_entries *entries,
                        const struct kyverno_context_entry *entry, struct fx_text path,
                        json_t **ret_object, struct fx_err *err) {
    struct fx_input_key key;
    json_t *object = NULL;
    const struct fx_text own = entries->policy_namespace;
    if (entry->call.n_slashes > 0 &&
        fx_kyverno_count_slashes(path) != entry->call.n_slashes) {
        return fx_fail(err, FX_EMUTATE, "`urlPath` %.*s has a slash from a variable",
                       FX_TEXT_ARG(path));
    }
    if (!fx_kyverno_url_path_read(path, &key, err)) {
        return false;
    }
    if (own.data != NULL && !fx_text_equal(own, key.namespace_)) {
        return fx_fail(err, FX_EMUTATE,
                       "a policy of the namespace %.*s may read only objects in it",
                       FX_TEXT_ARG(own));
    }
    if (!fx_inputs_read(context->request->inputs, &key, &object, err)) {
        return false;
    }
    *ret_object = json_incref(object);
    return object != NULL ||
           fx_fail(err, FX_EMUTATE, "there is no object %.*s", FX_TEXT_ARG(path));
}

static bool call(struct kyverno_context *context,
                 const struct kyverno_context_entries *entries,
                 const struct kyverno_context_entry *entry, json_t **ret_object,
                 struct fx_err *err) {
    json_t *path = NULL;
    *ret_object = NULL;
    const bool ok =
        eval_text(context, entry, entry->call.path, "urlPath", &path, err) &&
        read_object(context, entries, entry, fx_tree_text(path), ret_object, err);
    json_decref(path);
    return ok;
}

/* The object, what the query makes of it, or, after a failure, the default. */
static bool eval_call(struct kyverno_context *context,
                      const struct kyverno_context_entries *entries,
                      const struct kyverno_context_entry *entry, json_t **ret_value,
                      struct fx_err *err) {
    json_t *object = NULL;
    json_t *default_ = NULL;
    bool ok =
        eval_part(context, entry, entry->variable.default_, "default", &default_, err);
    if (ok && call(context, entries, entry, &object, err)) {
        ok = eval_value(context, entry, object, default_, ret_value, err);
    } else if (ok) {
        *ret_value = is_fault(err) ? json_incref(default_) : NULL;
        ok = *ret_value != NULL;
        if (!ok && is_fault(err)) {
            (void)fx_err_prefix(err, "failed to fetch data for context entry %.*s: ",
                                FX_TEXT_ARG(entry->name));
        }
    }
    json_decref(object);
    json_decref(default_);
    return ok;
}

static bool eval_source(struct kyverno_context *context,
                        const struct kyverno_context_entries *entries,
                        const struct kyverno_context_entry *entry, json_t **ret_value,
                        struct fx_err *err) {
    switch (entry->source) {
    case KYVERNO_ENTRY_MAP: return eval_map(context, entries, entry, ret_value, err);
    case KYVERNO_ENTRY_CALL: return eval_call(context, entries, entry, ret_value, err);
    case KYVERNO_ENTRY_VARIABLE: break;
    }
    return eval_variable(context, entry, ret_value, err);
}

bool fx_kyverno_entry_eval(struct kyverno_context *context,
                           const struct kyverno_context_entries *entries,
                           const struct kyverno_context_entry *entry, json_t **ret_value,
                           struct fx_err *err) {
    *ret_value = json_incref(fx_kyverno_given_variable(context, entry->name));
    if (*ret_value != NULL) {
        return true;
    }
    const bool ok = eval_source(context, entries, entry, ret_value, err);
    if (!ok || !is_null(*ret_value)) {
        return ok;
    }
    json_decref(*ret_value);
    *ret_value = NULL;
    return fx_fail(err, FX_EMUTATE,
                   "failed to add context entry for variable %.*s since it evaluated to "
                   "nil",
                   FX_TEXT_ARG(entry->name));
}
