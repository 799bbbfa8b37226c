/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/emit.c - prints results, one function for each format. Also prints warnings (of
 * policies that warn, audit or were skipped), denials and failed mutations:
 *
 *   pods.yaml:1: error: Pod/shop/web: mutation not converging: ...
 *     these mutators keep changing it, in this order:
 *       AssignImage/a  /spec/containers/0/image  (policies/a.yaml:1)
 */
#include "cli/emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/linediff.h"
#include "explain/names.h"
#include "policy/plain.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"
#include "value/yaml.h"

const char *const fx_format_words[] = {
#define X(name, text) [FX_FORMAT_##name] = text,
    FX_FORMATS(X)
#undef X
        NULL,
};

void fx_emitter_finish(struct fx_emitter *emitter) {
    fx_buf_finish(&emitter->out);
    json_decref(emitter->items);
}

static bool add_yaml(struct fx_emitter *emitter, const struct fx_input_object *object,
                     const struct fx_answer *answer, struct fx_err *err) {
    (void)object;
    (void)err;
    if (emitter->n_done > 0) {
        fx_buf_str(&emitter->out, "---\n");
    }
    fx_yaml_write(&emitter->out, answer->object);
    return true;
}

static bool add_json(struct fx_emitter *emitter, const struct fx_input_object *object,
                     const struct fx_answer *answer, struct fx_err *err) {
    (void)object;
    if (emitter->single) {
        fx_json_write(&emitter->out, answer->object, FX_JSON_INDENT);
        fx_buf_char(&emitter->out, '\n');
        return true;
    }
    if (emitter->items == NULL) {
        emitter->items = json_array();
    }
    return json_array_append(emitter->items, answer->object) == 0 || fx_fail_nomem(err);
}

static void add_member(struct fx_buf *out, const char *key, struct fx_text value) {
    fx_json_write_string(out, fx_text_of(key), FX_JSON_COMPACT);
    fx_buf_char(out, ':');
    fx_json_write_string(out, value, FX_JSON_COMPACT);
    fx_buf_char(out, ',');
}

/* Adds members that identify the object of the patch. The JSON object stays open. */
static void add_identity(struct fx_buf *out, const struct fx_input_object *object) {
    const json_t *metadata = fx_tree_view_key(object->root, "metadata");
    const struct fx_text namespace_ = fx_tree_view_string(metadata, "namespace");
    add_member(out, "file", fx_text_of(object->file));
    add_member(out, "apiVersion", fx_tree_view_string(object->root, "apiVersion"));
    add_member(out, "kind", fx_tree_view_string(object->root, "kind"));
    if (namespace_.len > 0) {
        add_member(out, "namespace", namespace_);
    }
    add_member(out, "name", fx_tree_view_string(metadata, "name"));
}

static bool add_patch(struct fx_emitter *emitter, const struct fx_input_object *object,
                      const struct fx_answer *answer, struct fx_err *err) {
    (void)err;
    struct fx_buf *out = &emitter->out;
    if (!emitter->single) {
        fx_buf_char(out, '{');
        add_identity(out, object);
        fx_buf_str(out, "\"patch\":");
    }
    if (answer->patch != NULL) {
        fx_patch_write(out, answer->patch, FX_JSON_COMPACT);
    } else {
        fx_buf_str(out, "[]");
    }
    fx_buf_str(out, emitter->single ? "\n" : "}\n");
    return true;
}

/* "a/Pod/shop/web<TAB>pods.yaml:3": tools do not count the text after the tab as part of
 * the name. */
static void print_side(struct fx_buf *buf, char side,
                       const struct fx_input_object *object) {
    fx_buf_printf(buf, "%c/", side);
    fx_print_object(buf, object->root);
    fx_buf_char(buf, '\t');
    fx_plain_add(buf, fx_text_of(object->file));
    fx_buf_printf(buf, ":%u", (unsigned)object->line);
}

static bool write_diff(struct fx_emitter *emitter, const struct fx_buf texts[2],
                       const struct fx_buf sides[2], struct fx_err *err) {
    if (texts[0].failed || texts[1].failed || sides[0].failed || sides[1].failed) {
        return fx_fail_nomem(err);
    }
    const struct fx_linediff_names names = {sides[0].data, sides[1].data};
    return fx_linediff_unified(
        &emitter->out, (struct fx_text){texts[0].data, texts[0].len},
        (struct fx_text){texts[1].data, texts[1].len}, &names, emitter->colour, err);
}

static bool add_diff(struct fx_emitter *emitter, const struct fx_input_object *object,
                     const struct fx_answer *answer, struct fx_err *err) {
    if (answer->patch == NULL) {
        return true;
    }
    struct fx_buf texts[2];
    struct fx_buf sides[2];
    for (size_t i = 0; i < 2; i++) {
        fx_buf_init(&texts[i], 0);
        fx_buf_init(&sides[i], 0);
        fx_yaml_write(&texts[i], i == 0 ? object->root : answer->object);
        print_side(&sides[i], i == 0 ? 'a' : 'b', object);
    }
    const bool ok = write_diff(emitter, texts, sides, err);
    for (size_t i = 0; i < 2; i++) {
        fx_buf_finish(&texts[i]);
        fx_buf_finish(&sides[i]);
    }
    return ok;
}

static bool add_review(struct fx_emitter *emitter, const struct fx_input_object *object,
                       const struct fx_answer *answer, struct fx_err *err) {
    (void)object;
    (void)err;
    const struct fx_buf *body = answer->result->body;
    fx_buf_add(&emitter->out, body->data, body->len);
    fx_buf_char(&emitter->out, '\n');
    return true;
}

static bool (*const adders[])(struct fx_emitter *, const struct fx_input_object *,
                              const struct fx_answer *, struct fx_err *) = {
    [FX_FORMAT_YAML] = add_yaml,     [FX_FORMAT_JSON] = add_json,
    [FX_FORMAT_PATCH] = add_patch,   [FX_FORMAT_DIFF] = add_diff,
    [FX_FORMAT_REVIEW] = add_review,
};

bool fx_emitter_add(struct fx_emitter *emitter, const struct fx_input_object *object,
                    const struct fx_answer *answer, struct fx_err *err) {
    const bool failed = answer->object == NULL;
    if (failed && (emitter->format != FX_FORMAT_REVIEW || answer->result == NULL ||
                   answer->result->status != 200)) {
        return true;
    }
    if (!adders[emitter->format](emitter, object, answer, err)) {
        return false;
    }
    emitter->n_done++;
    emitter->differs = emitter->differs || answer->patch != NULL;
    return !emitter->out.failed || fx_fail_nomem(err);
}

bool fx_emitter_end(struct fx_emitter *emitter, struct fx_err *err) {
    if (emitter->format != FX_FORMAT_JSON || emitter->single) {
        return true;
    }
    json_t *items = emitter->items != NULL ? json_incref(emitter->items) : json_array();
    json_t *list =
        json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
    if (list == NULL) {
        return fx_fail_nomem(err);
    }
    fx_json_write(&emitter->out, list, FX_JSON_INDENT);
    fx_buf_char(&emitter->out, '\n');
    json_decref(list);
    return !emitter->out.failed || fx_fail_nomem(err);
}

/* ---- failures -------------------------------------------------------------------- */

/* "    Assign/a  /spec/x  (policies/a.yaml:1)" */
static void print_mutator(struct fx_buf *buf, const struct fx_mutator *mutator,
                          struct fx_text path) {
    fx_buf_printf(buf, "    %s/", mutator->kind);
    fx_plain_add(buf, fx_text_of(mutator->full_name));
    if (path.len > 0) {
        fx_buf_str(buf, "  ");
        fx_plain_add(buf, path);
    }
    if (mutator->origin.file != NULL) {
        fx_buf_str(buf, "  (");
        fx_plain_add(buf, fx_text_of(mutator->origin.file));
        fx_buf_printf(buf, ":%u)", (unsigned)mutator->origin.line);
    }
    fx_buf_char(buf, '\n');
}

static void print_cycle(struct fx_buf *buf, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    if (outcome == NULL || outcome->n_cycle == 0) {
        return;
    }
    fx_buf_str(buf, "  these mutators keep changing it, in this order:\n");
    for (size_t i = 0; i < outcome->n_cycle; i++) {
        const struct fx_cycle_mutator *member = &outcome->cycle[i];
        print_mutator(buf, result->snapshot->mutators[member->mutator], member->path);
    }
}

static void print_deniers(struct fx_buf *buf, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    if (outcome == NULL || outcome->denial.len == 0) {
        return;
    }
    fx_buf_str(buf, "  denied by:\n");
    for (size_t i = 0; i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action == FX_ACTION_DENY) {
            print_mutator(buf, result->snapshot->mutators[violation->mutator],
                          FX_TEXT(""));
        }
    }
}

/* The message of the failure. The message of a denial is complete, as struct fx_err may
 * cut it. */
static char *message_of(const struct fx_review_result *result, const struct fx_err *err) {
    const bool denied = err->code == FX_EDENIED && result != NULL &&
                        result->outcome != NULL && result->outcome->denial.len > 0;
    return denied ? fx_text_dup(result->outcome->denial) : strdup(err->msg);
}

void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour) {
    struct fx_buf identity = {0};
    fx_print_object(&identity, object->root);
    char *file = strdup(object->file);
    char *message = message_of(result, err);
    if (file == NULL || message == NULL || identity.failed) {
        buf->failed = true;
    } else {
        const struct fx_finding finding = {
            .severity = FX_SEVERITY_ERROR,
            .file = file,
            .line = object->line,
            .id = identity.data,
            .text = message,
        };
        fx_finding_print(buf, &finding, colour);
        print_cycle(buf, result);
        print_deniers(buf, result);
    }
    free(file);
    free(message);
    fx_buf_finish(&identity);
}

/* ---- warnings -------------------------------------------------------------------- */

/* Prints the warnings of one object. */
struct object_warnings {
    struct fx_buf *buf;
    const struct fx_input_object *object;
    bool colour;
};

/* "rules.yaml:1: warning: Rule/shop/a: skipped for Pod/shop/web: …" */
static void print_warning(const struct object_warnings *warnings,
                          const struct fx_mutator *mutator, const char *before,
                          const char *after, struct fx_text message) {
    struct fx_buf *buf = warnings->buf;
    const struct fx_input_object *object = warnings->object;
    struct fx_buf id = {0};
    struct fx_buf line = {0};
    fx_buf_printf(&id, "%s/%s", mutator->kind, mutator->full_name);
    fx_buf_str(&line, before);
    fx_print_object(&line, object->root);
    fx_buf_str(&line, after);
    fx_buf_text(&line, message);
    const bool has_file = mutator->origin.file != NULL;
    char *file = strdup(has_file ? mutator->origin.file : object->file);
    if (file == NULL || id.failed || line.failed) {
        buf->failed = true;
    } else {
        const struct fx_finding finding = {
            .severity = FX_SEVERITY_WARNING,
            .file = file,
            .line = has_file ? mutator->origin.line : object->line,
            .id = id.data,
            .text = line.data,
        };
        fx_finding_print(buf, &finding, warnings->colour);
    }
    free(file);
    fx_buf_finish(&id);
    fx_buf_finish(&line);
}

void fx_failure_print_drops(struct fx_buf *buf, const struct fx_input_object *object,
                            const struct fx_review_result *result, bool colour) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    const struct object_warnings warnings = {buf, object, colour};
    for (size_t i = 0; outcome != NULL && i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action != FX_ACTION_DENY) {
            print_warning(&warnings, result->snapshot->mutators[violation->mutator], "",
                          violation->action == FX_ACTION_AUDIT ? ": audit: " : ": ",
                          violation->entry);
        }
    }
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *skipped = &outcome->skipped[i];
        print_warning(&warnings, result->snapshot->mutators[skipped->mutator],
                      skipped->fails ? "skipped for " : "", ": ",
                      fx_text_of(skipped->message));
    }
}
