/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/seen_status.c - digests of parts of a status.
 */
#include "cluster/policies/seen_status.h"

#include "base/buf.h"
#include "base/date.h"
#include "base/hash.h"
#include "value/json.h"
#include "value/tree.h"

static uint64_t not_zero(uint64_t digest) {
    return digest == 0 ? 1 : digest;
}

/* ---- status.byPod ---------------------------------------------------------------- */

uint64_t fx_status_digest(const json_t *entry) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, entry, FX_JSON_SORT_KEYS);
    const uint64_t digest = fx_hash_bytes(FX_HASH_START, text.data, text.len);
    fx_buf_finish(&text);
    return not_zero(digest);
}

uint64_t fx_status_digest_of_pod(const json_t *object, const char *pod) {
    const json_t *entries = fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (fx_text_is(fx_tree_view_string(entry, "id"), pod)) {
            return fx_status_digest(entry);
        }
    }
    return 0;
}

/* ---- the condition Ready --------------------------------------------------------- */

static const json_t *find_ready(const json_t *object) {
    const json_t *conditions =
        fx_tree_view_key(fx_tree_view_key(object, "status"), "conditions");
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const json_t *condition = json_array_get(conditions, i);
        if (fx_text_is(fx_tree_view_string(condition, "type"), "Ready")) {
            return condition;
        }
    }
    return NULL;
}

void fx_ready_read(const json_t *object, struct fx_seen_ready *ret_seen) {
    const json_t *condition = find_ready(object);
    const struct fx_text status = fx_tree_view_string(condition, "status");
    *ret_seen = (struct fx_seen_ready){0};
    if (condition == NULL ||
        !fx_date_parse(fx_tree_view_string(condition, "lastTransitionTime"),
                       &ret_seen->since)) {
        return;
    }
    ret_seen->digest = fx_ready_digest(condition);
    ret_seen->status = fx_text_is(status, "True")    ? FX_READY_TRUE
                       : fx_text_is(status, "False") ? FX_READY_FALSE
                                                     : FX_READY_UNKNOWN;
}

uint64_t fx_ready_digest(const json_t *condition) {
    static const char *const texts[] = {"status", "reason", "message"};
    const json_int_t generation =
        json_integer_value(fx_tree_view_key(condition, "observedGeneration"));
    uint64_t digest = fx_hash_bytes(FX_HASH_START, &generation, sizeof generation);
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        digest = fx_hash_text(digest, fx_tree_view_string(condition, texts[i]));
    }
    return not_zero(digest);
}
