/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/trigger.c - keeps a request as text.
 */
#include "engine/trigger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "value/json.h"
#include "value/tree.h"

/* The elements of `parts`. A part that the request does not have is null. */
enum part { PART_OBJECT, PART_OLD, PART_USER, PART_ADMISSION, PART_NAMESPACE, PARTS };

static bool is_secret(const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    return subject.group.len == 0 && fx_text_is(subject.kind, "Secret");
}

static void write_parts(struct fx_buf *buf, const struct fx_request *request,
                        const json_t *object) {
    const json_t *const parts[PARTS] = {
        [PART_OBJECT] = object,
        [PART_OLD] = request->old_object,
        [PART_USER] = request->user_info,
        [PART_ADMISSION] = request->admission,
        [PART_NAMESPACE] = request->namespace_object,
    };
    for (size_t i = 0; i < PARTS; i++) {
        fx_buf_char(buf, i == 0 ? '[' : ',');
        if (parts[i] == NULL) {
            fx_buf_str(buf, "null");
        } else {
            fx_json_write(buf, parts[i], FX_JSON_COMPACT);
        }
    }
    fx_buf_char(buf, ']');
}

static char *print_identity(const json_t *object, struct fx_text namespace_) {
    struct fx_subject subject;
    struct fx_buf buf = {0};
    fx_subject_read(object, &subject);
    const struct fx_text parts[] = {subject.group, subject.kind, namespace_,
                                    subject.name.len > 0 ? subject.name
                                                         : subject.generate_name};
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        fx_buf_str(&buf, i > 0 ? "/" : "");
        fx_buf_text(&buf, parts[i]);
    }
    char *text = fx_buf_steal(&buf);
    fx_buf_finish(&buf);
    return text;
}

static void destroy(struct fx_trigger *trigger) {
    fx_snapshot_unref(trigger->snapshot);
    fx_buf_finish(&trigger->parts);
    free(trigger->rules);
    free(trigger->namespace_);
    free(trigger->username);
    free(trigger->identity);
    free(trigger);
}

struct fx_trigger *fx_trigger_create(struct fx_snapshot *snapshot, const uint32_t *rules,
                                     size_t n_rules, const struct fx_request *request,
                                     const json_t *object) {
    assert(n_rules > 0);
    struct fx_trigger *trigger = calloc(1, sizeof *trigger);
    if (trigger == NULL) {
        return NULL;
    }
    atomic_init(&trigger->refs, 1);
    trigger->snapshot = fx_snapshot_ref(snapshot);
    trigger->operation = request->operation;
    trigger->parts.secret = is_secret(object);
    trigger->rules = malloc(n_rules * sizeof *rules);
    trigger->namespace_ = fx_text_dup(request->namespace_);
    trigger->username = fx_text_dup(fx_tree_view_string(request->user_info, "username"));
    trigger->identity = print_identity(object, request->namespace_);
    write_parts(&trigger->parts, request, object);
    if (trigger->rules == NULL || trigger->namespace_ == NULL ||
        trigger->username == NULL || trigger->identity == NULL || trigger->parts.failed) {
        destroy(trigger);
        return NULL;
    }
    memcpy(trigger->rules, rules, n_rules * sizeof *rules);
    trigger->n_rules = n_rules;
    return trigger;
}

struct fx_trigger *fx_trigger_ref(struct fx_trigger *trigger) {
    (void)atomic_fetch_add_explicit(&trigger->refs, 1, memory_order_relaxed);
    return trigger;
}

void fx_trigger_unref(struct fx_trigger *trigger) {
    if (trigger != NULL &&
        atomic_fetch_sub_explicit(&trigger->refs, 1, memory_order_acq_rel) == 1) {
        destroy(trigger);
    }
}

/* ---- the view --------------------------------------------------------------------- */

static json_t *view_part(const json_t *parts, enum part part) {
    json_t *node = json_array_get(parts, part);
    return json_is_null(node) ? NULL : node;
}

bool fx_trigger_view(const struct fx_trigger *trigger, struct fx_trigger_view *ret_view,
                     struct fx_err *err) {
    json_t *parts = fx_json_read(fx_buf_view(&trigger->parts), NULL, err);
    if (parts == NULL) {
        return false;
    }
    *ret_view = (struct fx_trigger_view){
        .parts = parts,
        .object = view_part(parts, PART_OBJECT),
        .request =
            {
                .operation = trigger->operation,
                .source = FX_SOURCE_ORIGINAL,
                .namespace_ = {trigger->namespace_, strlen(trigger->namespace_)},
                .namespace_object = view_part(parts, PART_NAMESPACE),
                .user_info = view_part(parts, PART_USER),
                .old_object = view_part(parts, PART_OLD),
                .admission = view_part(parts, PART_ADMISSION),
            },
    };
    return true;
}

void fx_trigger_view_finish(struct fx_trigger_view *view) {
    if (view->object != NULL && is_secret(view->object)) {
        fx_tree_wipe(view->parts);
    }
    json_decref(view->parts);
    *view = (struct fx_trigger_view){.parts = NULL};
}
