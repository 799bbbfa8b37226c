/* SPDX-License-Identifier: Apache-2.0
 *
 * configuration.c - merges an Object{…} value into an object.
 */
#include "mutators/admission_policy/configuration.h"

#include "merge/typed.h"
#include "mutators/admission_policy/convert.h"
#include "mutators/admission_policy/decode.h"
#include "value/tree.h"

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
    const struct fx_map_decoding decoding = {FX_MAP_MERGED, target->schema, live};
    json_t *decoded = fx_map_decode(&decoding, merged, arena, refusal, err);
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
    /* a configuration cannot change the kind of its object */
    json_t *merged = fx_map_target_set_kind(target, patch, err)
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
    return result != NULL && fx_map_replace(root, result, err);
}
