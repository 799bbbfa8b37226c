/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patch.c - applies a list of JSONPatch{…} values to an object.
 */
#include "mutators/admission_policy/json_patch.h"

#include <string.h>

#include "base/budget.h"
#include "mutators/admission_policy/convert.h"
#include "mutators/admission_policy/decode.h"
#include "value/go_patch.h"
#include "value/tree.h"

/* ---- operations ---------------------------------------------------------------------
 */

static struct fx_cel_value read_field(struct fx_cel_value operation, const char *name) {
    const struct fx_cel_value fields = {.kind = FX_CEL_MAP,
                                        .map = &operation.structure->fields};
    struct fx_cel_value value = {.kind = FX_CEL_UNSET};
    (void)fx_cel_map_find_text(fields, fx_text_of(name), &value);
    return value;
}

static struct fx_text read_text(struct fx_cel_value operation, const char *name) {
    const struct fx_cel_value value = read_field(operation, name);
    return value.kind == FX_CEL_STRING ? value.text : FX_TEXT("");
}

/* The API server quotes paths as Go does, and reads them as JSON: that fails for control
 * characters and a few others. Is the text one of these? False without memory, too: then
 * `quoted` failed. */
static bool is_unreadable(struct fx_text text, struct fx_buf *quoted) {
    fx_buf_reset(quoted);
    fx_text_quote_go(quoted, text);
    bool found = false;
    for (size_t i = 0; !found && i + 1 < quoted->len; i++) {
        if (quoted->data[i] == '\\') {
            found = strchr("abfnrtvxuU\\\"", quoted->data[i + 1]) == NULL ||
                    strchr("avxU", quoted->data[i + 1]) != NULL;
            i++;
        }
    }
    return found;
}

/* Refuses an operation whose texts are unreadable. */
static bool check_texts(const struct fx_go_operation *operation, struct fx_buf *quoted,
                        struct fx_map_refusal *refusal, struct fx_err *err) {
    const char *what = is_unreadable(operation->op, quoted)     ? "kind"
                       : is_unreadable(operation->path, quoted) ? "path"
                       : is_unreadable(operation->from, quoted) ? "from"
                                                                : NULL;
    if (quoted->failed) {
        return fx_fail_nomem(err);
    }
    return what == NULL ||
           fx_map_reject_with(refusal, 403, err,
                              "JSON Patch: operation failed to decode %s", what);
}

/* Reads one operation; its value is a new reference. */
static bool read_operation(struct fx_cel_value given, struct fx_go_operation *operation,
                           struct fx_buf *quoted, struct fx_map_refusal *refusal,
                           struct fx_err *err) {
    const struct fx_cel_value value = read_field(given, "value");
    operation->op = read_text(given, "op");
    operation->path = read_text(given, "path");
    operation->from = read_text(given, "from");
    if (!fx_spend(4 + operation->path.len / FX_BUDGET_BYTES)) {
        return fx_fail_exceeded(err);
    }
    if (!check_texts(operation, quoted, refusal, err)) {
        return false;
    }
    if (value.kind == FX_CEL_UNSET) {
        return true;
    }
    if (value.kind == FX_CEL_STRUCT && value.structure->type->fields == NULL &&
        !fx_map_check_type_names(value, refusal, err)) {
        return false;
    }
    operation->value = fx_map_convert_value(value, refusal, err);
    return operation->value != NULL;
}

/* All values are converted before the first operation is applied. */
static bool read_operations(struct fx_cel_value patch, struct fx_go_operation *operations,
                            struct fx_map_refusal *refusal, struct fx_err *err) {
    const size_t n = fx_cel_list_size(patch);
    struct fx_buf quoted;
    bool ok = true;
    fx_buf_init(&quoted, 0);
    for (size_t i = 0; ok && i < n; i++) {
        ok = read_operation(fx_cel_list_at(patch, i), &operations[i], &quoted, refusal,
                            err);
    }
    fx_buf_finish(&quoted);
    return ok;
}

/* ---- the result ---------------------------------------------------------------------
 */

/* The kind that the result says it has; a missing or empty apiVersion or kind is the old
 * one. */
static bool find_kind(const json_t *result, const struct fx_map_target *target,
                      struct fx_schema *ret_schema, bool *ret_is_same) {
    struct fx_text version = fx_tree_view_string(result, "apiVersion");
    struct fx_text kind = fx_tree_view_string(result, "kind");
    struct fx_text group = target->group;
    if (version.len > 0) {
        const char *slash = memchr(version.data, '/', version.len);
        group = slash == NULL ? FX_TEXT("") : fx_text_cut(&version, '/');
    } else {
        version = target->version;
    }
    kind = kind.len > 0 ? kind : target->kind;
    if (fx_text_equal(group, target->group) && fx_text_equal(version, target->version) &&
        fx_text_equal(kind, target->kind)) {
        *ret_schema = target->schema;
        *ret_is_same = true;
        return true;
    }
    *ret_is_same = false;
    *ret_schema = fx_schema_find(&fx_schema_builtin, group, version, kind);
    return ret_schema->set != NULL;
}

static bool refuse_kind(const json_t *result, const struct fx_map_target *target,
                        struct fx_map_refusal *refusal, struct fx_err *err) {
    struct fx_buf *message = &refusal->message;
    const struct fx_text version = fx_tree_view_string(result, "apiVersion");
    const struct fx_text kind = fx_tree_view_string(result, "kind");
    fx_buf_str(message, "Internal error occurred: no kind ");
    fx_text_quote_go(message, kind.len > 0 ? kind : target->kind);
    fx_buf_str(message, " is registered for version \"");
    if (version.len > 0) {
        fx_buf_text(message, version);
    } else {
        fx_map_target_print_api_version(message, target);
    }
    fx_buf_str(message,
               "\" in scheme \"k8s.io/client-go/kubernetes/scheme/register.go:82\"");
    return fx_map_reject(refusal, 500, err);
}

/* Is apiVersion or kind of another type than string? */
static bool has_wrong_kind(const json_t *result) {
    const json_t *version = fx_tree_view_key(result, "apiVersion");
    const json_t *kind = fx_tree_view_key(result, "kind");
    return (version != NULL && !json_is_string(version) && !json_is_null(version)) ||
           (kind != NULL && !json_is_string(kind) && !json_is_null(kind));
}

/* Gives the decoded object back its kind, if the operations removed it. */
static json_t *keep_kind(json_t *decoded_take, const struct fx_map_target *target,
                         struct fx_err *err) {
    json_t *decoded = decoded_take;
    if (decoded == NULL || (fx_tree_view_string(decoded, "apiVersion").len > 0 &&
                            fx_tree_view_string(decoded, "kind").len > 0)) {
        return decoded;
    }
    const bool ok = fx_tree_own_root(&decoded) != NULL || fx_fail_nomem(err);
    return fx_tree_keep_if(ok && fx_map_target_set_kind(target, decoded, err), decoded);
}

/* Decodes the result as JSON. A new reference, or NULL. */
static json_t *decode_result(json_t *result, json_t *before,
                             const struct fx_map_target *target, struct fx_arena *arena,
                             struct fx_map_refusal *refusal, struct fx_err *err) {
    struct fx_schema schema;
    bool is_same = false;
    if (!json_is_object(result) || has_wrong_kind(result)) {
        (void)fx_map_reject_with(
            refusal, 500, err,
            json_is_object(result)
                ? "Internal error occurred: couldn't get version/kind; json parse error: "
                  "json: cannot unmarshal apiVersion or kind"
                : "Internal error occurred: couldn't get version/kind; json parse error: "
                  "json: cannot unmarshal array");
        return NULL;
    }
    if (!find_kind(result, target, &schema, &is_same)) {
        (void)refuse_kind(result, target, refusal, err);
        return NULL;
    }
    fx_buf_str(&refusal->message, "Internal error occurred: ");
    const struct fx_map_decoding decoding = {FX_MAP_JSON, schema,
                                             is_same ? before : NULL};
    json_t *decoded = fx_map_decode(&decoding, result, arena, refusal, err);
    if (decoded != NULL || err->code != FX_EMUTATE) {
        fx_buf_reset(&refusal->message);
    }
    return keep_kind(decoded, target, err);
}

/* Decodes what the operations made of the object. */
static json_t *end_patch(json_t *result, json_t *before,
                         const struct fx_map_target *target, struct fx_arena *arena,
                         struct fx_map_refusal *refusal, struct fx_err *err) {
    return result == before || !target->is_decoded
               ? json_incref(result)
               : decode_result(result, before, target, arena, refusal, err);
}

/* Applies the operations to a reference of the object. A new reference to the result:
 * `before` if a test failed. NULL if it fails. */
static json_t *apply(const struct fx_go_operation *operations, size_t n, json_t *before,
                     struct fx_map_refusal *refusal, struct fx_err *err) {
    json_t *result = json_incref(before);
    struct fx_go_patch patch = {.version = FX_GO_PATCH_V4,
                                .prefix = "JSON Patch: ",
                                .message = &refusal->message};
    const bool ok = fx_go_patch_apply(&patch, operations, n, &result, err);
    if (ok && !patch.stopped) {
        return result;
    }
    json_decref(result);
    if (!ok && err->code == FX_EMUTATE) {
        (void)fx_map_reject(refusal, 403, err);
    }
    return ok ? json_incref(before) : NULL;
}

/* NOLINTNEXTLINE(readability-function-size): two results. */
bool fx_map_patch(struct fx_cel_value patch, const struct fx_map_target *target,
                  json_t **root, struct fx_arena *arena, struct fx_map_refusal *refusal,
                  struct fx_map_change *ret_change, struct fx_err *err) {
    const size_t n = fx_cel_list_size(patch);
    json_t *patched = NULL;
    struct fx_go_operation *operations = fx_arena_alloc(arena, n * sizeof *operations);
    if (operations == NULL) {
        return fx_fail_nomem(err);
    }
    if (read_operations(patch, operations, refusal, err)) {
        patched = apply(operations, n, *root, refusal, err);
    }
    for (size_t i = 0; i < n; i++) {
        json_decref(operations[i].value);
    }
    json_t *result =
        patched == NULL ? NULL : end_patch(patched, *root, target, arena, refusal, err);
    json_decref(patched);
    return result != NULL && fx_map_replace(root, result, ret_change, err);
}
