/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/ready.c - a condition from the errors of an entry.
 */
#include "cluster/status/ready.h"

#include "base/buf.h"
#include "base/date.h"
#include "cluster/status/status.h"
#include "value/tree.h"

/* Appends the messages of all errors, cut to the limit. */
static void write_message(struct fx_buf *message, const json_t *errors) {
    static const char ellipsis[] = "…";
    for (size_t i = 0; i < json_array_size(errors); i++) {
        fx_buf_str(message, i == 0 ? "" : "; ");
        fx_buf_text(message, fx_tree_view_string(json_array_get(errors, i), "message"));
    }
    if (message->len > FX_READY_MESSAGE_BYTES) {
        const size_t room = FX_READY_MESSAGE_BYTES - (sizeof ellipsis - 1);
        message->len = fx_text_rune_floor(message->data, room);
        fx_buf_str(message, ellipsis);
    }
}

json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) {
    const json_t *errors = fx_tree_view_key(entry, "errors");
    const bool is_ready = json_array_size(errors) == 0;
    const bool stays = seen->status == (is_ready ? FX_READY_TRUE : FX_READY_FALSE);
    char since[FX_DATE];
    struct fx_buf message = {0};
    fx_date_print(stays ? seen->since : now, since);
    if (is_ready) {
        fx_buf_str(&message, "the policy is active");
    } else {
        write_message(&message, errors);
    }
    json_t *condition =
        message.failed
            ? NULL
            : json_pack("{s:s, s:s, s:O*, s:s, s:s, s:s#}", "type", "Ready", "status",
                        is_ready ? "True" : "False", "observedGeneration",
                        fx_tree_view_key(entry, "observedGeneration"),
                        "lastTransitionTime", since, "reason",
                        is_ready ? "Accepted"
                                 : fx_cluster_status_reason(json_array_get(errors, 0)),
                        "message", message.len == 0 ? "" : message.data,
                        (int)message.len);
    fx_buf_finish(&message);
    return condition;
}
