/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/json.c - prints a report as one line of JSON. An absent value has no member, as
 * null is a value.
 */
#include "value/json.h"
#include "engine/request.h"
#include "explain/names.h"
#include "explain/report.h"

/* Functions return new references. NULL: the member is left out (`o*` of json_pack()); or
 * there is no memory, and `failed` is set. */
struct report_writer {
    const struct fx_explanation *explanation;
    bool failed;
};

/* Returns the node. Sets `failed` if it is NULL. */
static json_t *made(struct report_writer *writer, json_t *node) {
    writer->failed = writer->failed || node == NULL;
    return node;
}

/* Texts may contain malformed UTF-8: the writer replaces it with U+FFFD. */
static json_t *new_text(struct report_writer *writer, struct fx_text text) {
    return made(writer, json_stringn_nocheck(text.len > 0 ? text.data : "", text.len));
}

/* Returns NULL if the text is NULL. */
static json_t *new_string(struct report_writer *writer, const char *text) {
    return text == NULL ? NULL : new_text(writer, fx_text_of(text));
}

/* The text of the buffer. Finishes the buffer. */
static json_t *text_of(struct report_writer *writer, struct fx_buf *buf) {
    json_t *text = new_text(writer, fx_buf_view(buf));
    writer->failed = writer->failed || buf->failed;
    fx_buf_finish(buf);
    return text;
}

static json_t *value_of(struct report_writer *writer, json_t *value) {
    json_t *revealed =
        fx_reveal_placeholders(writer->explanation->input.trace->placeholders, value);
    writer->failed = writer->failed || (revealed == NULL && value != NULL);
    return revealed;
}

static void append_item(struct report_writer *writer, json_t *list, json_t *item) {
    writer->failed = json_array_append_new(list, item) != 0 || writer->failed;
}

/* Adds the members of `more`, and drops it. */
static void extend(struct report_writer *writer, json_t *object, json_t *more) {
    writer->failed =
        more == NULL || json_object_update(object, more) != 0 || writer->failed;
    json_decref(more);
}

static json_t *id_of(struct report_writer *writer, const char *kind,
                     struct fx_text name) {
    struct fx_buf id = {0};
    fx_buf_printf(&id, "%s/", kind);
    fx_buf_text(&id, name);
    return text_of(writer, &id);
}

/* The first members of a mutator's entry: `mutator` and `tier`. */
static json_t *begin_of(struct report_writer *writer, const struct fx_actor *actor) {
    return json_pack("{s:o, s:o*}", "mutator", id_of(writer, actor->kind, actor->name),
                     "tier",
                     actor->tier == 0 ? NULL : made(writer, json_integer(actor->tier)));
}

/* Adds the last members of a mutator's entry: `file` and `line`. */
static void add_origin(struct report_writer *writer, json_t *object,
                       const struct fx_origin *origin) {
    if (origin != NULL && origin->file != NULL) {
        extend(writer, object,
               json_pack("{s:o, s:I}", "file", new_string(writer, origin->file), "line",
                         (json_int_t)origin->line));
    }
}

/* ---- the object ------------------------------------------------------------------ */

static json_t *object_of(struct report_writer *writer, const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const bool has_namespace = subject.namespace_.len > 0;
    const bool is_generated = subject.name.len == 0 && subject.generate_name.len > 0;
    return json_pack("{s:o, s:o, s:o*, s:o, s:o*}", "apiVersion",
                     new_text(writer, subject.api_version), "kind",
                     new_text(writer, subject.kind), "namespace",
                     has_namespace ? new_text(writer, subject.namespace_) : NULL, "name",
                     new_text(writer, subject.name), "generateName",
                     is_generated ? new_text(writer, subject.generate_name) : NULL);
}

static const char *result_of(const struct fx_explain_input *input) {
    if (input->failure != NULL) {
        return input->failure->code == FX_ENOCONVERGE ? "notConverging"
               : input->failure->code == FX_EDENIED   ? "denied"
                                                      : "failed";
    }
    return input->skipped.data != NULL ? "skipped"
           : input->is_changed         ? "changed"
                                       : "unchanged";
}

static json_t *head_of(struct report_writer *writer) {
    const struct fx_explain_input *input = &writer->explanation->input;
    const uint32_t iterations = input->outcome == NULL ? 0 : input->outcome->iterations;
    return json_pack(
        "{s:o, s:o, s:I, s:s, s:I, s:o*}", "object", object_of(writer, input->object),
        "file", new_string(writer, input->file), "line", (json_int_t)input->line,
        "result", result_of(input), "iterations", (json_int_t)iterations, "skipped",
        input->skipped.data == NULL ? NULL : new_text(writer, input->skipped));
}

/* ---- fields ---------------------------------------------------------------------- */

static json_t *reads_of(struct report_writer *writer, const struct fx_trace_read *reads) {
    json_t *list = made(writer, json_array());
    for (; reads != NULL; reads = reads->next) {
        append_item(
            writer, list,
            json_pack("{s:o, s:o, s:o*, s:o*}", "name", new_text(writer, reads->name),
                      "value", new_text(writer, reads->value), "owner",
                      reads->owner.len == 0 ? NULL : new_text(writer, reads->owner),
                      "reads",
                      reads->reads == NULL ? NULL : reads_of(writer, reads->reads)));
    }
    return list;
}

/* What the value of a step was computed from; NULL if it is not known. */
static json_t *causes_of(struct report_writer *writer,
                         const struct fx_explain_cause *causes) {
    json_t *list = causes == NULL ? NULL : made(writer, json_array());
    for (; causes != NULL; causes = causes->next) {
        append_item(writer, list,
                    json_pack("{s:o, s:o, s:o*}", "part",
                              new_text(writer, causes->cause->part), "reads",
                              reads_of(writer, causes->cause->reads), "more",
                              causes->cause->is_cut ? json_true() : NULL));
    }
    return list;
}

static json_t *step_of(struct report_writer *writer,
                       const struct fx_explain_field_step *step, const json_t *before) {
    const struct fx_actor actor =
        fx_explanation_actor(writer->explanation, step->mutator, before);
    json_t *object = json_pack("{s:o*}", "value", value_of(writer, step->value));
    extend(writer, object, begin_of(writer, &actor));
    extend(writer, object,
           json_pack("{s:I, s:o*, s:o*}", "pass", (json_int_t)step->pass, "undoes",
                     step->undoes ? json_true() : NULL, "causes",
                     causes_of(writer, step->causes)));
    add_origin(writer, object, actor.origin);
    return object;
}

static json_t *field_of(struct report_writer *writer,
                        const struct fx_explain_field *field) {
    struct fx_buf path = {0};
    struct fx_buf pointer = {0};
    fx_explain_field_print_path(&path, field);
    fx_explain_field_print_pointer(&pointer, field);
    json_t *steps = made(writer, json_array());
    for (size_t i = 0; i < field->n_steps; i++) {
        append_item(writer, steps,
                    step_of(writer, &field->steps[i],
                            i > 0 ? field->steps[i - 1].value : field->initial));
    }
    return json_pack("{s:o, s:o, s:o*, s:o}", "path", text_of(writer, &path), "pointer",
                     text_of(writer, &pointer), "initial",
                     value_of(writer, field->initial), "steps", steps);
}

static json_t *fields_of(struct report_writer *writer) {
    const struct fx_explain_fields *fields = &writer->explanation->fields;
    json_t *list = made(writer, json_array());
    for (size_t i = 0; i < fields->n_items; i++) {
        if (fx_explanation_includes(writer->explanation, fields->items[i])) {
            append_item(writer, list, field_of(writer, fields->items[i]));
        }
    }
    return list;
}

/* ---- mutators that did not act --------------------------------------------------- */

static json_t *criterion_of(struct report_writer *writer,
                            const struct fx_inactive *inactive) {
    const struct fx_criterion *policy = &inactive->policy;
    const bool has_found = inactive->found.len > 0;
    return json_pack("{s:o, s:o, s:o*, s:o*}", "criterion",
                     new_text(writer, fx_buf_view(&policy->field)), "wanted",
                     new_text(writer, fx_buf_view(&policy->wanted)), "found",
                     has_found ? new_text(writer, inactive->found) : NULL, "pass",
                     has_found ? made(writer, json_integer(inactive->pass)) : NULL);
}

/* The other mutators in the conflicts of the mutator. */
static json_t *conflicts_of(struct report_writer *writer, uint32_t index) {
    const struct fx_snapshot *snapshot = writer->explanation->input.snapshot;
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[index];
    json_t *list = made(writer, json_array());
    for (size_t i = 0; i < set->n_members; i++) {
        const struct fx_mutator *other = snapshot->mutators[set->members[i]];
        if (set->members[i] != index) {
            append_item(writer, list,
                        id_of(writer, other->kind, fx_text_of(other->full_name)));
        }
    }
    return list;
}

static json_t *inactive_of(struct report_writer *writer,
                           const struct fx_inactive *inactive) {
    const struct fx_actor actor =
        fx_actor_of(writer->explanation->input.snapshot->mutators[inactive->mutator]);
    json_t *object = begin_of(writer, &actor);
    extend(writer, object,
           json_pack("{s:s}", "reason", fx_inactive_reason_name(inactive->reason)));
    if (inactive->criterion[0] != '\0') {
        extend(writer, object, criterion_of(writer, inactive));
    }
    extend(writer, object,
           json_pack("{s:o*, s:o*}", "message", new_string(writer, inactive->failure),
                     "conflicts",
                     inactive->reason == FX_INACTIVE_CONFLICT
                         ? conflicts_of(writer, inactive->mutator)
                         : NULL));
    add_origin(writer, object, actor.origin);
    return object;
}

static json_t *inactive_list_of(struct report_writer *writer,
                                const struct fx_inactive_list *list) {
    /* No mutator was matched against a skipped object. */
    const bool is_skipped = writer->explanation->input.skipped.data != NULL;
    json_t *objects = made(writer, json_array());
    for (size_t i = 0; !is_skipped && i < list->n_items; i++) {
        append_item(writer, objects, inactive_of(writer, &list->items[i]));
    }
    return objects;
}

/* ---- ignored failures ------------------------------------------------------------ */

/* NULL if it is not known which part of the policy failed. */
static json_t *part_of(struct report_writer *writer, struct fx_text part) {
    return part.len == 0 ? NULL : new_text(writer, part);
}

static json_t *ignored_of(struct report_writer *writer,
                          const struct fx_skipped_mutator *skipped) {
    const struct fx_actor actor =
        fx_actor_of(writer->explanation->input.snapshot->mutators[skipped->mutator]);
    json_t *object = begin_of(writer, &actor);
    extend(writer, object,
           json_pack("{s:I, s:o*, s:o}", "pass", (json_int_t)skipped->pass, "part",
                     part_of(writer, skipped->part), "message",
                     new_string(writer, skipped->message)));
    add_origin(writer, object, actor.origin);
    return object;
}

/* The failures that were reported and ignored; NULL if there are none. */
static json_t *ignored_list_of(struct report_writer *writer) {
    const struct fx_outcome *outcome = writer->explanation->input.outcome;
    json_t *list = NULL;
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        if (outcome->skipped[i].is_reported) {
            list = list == NULL ? made(writer, json_array()) : list;
            append_item(writer, list, ignored_of(writer, &outcome->skipped[i]));
        }
    }
    return list;
}

/* ---- validators ------------------------------------------------------------------ */

static json_t *violation_of(struct report_writer *writer,
                            const struct fx_violation *violation) {
    const struct fx_explanation *explanation = writer->explanation;
    const struct fx_actor actor =
        fx_actor_of(explanation->input.snapshot->mutators[violation->mutator]);
    json_t *object = begin_of(writer, &actor);
    extend(writer, object,
           json_pack("{s:o*, s:o, s:o*}", "part", part_of(writer, violation->part),
                     "entry", new_text(writer, violation->entry), "message",
                     new_string(writer, fx_explanation_validator_error(
                                            explanation, violation->mutator))));
    add_origin(writer, object, actor.origin);
    return object;
}

/* The violations of one action. */
static json_t *violations_of(struct report_writer *writer, enum fx_action action) {
    const struct fx_outcome *outcome = writer->explanation->input.outcome;
    json_t *list = made(writer, json_array());
    for (size_t i = 0; outcome != NULL && i < outcome->n_violations; i++) {
        if (outcome->violations[i].action == action) {
            append_item(writer, list, violation_of(writer, &outcome->violations[i]));
        }
    }
    return list;
}

/* The violations of one action; NULL if there are none. */
static json_t *any_violations_of(struct report_writer *writer, enum fx_action action) {
    json_t *list = violations_of(writer, action);
    if (json_array_size(list) == 0) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The report on validators, and on mutators whose failures deny the request; NULL if
 * there are neither. */
static json_t *validators_of(struct report_writer *writer) {
    const struct fx_explanation *explanation = writer->explanation;
    const struct fx_outcome *outcome = explanation->input.outcome;
    if (fx_explanation_validators(explanation) == 0 &&
        (outcome == NULL || outcome->n_violations == 0)) {
        return NULL;
    }
    return made(writer, json_pack("{s:o, s:o*, s:o*, s:o}", "denied",
                                  violations_of(writer, FX_ACTION_DENY), "warned",
                                  any_violations_of(writer, FX_ACTION_WARN), "audited",
                                  any_violations_of(writer, FX_ACTION_AUDIT), "inactive",
                                  inactive_list_of(writer, &explanation->validators)));
}

/* ---- rules for existing objects -------------------------------------------------- */

/* NULL if there are no such rules. */
static json_t *existing_of(struct report_writer *writer) {
    const struct fx_explanation *explanation = writer->explanation;
    const struct fx_outcome *outcome = explanation->input.outcome;
    if (fx_explanation_existing(explanation) == 0) {
        return NULL;
    }
    json_t *list = made(writer, json_array());
    for (size_t i = 0; outcome != NULL && i < outcome->n_triggered; i++) {
        const struct fx_actor actor =
            fx_actor_of(explanation->input.snapshot->mutators[outcome->triggered[i]]);
        append_item(writer, list, begin_of(writer, &actor));
    }
    return made(writer, json_pack("{s:o, s:o}", "triggered", list, "inactive",
                                  inactive_list_of(writer, &explanation->existing)));
}

/* ---- failures -------------------------------------------------------------------- */

static json_t *failure_of(struct report_writer *writer) {
    const struct fx_explain_input *input = &writer->explanation->input;
    const struct fx_outcome *outcome = input->outcome;
    if (input->failure == NULL) {
        return NULL;
    }
    const bool is_denied = outcome != NULL && outcome->denial.len > 0;
    json_t *object = made(
        writer, json_pack("{s:o}", "message",
                          new_text(writer, is_denied ? outcome->denial
                                                     : fx_text_of(input->failure->msg))));
    if (outcome != NULL && outcome->failed != NULL) {
        const struct fx_actor actor = fx_actor_of(outcome->failed);
        extend(writer, object, begin_of(writer, &actor));
        add_origin(writer, object, actor.origin);
    }
    return object;
}

static json_t *cycle_step_of(struct report_writer *writer,
                             const struct fx_trace_change *change) {
    const struct fx_actor actor =
        fx_explanation_actor(writer->explanation, change->mutator, change->from);
    json_t *object = json_pack("{s:o*, s:o*}", "from", value_of(writer, change->from),
                               "to", value_of(writer, change->to));
    extend(writer, object, begin_of(writer, &actor));
    extend(writer, object, json_pack("{s:I}", "pass", (json_int_t)change->pass));
    add_origin(writer, object, actor.origin);
    return object;
}

static json_t *cycle_field_of(struct report_writer *writer,
                              const struct fx_cycle_field *field) {
    struct fx_buf path = {0};
    fx_print_pointer(&path, writer->explanation->fields.object, field->path);
    json_t *steps = made(writer, json_array());
    for (size_t i = 0; i < field->n_changes; i++) {
        append_item(writer, steps, cycle_step_of(writer, &field->changes[i]));
    }
    return json_pack("{s:o, s:o, s:I, s:o}", "path", text_of(writer, &path), "pointer",
                     new_text(writer, field->path), "period", (json_int_t)field->period,
                     "steps", steps);
}

/* The cycle; NULL if the object converges. */
static json_t *cycle_of(struct report_writer *writer) {
    const struct fx_explain_input *input = &writer->explanation->input;
    if (input->failure == NULL || input->failure->code != FX_ENOCONVERGE ||
        input->outcome == NULL) {
        return NULL;
    }
    json_t *list = made(writer, json_array());
    for (size_t i = 0; i < input->outcome->n_cycle_fields; i++) {
        append_item(writer, list,
                    cycle_field_of(writer, &input->outcome->cycle_fields[i]));
    }
    return list;
}

void fx_explanation_print_json(struct fx_buf *buf,
                               const struct fx_explanation *explanation) {
    struct report_writer writer = {explanation, false};
    json_t *document = head_of(&writer);
    extend(&writer, document,
           json_pack("{s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*}", "fields",
                     fields_of(&writer), "inactive",
                     inactive_list_of(&writer, &explanation->inactive), "ignored",
                     ignored_list_of(&writer), "validators", validators_of(&writer),
                     "existing", existing_of(&writer), "failure", failure_of(&writer),
                     "cycle", cycle_of(&writer)));
    buf->failed = buf->failed || writer.failed || document == NULL;
    if (!buf->failed) {
        fx_json_write(buf, document, FX_JSON_COMPACT);
        fx_buf_char(buf, '\n');
    }
    json_decref(document);
}
