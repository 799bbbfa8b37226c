/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/undo.c - mutators that undo each other: in a cycle, every change is undone by
 * a later one. The mutators that change one field are one finding.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/vec.h"
#include "value/pointer.h"

#define CHANGES_MAX      256u /* of one cycle that are checked */
#define FIELDS_OF_A_STEP 8u   /* of one change that are checked */

/* One field that one step changed. */
struct change {
    size_t step;
    char *path;
    bool is_reported;
};

struct changes {
    struct change *items;
    size_t n_items, cap_items;
};

struct undo {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    struct trial_record record;
    struct changes changes;
    bool settles;
};

static void undo_finish(struct undo *undo) {
    for (size_t i = 0; i < undo->changes.n_items; i++) {
        free(undo->changes.items[i].path);
    }
    free(undo->changes.items);
    fx_trial_record_finish(&undo->record);
}

static bool add_change(struct changes *changes, size_t step, struct fx_text path,
                       struct fx_err *err) {
    if (!FX_VEC_GROW(changes->items, changes->n_items, changes->cap_items)) {
        return fx_fail_nomem(err);
    }
    struct change change = {.step = step, .path = fx_text_dup(path)};
    if (change.path == NULL) {
        return fx_fail_nomem(err);
    }
    changes->items[changes->n_items++] = change;
    return true;
}

static bool list_changes(struct undo *undo, struct fx_err *err) {
    const struct trial_record *record = &undo->record;
    for (size_t i = 0; i < record->n_steps && undo->changes.n_items < CHANGES_MAX; i++) {
        struct fx_patch patch;
        if (!fx_analyzer_diff(undo->analyzer, record->steps[i].before,
                              record->steps[i].after, &patch, err)) {
            return false;
        }
        for (size_t k = 0; k < patch.n_ops && k < FIELDS_OF_A_STEP; k++) {
            if (!add_change(&undo->changes, i, patch.ops[k].path, err)) {
                return false;
            }
        }
    }
    return true;
}

static bool are_related(const char *a, const char *b) {
    return fx_analyzer_path_begins(a, b) || fx_analyzer_path_begins(b, a);
}

/* The shortest path that is, or contains, that of the change: it shows all of them. */
static const char *field_around(const struct changes *changes, size_t at) {
    const char *path = changes->items[at].path;
    for (size_t i = at + 1; i < changes->n_items; i++) {
        if (fx_analyzer_path_begins(changes->items[i].path, path)) {
            path = changes->items[i].path;
        }
    }
    return path;
}

static void add_mutator(struct fx_analysis_finding *finding, uint32_t mutator) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        if (finding->mutators[i] == mutator) {
            return;
        }
    }
    if (finding->n_mutators < FX_ANALYSIS_MUTATORS) {
        finding->mutators[finding->n_mutators++] = mutator;
    }
}

static void add_value(struct fx_analysis_finding *finding, json_t *object) {
    if (finding->n_values < FX_ANALYSIS_VALUES) {
        finding->values[finding->n_values++] =
            fx_pointer_view(object, fx_text_of(finding->path));
    }
}

/* Adds to the finding each change of the field, in order, and its values. */
static void gather(struct undo *undo, size_t at, struct fx_analysis_finding *finding) {
    size_t last = SIZE_MAX;
    for (size_t i = at; i < undo->changes.n_items; i++) {
        struct change *change = &undo->changes.items[i];
        if (!are_related(finding->path, change->path)) {
            continue;
        }
        change->is_reported = true;
        if (change->step == last) {
            continue;
        }
        const struct trial_step *step = &undo->record.steps[change->step];
        if (last == SIZE_MAX) {
            add_value(finding, step->before);
        }
        last = change->step;
        add_mutator(finding, step->mutator);
        add_value(finding, step->after);
    }
}

/* "Assign/a, Assign/b and Assign/c" */
static void print_ids(struct fx_buf *buf, const struct analyzer *analyzer,
                      const struct fx_analysis_finding *finding) {
    for (size_t i = 0; i < finding->n_mutators; i++) {
        const bool last = i + 1 == finding->n_mutators;
        fx_buf_str(buf, i == 0 ? "" : last ? " and " : ", ");
        fx_analyzer_print_id(buf, analyzer, finding->mutators[i]);
    }
}

static bool report_undo(struct undo *undo, struct fx_analysis_finding *finding,
                        struct fx_err *err) {
    struct fx_buf text = {0};
    print_ids(&text, undo->analyzer, finding);
    if (finding->n_mutators == 1) {
        finding->rule = FX_ANALYSIS_IDEMPOTENCE;
        fx_buf_str(&text, " changes its own result in each pass and never converges: "
                          "such an object is refused");
    } else if (undo->settles) {
        fx_buf_str(&text, " undo each other in every pass; which one comes last decides");
    } else {
        fx_buf_str(&text,
                   " undo each other and never converge: such an object is refused");
    }
    finding->text = text.data;
    const bool ok = text.failed
                        ? fx_fail_nomem(err)
                        : fx_analyzer_report(undo->analyzer, undo->tcase, finding, err);
    fx_buf_finish(&text);
    return ok;
}

/* Plain list elements that are added and removed are reported as their list: cuts the
 * index off. */
static void lift(const struct undo *undo, size_t at, char *path) {
    char *last = strrchr(path, '/');
    if (last == NULL || last[1] == '\0' ||
        last[1 + strspn(last + 1, "0123456789")] != '\0') {
        return;
    }
    const struct trial_step *step = &undo->record.steps[undo->changes.items[at].step];
    const struct fx_text element = fx_text_of(path);
    const struct fx_text list = {path, (size_t)(last - path)};
    if (json_is_array(fx_pointer_view(step->before, list)) &&
        !json_is_object(fx_pointer_view(step->before, element)) &&
        !json_is_object(fx_pointer_view(step->after, element))) {
        *last = '\0';
    }
}

static bool report_field(struct undo *undo, size_t at, struct fx_err *err) {
    char *path = fx_text_dup(fx_text_of(field_around(&undo->changes, at)));
    if (path == NULL) {
        return fx_fail_nomem(err);
    }
    lift(undo, at, path);
    struct fx_analysis_finding finding = {.rule = FX_ANALYSIS_UNDO, .path = path};
    gather(undo, at, &finding);
    /* The cause is a change of another field. */
    for (size_t i = 0; finding.n_mutators == 1 && i < undo->record.n_steps; i++) {
        add_mutator(&finding, undo->record.steps[i].mutator);
    }
    const bool ok = report_undo(undo, &finding, err);
    free(path);
    return ok;
}

bool fx_analyzer_check_undo(struct analyzer *analyzer, const struct trial_case *tcase,
                            const struct trial *trial,
                            const struct trial_outcome *outcome, struct fx_err *err) {
    struct undo undo = {
        .analyzer = analyzer, .tcase = tcase, .settles = outcome->settled};
    bool ok = fx_trial_replay(trial, outcome->cycle_start, outcome->n_cycle_passes,
                              outcome->done, &undo.record, err) &&
              list_changes(&undo, err);
    for (size_t i = 0; ok && i < undo.changes.n_items; i++) {
        ok = undo.changes.items[i].is_reported || report_field(&undo, i, err);
    }
    undo_finish(&undo);
    return ok;
}
