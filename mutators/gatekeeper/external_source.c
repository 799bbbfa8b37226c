/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/external_source.c - values from a provider (spec section 7): reads
 * `assign.externalData`, and makes the placeholder for each position.
 */
#include "base/buf.h"
#include "engine/request.h"
#include "mutators/gatekeeper/assigner.h"
#include "mutators/gatekeeper/value_copy.h"
#include "value/tree.h"

static const char *const failure_names[] = {
#define X(name, text) [FX_EXTERNAL_##name] = text,
    FX_EXTERNAL_FAILURES(X)
#undef X
};

enum { AT_LOCATION, USERNAME };
static const char *const source_names[] = {
    [AT_LOCATION] = "ValueAtLocation",
    [USERNAME] = "Username",
};

/* A field with one of several values; the first is the default. */
struct choice {
    const char *field;
    const char *const *names;
    size_t n_names;
};

/* The API server's message for a value that is not in the CRD's enum. */
static bool fail_unsupported(const struct choice *choice, const json_t *node,
                             struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "spec.parameters.assign.externalData.%s: Unsupported value: ",
                  choice->field);
    fx_text_quote_go(&text, fx_tree_text(node));
    fx_buf_str(&text, ": supported values: ");
    for (size_t i = 0; i < choice->n_names; i++) {
        fx_buf_printf(&text, "%s\"%s\"", i == 0 ? "" : ", ", choice->names[i]);
    }
    return fx_fail_buf_finish(err, node, FX_EINVALID, &text);
}

static bool read_choice(const struct choice *choice, const json_t *external,
                        size_t *ret_index, struct fx_err *err) {
    const json_t *node = fx_shape_view(external, choice->field);
    *ret_index = 0;
    if (node == NULL) {
        return true;
    }
    for (size_t i = 0; i < choice->n_names; i++) {
        if (fx_text_is(fx_tree_text(node), choice->names[i])) {
            *ret_index = i;
            return true;
        }
    }
    return fail_unsupported(choice, node, err);
}

bool fx_source_read_external(struct source *source, json_t *external,
                             struct fx_err *err) {
    static const struct choice data_source = {"dataSource", source_names,
                                              FX_COUNT(source_names)};
    static const struct choice failure = {"failurePolicy", failure_names,
                                          FX_COUNT(failure_names)};
    size_t data_index = 0;
    size_t on_failure = 0;
    if (!read_choice(&data_source, external, &data_index, err) ||
        !read_choice(&failure, external, &on_failure, err)) {
        return false;
    }
    if (fx_shape_view(external, "provider") == NULL) {
        return fx_fail_in(err, external, FX_EINVALID,
                          "spec.parameters.assign.externalData.provider: Required value");
    }
    source->type = SOURCE_EXTERNAL;
    source->external_node = fx_value_copy(external);
    if (source->external_node == NULL) {
        return fx_fail_nomem(err);
    }
    source->asks_username = data_index == USERNAME;
    source->external = (struct fx_external){
        .provider = fx_tree_view_string(source->external_node, "provider"),
        .on_failure = (enum fx_external_failure)on_failure,
        .fallback = fx_tree_view_string(source->external_node, "default"),
    };
    if (on_failure == FX_EXTERNAL_USE_DEFAULT && source->external.fallback.len == 0) {
        return fx_fail_in(err, external, FX_EINVALID,
                          "`default` must not be empty when `failurePolicy` is set to "
                          "`UseDefault`");
    }
    return true;
}

/* The key of the request to the provider: the present text, the key of the present
 * placeholder, or, if there is no value, the username or the empty text. */
static bool find_key(const struct setting *setting, const json_t *old,
                     struct fx_text *ret_key, struct fx_err *err) {
    struct fx_placeholder present;
    if (fx_placeholders_find(setting->request->placeholders, old, &present)) {
        *ret_key = present.key;
        return true;
    }
    if (old == NULL) {
        *ret_key = setting->source->asks_username
                       ? fx_tree_view_string(setting->request->user_info, "username")
                       : FX_TEXT("");
        return true;
    }
    if (!json_is_string(old)) {
        return fx_fail(err, FX_EMUTATE,
                       "value assigned to external data placeholder is not a string, got "
                       "%s",
                       fx_tree_go_type(old));
    }
    *ret_key = fx_tree_text(old);
    return true;
}

bool fx_source_set_external(const void *user, const struct fx_write_position *position,
                            enum fx_write *ret_write, json_t **ret_value,
                            const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    const struct setting *setting = user;
    struct fx_text key = {0};
    if (setting->request->placeholders == NULL) {
        return fx_fail(err, FX_EMUTATE, "external data is not available here");
    }
    if (!find_key(setting, position->old, &key, err)) {
        return false;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = fx_placeholders_make(setting->request->placeholders,
                                      &setting->source->external, key);
    return *ret_value != NULL || fx_fail_nomem(err);
}
