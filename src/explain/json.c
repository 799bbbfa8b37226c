/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/json.c - a report as JSON, one document in a line. An absent value has no
 * member; null is a value.
 */
#include "explain/report.h"

#include "engine/request.h"
#include "explain/names.h"
#include "value/json.h"

/* Writes the members of one object: commas between, values as they come. */
struct members {
    struct fx_buf *buf;
    bool is_begun;
};

static struct members begin(struct fx_buf *buf) {
    fx_buf_char(buf, '{');
    return (struct members){buf, false};
}

static void end(struct members *members) {
    fx_buf_char(members->buf, '}');
}

static struct fx_buf *add_key(struct members *members, const char *key) {
    fx_buf_str(members->buf, members->is_begun ? "," : "");
    members->is_begun = true;
    fx_json_write_string(members->buf, fx_text_of(key), FX_JSON_COMPACT);
    fx_buf_char(members->buf, ':');
    return members->buf;
}

static void add_text(struct members *members, const char *key, struct fx_text text) {
    fx_json_write_string(add_key(members, key), text, FX_JSON_COMPACT);
}

/* What was written to `text`, which is finished. */
static void add_buf(struct members *members, const char *key, struct fx_buf *text) {
    add_text(members, key, (struct fx_text){text->data, text->len});
    members->buf->failed = members->buf->failed || text->failed;
    fx_buf_finish(text);
}

static void add_number(struct members *members, const char *key, uint32_t number) {
    fx_buf_printf(add_key(members, key), "%u", (unsigned)number);
}

static void add_value(struct members *members, const char *key,
                      const struct fx_explanation *explanation, json_t *value) {
    if (value == NULL) {
        return;
    }
    json_t *revealed =
        fx_reveal_placeholders(explanation->input.trace->placeholders, value);
    struct fx_buf *buf = add_key(members, key);
    if (revealed == NULL) {
        buf->failed = true;
        return;
    }
    fx_json_write(buf, revealed, FX_JSON_COMPACT);
    json_decref(revealed);
}

static void add_origin(struct members *members, const struct fx_origin *origin) {
    if (origin != NULL && origin->file != NULL) {
        add_text(members, "file", fx_text_of(origin->file));
        add_number(members, "line", origin->line);
    }
}

static void add_mutator(struct members *members, const struct fx_actor *actor) {
    struct fx_buf id;
    fx_buf_init(&id, 0);
    fx_buf_printf(&id, "%s/", actor->kind);
    fx_buf_text(&id, actor->name);
    add_buf(members, "mutator", &id);
    if (actor->tier != 0) {
        fx_buf_printf(add_key(members, "tier"), "%d", (int)actor->tier);
    }
}

/* ---- the object ------------------------------------------------------------------ */

static void add_object(struct members *document, const struct fx_explain_input *input) {
    struct fx_subject subject;
    fx_subject_read(input->object, &subject);
    struct members members = begin(add_key(document, "object"));
    add_text(&members, "apiVersion", subject.api_version);
    add_text(&members, "kind", subject.kind);
    if (subject.namespace_.len > 0) {
        add_text(&members, "namespace", subject.namespace_);
    }
    add_text(&members, "name", subject.name);
    if (subject.name.len == 0 && subject.generate_name.len > 0) {
        add_text(&members, "generateName", subject.generate_name);
    }
    end(&members);
    add_text(document, "file", fx_text_of(input->file));
    add_number(document, "line", input->line);
}

static void add_result(struct members *document,
                       const struct fx_explanation *explanation) {
    const struct fx_outcome *outcome = explanation->input.outcome;
    const struct fx_err *failure = explanation->input.failure;
    const char *words = "unchanged";
    if (failure != NULL) {
        words = failure->code == FX_ENOCONVERGE ? "notConverging"
                : failure->code == FX_EDENIED   ? "denied"
                                                : "failed";
    } else if (explanation->input.skipped.data != NULL) {
        words = "skipped";
    } else if (explanation->input.is_changed) {
        words = "changed";
    }
    add_text(document, "result", fx_text_of(words));
    add_number(document, "iterations", outcome == NULL ? 0 : outcome->iterations);
    if (explanation->input.skipped.data != NULL) {
        add_text(document, "skipped", explanation->input.skipped);
    }
}

/* ---- fields ---------------------------------------------------------------------- */

static void add_step(struct fx_buf *buf, const struct fx_explanation *explanation,
                     const struct fx_field_step *step, const json_t *before) {
    const struct fx_actor actor =
        fx_explanation_actor(explanation, step->mutator, before);
    struct members members = begin(buf);
    add_value(&members, "value", explanation, step->value);
    add_mutator(&members, &actor);
    add_number(&members, "pass", step->pass);
    add_origin(&members, actor.origin);
    end(&members);
}

static void add_field(struct fx_buf *buf, const struct fx_explanation *explanation,
                      const struct fx_field *field) {
    struct members members = begin(buf);
    struct fx_buf path;
    struct fx_buf pointer;
    fx_buf_init(&path, 0);
    fx_buf_init(&pointer, 0);
    fx_field_print_path(&path, field);
    fx_field_print_pointer(&pointer, field);
    add_buf(&members, "path", &path);
    add_buf(&members, "pointer", &pointer);
    add_value(&members, "initial", explanation, field->initial);
    fx_buf_char(add_key(&members, "steps"), '[');
    for (size_t i = 0; i < field->n_steps; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        add_step(buf, explanation, &field->steps[i],
                 i > 0 ? field->steps[i - 1].value : field->initial);
    }
    fx_buf_char(buf, ']');
    end(&members);
}

static void add_fields(struct members *document,
                       const struct fx_explanation *explanation) {
    struct fx_buf *buf = add_key(document, "fields");
    size_t count = 0;
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < explanation->fields.n_items; i++) {
        if (fx_explanation_includes(explanation, explanation->fields.items[i])) {
            fx_buf_str(buf, count++ > 0 ? "," : "");
            add_field(buf, explanation, explanation->fields.items[i]);
        }
    }
    fx_buf_char(buf, ']');
}

/* ---- mutators that did not act --------------------------------------------------- */

static void add_criterion(struct members *members, const struct fx_inactive *inactive) {
    const struct fx_criterion *policy = &inactive->policy;
    add_text(members, "criterion",
             (struct fx_text){policy->field.data, policy->field.len});
    add_text(members, "wanted",
             (struct fx_text){policy->wanted.data, policy->wanted.len});
    if (inactive->found.len > 0) {
        add_text(members, "found", inactive->found);
        add_number(members, "pass", inactive->pass);
    }
}

static void add_conflicts(struct members *members, const struct fx_snapshot *snapshot,
                          uint32_t index) {
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[index];
    struct fx_buf *buf = add_key(members, "conflicts");
    size_t count = 0;
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < set->n_members; i++) {
        const struct fx_mutator *other = snapshot->mutators[set->members[i]];
        if (set->members[i] != index) {
            struct fx_buf id;
            fx_buf_init(&id, 0);
            fx_buf_printf(&id, "%s/%s", other->kind, other->full_name);
            fx_buf_str(buf, count++ > 0 ? "," : "");
            fx_json_write_string(buf, (struct fx_text){id.data, id.len}, FX_JSON_COMPACT);
            buf->failed = buf->failed || id.failed;
            fx_buf_finish(&id);
        }
    }
    fx_buf_char(buf, ']');
}

static void add_inactive(struct fx_buf *buf, const struct fx_snapshot *snapshot,
                         const struct fx_inactive *inactive) {
    const struct fx_mutator *mutator = snapshot->mutators[inactive->mutator];
    const struct fx_actor actor = fx_actor_of(mutator);
    struct members members = begin(buf);
    add_mutator(&members, &actor);
    add_text(&members, "reason", fx_text_of(fx_inactive_reason_name(inactive->reason)));
    if (inactive->criterion[0] != '\0') {
        add_criterion(&members, inactive);
    }
    if (inactive->failure != NULL) {
        add_text(&members, "message", fx_text_of(inactive->failure));
    }
    if (inactive->reason == FX_INACTIVE_CONFLICT) {
        add_conflicts(&members, snapshot, inactive->mutator);
    }
    add_origin(&members, &mutator->origin);
    end(&members);
}

static void add_inactive_list(struct members *document,
                              const struct fx_explanation *explanation,
                              const struct fx_inactive_list *list) {
    struct fx_buf *buf = add_key(document, "inactive");
    fx_buf_char(buf, '[');
    /* Of a skipped object no mutator was asked. */
    const size_t count = explanation->input.skipped.data != NULL ? 0 : list->n_items;
    for (size_t i = 0; i < count; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        add_inactive(buf, explanation->input.snapshot, &list->items[i]);
    }
    fx_buf_char(buf, ']');
}

/* ---- validators ----------------------------------------------------------------------
 */

static void add_refusal(struct fx_buf *buf, const struct fx_explanation *explanation,
                        const struct fx_refusal *refusal) {
    const struct fx_mutator *mutator =
        explanation->input.snapshot->mutators[refusal->mutator];
    const struct fx_actor actor = fx_actor_of(mutator);
    const char *less = fx_explanation_validator_error(explanation, refusal->mutator);
    struct members members = begin(buf);
    add_mutator(&members, &actor);
    add_text(&members, "entry", refusal->entry);
    if (less != NULL) {
        add_text(&members, "message", fx_text_of(less));
    }
    add_origin(&members, &mutator->origin);
    end(&members);
}

static void add_validators(struct members *document,
                           const struct fx_explanation *explanation) {
    const struct fx_outcome *outcome = explanation->input.outcome;
    if (fx_explanation_validators(explanation) == 0) {
        return;
    }
    struct members members = begin(add_key(document, "validators"));
    struct fx_buf *buf = add_key(&members, "denied");
    fx_buf_char(buf, '[');
    for (size_t i = 0; outcome != NULL && i < outcome->n_refusals; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        add_refusal(buf, explanation, &outcome->refusals[i]);
    }
    fx_buf_char(buf, ']');
    add_inactive_list(&members, explanation, &explanation->validators);
    end(&members);
}

/* ---- failures -------------------------------------------------------------------- */

static void add_failure(struct members *document,
                        const struct fx_explanation *explanation) {
    const struct fx_outcome *outcome = explanation->input.outcome;
    struct members members = begin(add_key(document, "failure"));
    const bool denied = outcome != NULL && outcome->denial.len > 0;
    add_text(&members, "message",
             denied ? outcome->denial : fx_text_of(explanation->input.failure->msg));
    if (outcome != NULL && outcome->failed != NULL) {
        const struct fx_actor actor = fx_actor_of(outcome->failed);
        add_mutator(&members, &actor);
        add_origin(&members, actor.origin);
    }
    end(&members);
}

static void add_cycle_step(struct fx_buf *buf, const struct fx_explanation *explanation,
                           const struct fx_trace_change *change) {
    const struct fx_actor actor =
        fx_explanation_actor(explanation, change->mutator, change->from);
    struct members members = begin(buf);
    add_value(&members, "from", explanation, change->from);
    add_value(&members, "to", explanation, change->to);
    add_mutator(&members, &actor);
    add_number(&members, "pass", change->pass);
    add_origin(&members, actor.origin);
    end(&members);
}

static void add_cycle_field(struct fx_buf *buf, const struct fx_explanation *explanation,
                            const struct fx_turn *turn) {
    struct members members = begin(buf);
    struct fx_buf path;
    fx_buf_init(&path, 0);
    fx_print_pointer(&path, explanation->fields.object, turn->path);
    add_buf(&members, "path", &path);
    add_text(&members, "pointer", turn->path);
    add_number(&members, "period", turn->period);
    fx_buf_char(add_key(&members, "steps"), '[');
    for (size_t i = 0; i < turn->n_changes; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        add_cycle_step(buf, explanation, &turn->changes[i]);
    }
    fx_buf_char(buf, ']');
    end(&members);
}

static void add_cycle(struct members *document, const struct fx_explanation *explanation,
                      const struct fx_outcome *outcome) {
    struct fx_buf *buf = add_key(document, "cycle");
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < outcome->n_turns; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        add_cycle_field(buf, explanation, &outcome->turns[i]);
    }
    fx_buf_char(buf, ']');
}

void fx_explanation_print_json(struct fx_buf *buf,
                               const struct fx_explanation *explanation) {
    const struct fx_err *failure = explanation->input.failure;
    struct members document = begin(buf);
    add_object(&document, &explanation->input);
    add_result(&document, explanation);
    add_fields(&document, explanation);
    add_inactive_list(&document, explanation, &explanation->inactive);
    add_validators(&document, explanation);
    if (failure != NULL) {
        add_failure(&document, explanation);
    }
    if (failure != NULL && failure->code == FX_ENOCONVERGE &&
        explanation->input.outcome != NULL) {
        add_cycle(&document, explanation, explanation->input.outcome);
    }
    end(&document);
    fx_buf_char(buf, '\n');
}
