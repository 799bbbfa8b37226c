/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/ready.c - a condition out of errors.
 */
#include "cluster/status/ready.h"

#include "base/buf.h"
#include "base/date.h"
#include "cluster/status/status.h"
#include "kube/body.h"
#include "value/tree.h"

#define TYPE     "Ready"
#define ACCEPTED "Accepted"
#define IN_FORCE "it is in force"

static bool set_word(json_t *object, const char *key, const char *value) {
    return fx_kube_body_set_text(object, key, fx_text_of(value));
}

static bool set_transition(json_t *condition, int64_t since) {
    char date[FX_DATE];
    fx_date_print(since, date);
    return set_word(condition, "lastTransitionTime", date);
}

/* All of them, one behind the other, as far as there is room. */
static bool set_message(json_t *condition, const json_t *errors) {
    static const char ellipsis[] = "…";
    struct fx_buf words;
    fx_buf_init(&words, 0);
    for (size_t i = 0; i < json_array_size(errors); i++) {
        fx_buf_str(&words, i == 0 ? "" : "; ");
        fx_buf_text(&words, fx_tree_view_string(json_array_get(errors, i), "message"));
    }
    if (words.len > FX_READY_MESSAGE_BYTES) {
        const size_t room = FX_READY_MESSAGE_BYTES - (sizeof ellipsis - 1);
        words.len = fx_text_rune_floor(words.data, room);
        fx_buf_str(&words, ellipsis);
    }
    const bool ok =
        !words.failed && fx_kube_body_set_text(condition, "message",
                                               (struct fx_text){words.data, words.len});
    fx_buf_finish(&words);
    return ok;
}

static bool fill(json_t *condition, const json_t *entry, const struct fx_seen_ready *seen,
                 int64_t now) {
    const json_t *errors = fx_tree_view_key(entry, "errors");
    const bool is_ready = json_array_size(errors) == 0;
    const bool stays = seen->status == (is_ready ? FX_READY_TRUE : FX_READY_FALSE);
    return set_word(condition, "type", TYPE) &&
           set_word(condition, "status", is_ready ? "True" : "False") &&
           fx_kube_body_share(condition, entry, "observedGeneration") &&
           set_transition(condition, stays ? seen->since : now) &&
           set_word(condition, "reason",
                    is_ready ? ACCEPTED
                             : fx_cluster_status_reason(json_array_get(errors, 0))) &&
           (is_ready ? set_word(condition, "message", IN_FORCE)
                     : set_message(condition, errors));
}

json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) {
    json_t *condition = json_object();
    if (condition == NULL || !fill(condition, entry, seen, now)) {
        json_decref(condition);
        return NULL;
    }
    return condition;
}
