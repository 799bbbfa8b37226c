/* SPDX-License-Identifier: Apache-2.0
 *
 * configuration.c - merges an Object{…} value into an object.
 */
#include "mutators/admission_policy/configuration.h"

#include "merge/typed.h"
#include "mutators/admission_policy/convert.h"
#include "mutators/admission_policy/decode.h"
#include "value/equal.h"
#include "value/tree.h"

/* Sets the field to the text; false without memory. */
static bool set_text(json_t *patch, const char *key, struct fx_text text) {
    return fx_tree_set_take(patch, fx_text_of(key), fx_tree_new_string(text));
}

/* A configuration cannot change the kind of its object. */
static bool set_kind(json_t *patch, const struct fx_map_target *target,
                     struct fx_err *err) {
    struct fx_buf version;
    fx_buf_init(&version, 0);
    fx_map_target_print_api_version(&version, target);
    const bool ok = !version.failed &&
                    set_text(patch, "apiVersion", fx_buf_view(&version)) &&
                    set_text(patch, "kind", target->kind);
    fx_buf_finish(&version);
    return ok || fx_fail_nomem(err);
}

static json_t *merge_configuration(json_t *live, json_t *patch,
                                   const struct fx_map_target *target,
                                   struct fx_arena *arena, struct fx_map_refusal *refusal,
                                   struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    json_t *merged = fx_typed_merge(target->schema, live, patch, arena, &text, err);
    if (merged == NULL && err->code == FX_EMUTATE) {
        fx_buf_str(&refusal->message, "error applying patch: ");
        fx_buf_text(&refusal->message, fx_buf_view(&text));
        fx_buf_fail_as(&refusal->message, &text);
        (void)fx_map_reject(refusal, 403, err);
    }
    fx_buf_finish(&text);
    return merged;
}

/* Decodes the merged object, which the API server converts to its Go type. */
static json_t *decode_merged(json_t *merged, json_t *live,
                             const struct fx_map_target *target, struct fx_arena *arena,
                             struct fx_map_refusal *refusal, struct fx_err *err) {
    if (!target->is_decoded) {
        return json_incref(merged);
    }
    fx_buf_printf(&refusal->message,
                  "unable to convert unstructured object to %.*s/%.*s, Kind=%.*s: ",
                  (int)target->group.len, target->group.data, (int)target->version.len,
                  target->version.data, (int)target->kind.len, target->kind.data);
    json_t *decoded = fx_map_decode(FX_MAP_DECODE_MERGED, target->schema, merged, live,
                                    arena, refusal, err);
    if (decoded != NULL || err->code != FX_EMUTATE) {
        fx_buf_reset(&refusal->message);
    }
    return decoded;
}

/* Returns the new object: a new reference, or NULL. */
static json_t *apply(struct fx_cel_value configuration,
                     const struct fx_map_target *target, json_t *live,
                     struct fx_arena *arena, struct fx_map_refusal *refusal,
                     struct fx_err *err) {
    json_t *result = NULL;
    json_t *patch = fx_map_convert_object(configuration, refusal, err);
    if (patch == NULL) {
        return NULL;
    }
    json_t *merged = set_kind(patch, target, err)
                         ? merge_configuration(live, patch, target, arena, refusal, err)
                         : NULL;
    if (merged != NULL) {
        result = decode_merged(merged, live, target, arena, refusal, err);
    }
    json_decref(merged);
    json_decref(patch);
    return result;
}

bool fx_map_configure(struct fx_cel_value configuration,
                      const struct fx_map_target *target, json_t **root,
                      struct fx_arena *arena, struct fx_map_refusal *refusal,
                      struct fx_err *err) {
    if (!fx_map_check_type_names(configuration, refusal, err)) {
        return false;
    }
    json_t *result = apply(configuration, target, *root, arena, refusal, err);
    if (result == NULL) {
        return false;
    }
    json_decref(*root);
    *root = result;
    return true;
}
