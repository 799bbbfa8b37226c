/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/report.c - findings about a document, and those that need all documents:
 * repeated ids, conflicts, cycles, and missing providers.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "engine/input.h"
#include "policy/build.h"
#include "policy/findings.h"

bool fx_tally_takes(struct fx_tally *tally, enum fx_severity severity, const char *file) {
    if (tally->n_reported < FX_LIMIT_FINDINGS) {
        tally->n_reported++;
        return true;
    }
    if (tally->n_more++ == 0) {
        tally->file = file;
    }
    tally->worst = severity > tally->worst ? severity : tally->worst;
    return false;
}

/* Called at the end: appends one finding for all those that were only counted. */
static bool report_tally(const struct fx_tally *tally, struct fx_findings *findings) {
    if (tally->n_more == 0) {
        return true;
    }
    char text[sizeof "and  more" + 20];
    (void)snprintf(text, sizeof text, "and %zu more", tally->n_more);
    const struct fx_source_position nowhere = {0};
    return fx_findings_add(findings, tally->worst, tally->file, NULL, &nowhere, text);
}

bool fx_build_report_rest(struct fx_build *build) {
    return report_tally(&build->tally, &build->next->findings);
}

static struct fx_source_position position_of(const struct fx_build *build,
                                             const struct fx_err *fault) {
    if (build->input->is_flag || build->input->object != NULL) {
        return (struct fx_source_position){0};
    }
    if (build->documents == NULL) {
        return (struct fx_source_position){.line = build->line};
    }
    return fx_source_position_of_fault(build->input->text, &build->documents->marks,
                                       fault, build->line);
}

/* Appends a finding with the fault's message and, with `stays`, that the previous version
 * stays active. */
static bool report_at(struct fx_build *build, enum fx_severity severity,
                      const struct fx_source_position *position, const char *id,
                      const struct fx_err *fault, bool stays) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, fault->msg);
    fx_buf_str(&text, stays ? "; the previous version stays active" : "");
    const bool ok =
        !text.failed && fx_findings_add(&build->next->findings, severity,
                                        build->input->file, id, position, text.data);
    fx_buf_finish(&text);
    return ok;
}

bool fx_build_report(struct fx_build *build, enum fx_severity severity,
                     const struct fx_err *fault, bool stays) {
    if (!fx_tally_takes(&build->tally, severity, build->input->file)) {
        return true;
    }
    const struct fx_source_position position = position_of(build, fault);
    /* A message that begins with the id of the object does not get it again. */
    const bool named = build->id != NULL &&
                       !fx_text_starts(fx_text_of(fault->msg), fx_text_of(build->id));
    return report_at(build, severity, &position, named ? build->id : NULL, fault, stays);
}

bool fx_build_report_syntax(struct fx_build *build, const struct fx_err *fault,
                            bool stays) {
    const struct fx_source_position position =
        fx_source_position_of_offset(build->input->text, fault->off, fault->len);
    return report_at(build, FX_SEVERITY_ERROR, &position, NULL, fault, stays);
}

/* ---- all documents ----------------------------------------------------------------- */

/* The subject of a finding: one of the three. */
struct report_entry {
    const struct fx_unit *unit;
    const struct fx_mutator *mutator;
    const struct fx_resource *resource;
};

static const struct fx_origin *origin_of(const struct report_entry *entry) {
    return entry->unit != NULL      ? &entry->unit->origin
           : entry->mutator != NULL ? &entry->mutator->origin
                                    : &entry->resource->origin;
}

static const char *file_of(const struct report_entry *entry) {
    const char *file = origin_of(entry)->file;
    return file == NULL ? "" : file;
}

static void print_id(struct fx_buf *buf, const struct report_entry *entry) {
    if (entry->unit != NULL) {
        const char *space = entry->unit->namespace_;
        fx_buf_printf(buf, "%.*s/%s%s%s", FX_TEXT_ARG(fx_unit_kind_name(entry->unit)),
                      space == NULL ? "" : space, space == NULL ? "" : "/",
                      entry->unit->name);
    } else if (entry->mutator != NULL) {
        fx_buf_printf(buf, "%s/%s", entry->mutator->kind, entry->mutator->full_name);
    } else {
        fx_buf_printf(buf, "%s/%s", entry->resource->ops->kind, entry->resource->name);
    }
}

/* Appends a finding about the whole policy, at the position where it was read. */
FX_PRINTF(4, 5)
static bool report_policy(struct fx_policies *policies, enum fx_severity severity,
                          const struct report_entry *entry, const char *fmt, ...) {
    const struct fx_source_position position = {.line = origin_of(entry)->line};
    struct fx_buf id;
    struct fx_buf text;
    va_list args;
    va_start(args, fmt);
    fx_buf_init(&id, 0);
    fx_buf_init(&text, 0);
    print_id(&id, entry);
    fx_buf_vprintf(&text, fmt, args);
    va_end(args);
    const bool ok = !id.failed && !text.failed &&
                    fx_findings_add(&policies->findings, severity, file_of(entry),
                                    id.data, &position, text.data);
    fx_buf_finish(&id);
    fx_buf_finish(&text);
    return ok;
}

/* ---- what is defined twice ------------------------------------------------------- */

/* A unit, and its position in the order of reading. */
struct given_unit {
    const struct fx_unit *unit;
    size_t at;
};

static int compare_positions(const struct given_unit *x, const struct given_unit *y) {
    return (x->at > y->at) - (x->at < y->at);
}

static int by_id_and_position(const void *a, const void *b) {
    const struct given_unit *x = a;
    const struct given_unit *y = b;
    const int order = fx_unit_compare(x->unit, y->unit);
    return order != 0 ? order : compare_positions(x, y);
}

static int by_self_and_position(const void *a, const void *b) {
    const struct given_unit *x = a;
    const struct given_unit *y = b;
    const int order = ((uintptr_t)x->unit > (uintptr_t)y->unit) -
                      ((uintptr_t)x->unit < (uintptr_t)y->unit);
    return order != 0 ? order : compare_positions(x, y);
}

/* Removes units that occur more than once: a faulty document or file falls back on a unit
 * that another file may also have, and that is not a repeat. Only the last position of a
 * unit counts. Returns how many units remain. */
static size_t drop_same(struct given_unit *given, size_t n_given) {
    size_t n_kept = 0;
    qsort(given, n_given, sizeof *given, by_self_and_position);
    for (size_t i = 0; i < n_given; i++) {
        if (i + 1 == n_given || given[i].unit != given[i + 1].unit) {
            given[n_kept++] = given[i];
        }
    }
    return n_kept;
}

static bool report_runs(struct fx_policies *policies, const struct given_unit *given,
                        size_t n_given) {
    struct fx_tally tally = {0};
    for (size_t i = 0; i + 1 < n_given; i++) {
        const struct report_entry entry = {.unit = given[i].unit};
        const struct report_entry later = {.unit = given[i + 1].unit};
        if (fx_unit_compare(entry.unit, later.unit) == 0 &&
            fx_tally_takes(&tally, FX_SEVERITY_WARNING, file_of(&entry)) &&
            !report_policy(policies, FX_SEVERITY_WARNING, &entry,
                           "is defined again in %s, line %u, which counts",
                           file_of(&later), (unsigned)later.unit->origin.line)) {
            return false;
        }
    }
    return report_tally(&tally, &policies->findings);
}

bool fx_build_report_repeats(struct fx_policies *policies, struct fx_unit *const *given,
                             size_t n_given) {
    struct given_unit *sorted = calloc(n_given + 1, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_given; i++) {
        sorted[i] = (struct given_unit){given[i], i};
    }
    const size_t n = drop_same(sorted, n_given);
    qsort(sorted, n, sizeof *sorted, by_id_and_position);
    const bool ok = report_runs(policies, sorted, n);
    free(sorted);
    return ok;
}

/* ---- what link steps report ------------------------------------------------------- */

bool fx_build_report_links(struct fx_policies *policies) {
    struct fx_tally tally = {0};
    for (size_t i = 0; i < policies->n_linked; i++) {
        const struct fx_linked *linked = policies->linked[i];
        const struct report_entry entry = {.unit = linked->policy};
        for (size_t j = 0; j < linked->n_reports; j++) {
            const enum fx_severity severity =
                linked->reports[j].is_error ? FX_SEVERITY_ERROR : FX_SEVERITY_WARNING;
            if (fx_tally_takes(&tally, severity, file_of(&entry)) &&
                !report_policy(policies, severity, &entry, "%s",
                               linked->reports[j].text)) {
                return false;
            }
        }
    }
    return report_tally(&tally, &policies->findings);
}

/* ---- conflicts and cycles -------------------------------------------------------- */

static bool report_conflict(struct fx_policies *policies, size_t index) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    const struct report_entry entry = {.mutator = snapshot->mutators[index]};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_conflicts_print(&snapshot->conflicts, index, snapshot->mutators, &text);
    const bool ok = !text.failed && report_policy(policies, FX_SEVERITY_CONFLICT, &entry,
                                                  "%s", text.data);
    fx_buf_finish(&text);
    return ok;
}

bool fx_build_report_conflicts(struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_tally tally = {0};
    for (size_t i = 0; i < snapshot->conflicts.n_mutators; i++) {
        const struct report_entry entry = {.mutator = snapshot->mutators[i]};
        if (snapshot->conflicts.sets[i].disabled &&
            fx_tally_takes(&tally, FX_SEVERITY_CONFLICT, file_of(&entry)) &&
            !report_conflict(policies, i)) {
            return false;
        }
    }
    return report_tally(&tally, &policies->findings);
}

/* Moves the resources that are in no cycle to `kept`, and reports the others. */
static bool part_cycles(struct fx_policies *policies, const bool *in_cycle,
                        struct fx_snapshot_parts *parts, struct fx_resource **kept) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_tally tally = {0};
    for (size_t i = 0; i < snapshot->n_resources; i++) {
        const struct report_entry entry = {.resource = snapshot->resources[i]};
        if (!in_cycle[i]) {
            kept[parts->n_resources++] = snapshot->resources[i];
        } else if (fx_tally_takes(&tally, FX_SEVERITY_ERROR, file_of(&entry)) &&
                   !report_policy(policies, FX_SEVERITY_ERROR, &entry,
                                  "template forms expansion cycle")) {
            return false;
        }
    }
    return report_tally(&tally, &policies->findings);
}

static bool rebuild_without(struct fx_policies *policies, const bool *in_cycle,
                            struct fx_resource **kept) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_snapshot_parts parts = {.mutators = snapshot->mutators,
                                      .n_mutators = snapshot->n_mutators,
                                      .resources = kept};
    if (!part_cycles(policies, in_cycle, &parts, kept)) {
        return false;
    }
    if (parts.n_resources == snapshot->n_resources) {
        return true;
    }
    struct fx_snapshot *made = NULL;
    struct fx_err fault = FX_ERR_INIT;
    if (!fx_snapshot_build(&parts, snapshot->generation, &made, &fault)) {
        return false;
    }
    fx_snapshot_unref(policies->snapshot);
    policies->snapshot = made;
    return true;
}

static bool find_cycles(const struct fx_snapshot *snapshot, bool *ret_in_cycle) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        if (fx_dialects[i]->find_cycles != NULL &&
            !fx_dialects[i]->find_cycles(snapshot->resources, snapshot->n_resources,
                                         ret_in_cycle)) {
            return false;
        }
    }
    return true;
}

bool fx_build_drop_cycles(struct fx_policies *policies) {
    const size_t n = policies->snapshot->n_resources;
    bool *in_cycle = calloc(n + 1, sizeof *in_cycle);
    struct fx_resource **kept = calloc(n + 1, sizeof(struct fx_resource *));
    const bool ok = in_cycle != NULL && kept != NULL &&
                    find_cycles(policies->snapshot, in_cycle) &&
                    rebuild_without(policies, in_cycle, kept);
    free(in_cycle);
    free(kept);
    return ok;
}

/* ---- what is missing ------------------------------------------------------------- */

static bool report_provider(struct fx_policies *policies,
                            const struct report_entry *entry, struct fx_text name) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, name);
    const bool ok =
        !quoted.failed && report_policy(policies, FX_SEVERITY_WARNING, entry,
                                        "provider %s is not defined here", quoted.data);
    fx_buf_finish(&quoted);
    return ok;
}

bool fx_build_report_providers(struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    struct fx_tally tally = {0};
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        const struct report_entry entry = {.mutator = snapshot->mutators[i]};
        const struct fx_input *call = fx_input_find_call(entry.mutator);
        if (call != NULL &&
            fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, call->provider) == NULL &&
            fx_tally_takes(&tally, FX_SEVERITY_WARNING, file_of(&entry)) &&
            !report_provider(policies, &entry, call->provider)) {
            return false;
        }
    }
    return report_tally(&tally, &policies->findings);
}
