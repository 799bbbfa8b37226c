/* SPDX-License-Identifier: Apache-2.0
 *
 * server/review_log.c - log lines of bounded length.
 */
#include "server/review_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/log.h"

#define NAME_BYTES 256u  /* the most bytes of one name from the request */
#define LIST_BYTES 4096u /* the most bytes of all mutators together */
#define PATH_BYTES 256u

#define LOGGED_PASSES \
    16u /* passes in a record of `--log-mutations`; `iterations` counts all */
#define PASS_BYTES   600u /* the most bytes of the ids of one pass */
#define KEY_BYTES    24u  /* "iteration_15" */
#define FIXED_FIELDS 9u

/* Are these `n` lower case hex digits, and not all of them `digit`? */
static bool is_hex(const char *text, size_t n, char digit) {
    size_t same = 0;
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return false;
        }
        same += c == digit;
    }
    return same < n;
}

/*
 * traceparent := version "-" trace-id "-" parent-id "-" flags [ "-" anything ]
 *
 * These have 2, 32, 16 and 2 lower case hex digits. Version ff is invalid, and so are ids
 * of zeros only. Version 00 has nothing after the flags; later versions may.
 */
static bool is_traceparent(struct fx_text header) {
    const char *at = header.data;
    return header.len >= 55 && is_hex(at, 2, 'f') && at[2] == '-' &&
           is_hex(at + 3, 32, '0') && at[35] == '-' && is_hex(at + 36, 16, '0') &&
           at[52] == '-' && is_hex(at + 53, 2, '\0') &&
           (header.len == 55 || (memcmp(at, "00", 2) != 0 && at[55] == '-'));
}

void fx_trace_id_read(struct fx_text traceparent, char out[FX_TRACE_ID_SIZE]) {
    out[0] = '\0';
    if (is_traceparent(traceparent)) {
        memcpy(out, traceparent.data + 3, 32);
        out[32] = '\0';
    }
}

/* A name from the request, without control characters, and cut so that the line is not
 * too long to be written. */
struct log_name {
    char text[NAME_BYTES];
};

static const char *copy_name(struct log_name *name, struct fx_text text) {
    size_t length = text.len < sizeof name->text ? text.len : sizeof name->text - 1;
    if (length < text.len) {
        length = fx_text_rune_floor(text.data, length);
    }
    for (size_t i = 0; i < length; i++) {
        name->text[i] = text.data[i];
        if ((unsigned char)text.data[i] < ' ') {
            name->text[i] = '?';
        }
    }
    name->text[length] = '\0';
    return name->text;
}

static void add_mutator(struct fx_buf *list, const struct fx_mutator *mutator,
                        struct fx_text path) {
    if (list->len + NAME_BYTES + PATH_BYTES > LIST_BYTES) {
        fx_buf_str(list, fx_text_ends(fx_buf_view(list), FX_TEXT("…")) ? "" : ", …");
        return;
    }
    struct log_name name;
    fx_buf_printf(list, "%s%s/%s", list->len == 0 ? "" : ", ", mutator->kind,
                  copy_name(&name, fx_text_of(mutator->full_name)));
    if (path.len > 0) {
        fx_buf_printf(list, " %s", copy_name(&name, path));
    }
}

/* "Assign/a, ModifySet/b" */
static void list_applied(struct fx_buf *list, const struct fx_review_result *result) {
    for (size_t i = 0; i < result->outcome->n_applied; i++) {
        const uint32_t index = result->outcome->applied[i];
        add_mutator(list, result->snapshot->mutators[index], (struct fx_text){0});
    }
}

/* "Assign/a /spec/x, Assign/b /spec/x" */
static void list_cycle(struct fx_buf *list, const struct fx_review_result *result) {
    for (size_t i = 0; result->outcome != NULL && i < result->outcome->n_cycle; i++) {
        const struct fx_cycle_mutator *mutator = &result->outcome->cycle[i];
        add_mutator(list, result->snapshot->mutators[mutator->mutator], mutator->path);
    }
}

#define MORE_FIELDS 5u

/* Logs the common fields, and the fields of `more` up to the first empty one. */
static void write_line(enum fx_log_level level, const char *msg,
                       const struct fx_review_result *result, struct fx_text traceparent,
                       double ms, const struct fx_log_field more[MORE_FIELDS]) {
    struct log_name names[8];
    char trace_id[FX_TRACE_ID_SIZE];
    fx_trace_id_read(traceparent, trace_id);
    const struct fx_log_field fields[] = {
        fx_log_str("uid", copy_name(&names[0], result->uid)),
        fx_log_str("operation", copy_name(&names[1], result->operation)),
        fx_log_str("group", copy_name(&names[2], result->group)),
        fx_log_str("version", copy_name(&names[3], result->version)),
        fx_log_str("kind", copy_name(&names[4], result->kind)),
        fx_log_str("namespace", copy_name(&names[5], result->namespace_)),
        fx_log_str("name", copy_name(&names[6], result->name)),
        fx_log_str("username", copy_name(&names[7], result->username)),
        fx_log_str("dry_run", result->dry_run ? "true" : "false"),
        fx_log_str("trace_id", trace_id),
        fx_log_num("ms", ms),
        more[0],
        more[1],
        more[2],
        more[3],
        more[4],
        {0},
    };
    fx_log_write(level, msg, fields);
}

/* ---- violations ---- */

/* The ids of the validators that found a violation, by action. Their messages are not
 * logged, as they may quote the object. */
struct violators {
    struct fx_buf lists[FX_ACTION_AUDIT + 1];
};

static void find_violators(struct violators *violators,
                           const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    for (size_t i = 0; i < FX_COUNT(violators->lists); i++) {
        fx_buf_init(&violators->lists[i], 0);
    }
    for (size_t i = 0; outcome != NULL && i < outcome->n_violations; i++) {
        add_mutator(&violators->lists[outcome->violations[i].action],
                    result->snapshot->mutators[outcome->violations[i].mutator],
                    (struct fx_text){0});
    }
}

static void violators_finish(struct violators *violators) {
    for (size_t i = 0; i < FX_COUNT(violators->lists); i++) {
        fx_buf_finish(&violators->lists[i]);
    }
}

/* Adds "denied_by", "warned_by" and "audited_by", if there are any, after the first `n`
 * fields. Returns the new number of fields. */
static size_t add_violators(struct fx_log_field more[MORE_FIELDS], size_t n,
                            const struct violators *violators) {
    static const char *const keys[] = {
        [FX_ACTION_DENY] = "denied_by",
        [FX_ACTION_WARN] = "warned_by",
        [FX_ACTION_AUDIT] = "audited_by",
    };
    for (size_t i = FX_ACTION_DENY; i < FX_COUNT(keys) && n < MORE_FIELDS; i++) {
        const struct fx_buf *list = &violators->lists[i];
        if (list->len > 0 || list->failed) {
            more[n++] = fx_log_str(keys[i], list->failed ? "" : list->data);
        }
    }
    return n;
}

static void log_changed(const struct fx_review_result *result, struct fx_text traceparent,
                        double ms) {
    struct violators violators;
    struct fx_buf list = {0};
    list_applied(&list, result);
    find_violators(&violators, result);
    struct fx_log_field more[MORE_FIELDS] = {
        fx_log_str("mutators", list.failed ? "" : list.data),
        fx_log_int("iterations", result->outcome->iterations),
        fx_log_int("operations",
                   result->patch == NULL ? 0 : (int64_t)result->patch->n_ops),
    };
    (void)add_violators(more, 3, &violators);
    write_line(FX_LOG_INFO, "review changed", result, traceparent, ms, more);
    violators_finish(&violators);
    fx_buf_finish(&list);
}

/* Logs a review that denied its object, or left it unchanged with a violation. */
static void log_violations(const struct fx_review_result *result,
                           struct fx_text traceparent, double ms) {
    const bool denied = result->decision == FX_DECISION_DENIED;
    struct violators violators;
    find_violators(&violators, result);
    struct fx_log_field more[MORE_FIELDS] = {{0}};
    const size_t n = add_violators(more, 0, &violators);
    more[n] = fx_log_int("iterations", result->outcome->iterations);
    write_line(FX_LOG_INFO, denied ? "review denied" : "review unchanged", result,
               traceparent, ms, more);
    violators_finish(&violators);
}

/* The message for the log. The messages of a mutation and of the JSON reader may quote a
 * value of the object, perhaps of a Secret: only the response has them. */
static const char *log_message(const struct fx_err *failure) {
    switch (failure->code) {
    case FX_EMUTATE: return "a match or mutation failed; the response has the reason";
    case FX_ESYNTAX: return "the body is not JSON";
    case FX_EINVALID: return "the body is not an AdmissionReview";
    case FX_OK:
    case FX_ENOMEM:
    case FX_ELIMIT:
    case FX_EDENIED: /* logged by log_violations() */
    case FX_ENOCONVERGE:
    case FX_EDEADLINE:
    case FX_EIO:
    case FX_EINPUT:
    case FX_EINTERNAL: break;
    }
    return failure->msg;
}

/* Appends the mutator that failed, or the mutators of the cycle. */
static void list_failed(struct fx_buf *list, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    if (outcome != NULL && outcome->failed != NULL) {
        add_mutator(list, outcome->failed, (struct fx_text){0});
    }
    list_cycle(list, result);
}

static void log_failed(const struct fx_review_result *result, struct fx_text traceparent,
                       double ms) {
    struct fx_buf list = {0};
    list_failed(&list, result);
    const bool single = result->outcome != NULL && result->outcome->failed != NULL;
    const struct fx_log_field more[MORE_FIELDS] = {
        fx_log_int("status", result->status),
        fx_log_str("error", result->failure == NULL ? "" : log_message(result->failure)),
        list.len > 0 && !list.failed ? fx_log_str(single ? "mutator" : "cycle", list.data)
                                     : (struct fx_log_field){0},
    };
    write_line(FX_LOG_WARN, "review failed", result, traceparent, ms, more);
    fx_buf_finish(&list);
}

static bool has_violations(const struct fx_review_result *result) {
    return result->outcome != NULL && result->outcome->n_violations > 0;
}

void fx_log_review(const struct fx_review_result *result, struct fx_text traceparent,
                   double ms) {
    switch (result->decision) {
    case FX_DECISION_MUTATED:
        if (fx_log_enabled(FX_LOG_INFO)) {
            log_changed(result, traceparent, ms);
        }
        break;
    case FX_DECISION_UNCHANGED:
    case FX_DECISION_DENIED:
        if (fx_log_enabled(FX_LOG_INFO) && has_violations(result)) {
            log_violations(result, traceparent, ms);
        }
        break;
    case FX_DECISION_FAILED:
    case FX_DECISION_REFUSED:
    case FX_DECISION_BROKEN: log_failed(result, traceparent, ms); break;
    case FX_DECISION_SKIPPED:
    case FX_DECISION_EXCLUDED: break;
    }
}

/* The message of a denial is only in the response, as it may quote the policy. */
void fx_log_admission(const struct fx_review_result *result, struct fx_text traceparent,
                      double ms) {
    const bool denied = result->decision == FX_DECISION_FAILED;
    if (!denied && result->decision != FX_DECISION_REFUSED &&
        result->decision != FX_DECISION_BROKEN) {
        return;
    }
    const struct fx_log_field more[MORE_FIELDS] = {fx_log_int("status", result->status)};
    write_line(denied ? FX_LOG_INFO : FX_LOG_WARN,
               denied ? "admission denied" : "admission failed", result, traceparent, ms,
               more);
}

/* ---- the record of a mutation ---- */

struct mutation_record {
    /* The last one stays empty. */
    struct fx_log_field fields[FIXED_FIELDS + LOGGED_PASSES + 1];
    size_t n_fields;
    struct fx_buf lists[LOGGED_PASSES];
    char keys[LOGGED_PASSES][KEY_BYTES];
    struct log_name names[5];
    size_t n_names;
};

static void add_field(struct mutation_record *record, struct fx_log_field field) {
    record->fields[record->n_fields++] = field;
}

static void add_name(struct mutation_record *record, const char *key,
                     struct fx_text text) {
    struct log_name *name = &record->names[record->n_names++];
    add_field(record, fx_log_str(key, copy_name(name, text)));
}

/* "Assign//a:7, ModifySet//b:2" */
static void list_ids(struct fx_buf *list, const struct fx_snapshot *snapshot,
                     const struct fx_pass *pass) {
    for (size_t i = 0; i < pass->n_applied; i++) {
        const struct fx_mutator *mutator = snapshot->mutators[pass->applied[i]];
        if (list->len + NAME_BYTES > PASS_BYTES) {
            fx_buf_str(list, ", …");
            return;
        }
        fx_buf_printf(list, "%s%s/%s/%s:%" PRId64, i == 0 ? "" : ", ", mutator->kind,
                      mutator->namespace_ == NULL ? "" : mutator->namespace_,
                      mutator->name, mutator->generation);
    }
}

static void add_pass(struct mutation_record *record, size_t index,
                     const struct fx_snapshot *snapshot, const struct fx_pass *pass) {
    struct fx_buf *list = &record->lists[index];
    list_ids(list, snapshot, pass);
    (void)snprintf(record->keys[index], KEY_BYTES, "iteration_%zu", index);
    add_field(record, fx_log_str(record->keys[index], list->failed ? "" : list->data));
}

static void fill_record(struct mutation_record *record,
                        const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    add_field(record, fx_log_str("Mutation Id", result->mutation_id));
    add_field(record, fx_log_str("event_type", "mutation_applied"));
    add_name(record, "resource_group", result->group);
    add_name(record, "resource_kind", result->kind);
    add_name(record, "resource_api_version", result->version);
    add_name(record, "resource_namespace", result->namespace_);
    add_name(record, "resource_name", result->name);
    add_field(record, fx_log_str("resource_source_type", "Original"));
    add_field(record, fx_log_int("iterations", outcome->iterations));
    /* If it converged, the last pass changed nothing: it is not listed. */
    const bool converged = result->decision == FX_DECISION_MUTATED;
    const size_t n_passes = outcome->iterations - (converged ? 1 : 0);
    for (size_t i = 0; i < outcome->n_passes && i < n_passes && i < LOGGED_PASSES; i++) {
        add_pass(record, i, result->snapshot, &outcome->passes[i]);
    }
}

/* The message of the record; NULL: the review has none. */
static const char *record_message(const struct fx_review_result *result) {
    if (result->decision == FX_DECISION_MUTATED) {
        return "Mutation applied";
    }
    return result->outcome != NULL && result->failure != NULL &&
                   result->failure->code == FX_ENOCONVERGE
               ? "Mutation not converging"
               : NULL;
}

void fx_log_mutation(const struct fx_review_result *result) {
    const char *message = record_message(result);
    if (message == NULL || !fx_log_enabled(FX_LOG_INFO)) {
        return;
    }
    struct mutation_record record = {.n_fields = 0};
    fill_record(&record, result);
    fx_log_write(FX_LOG_INFO, message, record.fields);
    for (size_t i = 0; i < LOGGED_PASSES; i++) {
        fx_buf_finish(&record.lists[i]);
    }
}

/* ---- skipped mutators ---- */

static uint64_t id_of(const struct fx_mutator *mutator) {
    const uint64_t kind = fx_hash_text(FX_HASH_START, fx_text_of(mutator->kind));
    return fx_hash_text(kind, fx_text_of(mutator->full_name));
}

/* An item for a new mutator: a free one, or one whose interval is over. NULL: none. */
static struct fx_skip_log_item *make_room(struct fx_skip_log *log, uint64_t now) {
    if (log->n_items < FX_SKIP_LOG_ITEMS) {
        return &log->items[log->n_items++];
    }
    for (size_t i = 0; i < FX_SKIP_LOG_ITEMS; i++) {
        if (now - log->items[i].throttle.logged_ns >= FX_SKIP_LOG_NS) {
            return &log->items[i];
        }
    }
    return NULL;
}

/* The item of the mutator; added if there is none. NULL: there is no room. */
static struct fx_skip_log_item *item_of(struct fx_skip_log *log, uint64_t id,
                                        uint64_t now) {
    for (size_t i = 0; i < log->n_items; i++) {
        if (log->items[i].id == id) {
            return &log->items[i];
        }
    }
    struct fx_skip_log_item *item = make_room(log, now);
    if (item != NULL) {
        *item = (struct fx_skip_log_item){.id = id};
    }
    return item;
}

static void log_skipped(const struct fx_review_result *result,
                        const struct fx_mutator *mutator, uint64_t times) {
    struct log_name names[6];
    struct fx_buf id = {0};
    add_mutator(&id, mutator, (struct fx_text){0});
    fx_log(WARN, "mutator skipped after a failure",
           fx_log_str("mutator", id.failed ? "" : id.data),
           fx_log_int("times", (int64_t)times),
           fx_log_str("uid", copy_name(&names[0], result->uid)),
           fx_log_str("operation", copy_name(&names[1], result->operation)),
           fx_log_str("group", copy_name(&names[2], result->group)),
           fx_log_str("kind", copy_name(&names[3], result->kind)),
           fx_log_str("namespace", copy_name(&names[4], result->namespace_)),
           fx_log_str("name", copy_name(&names[5], result->name)));
    fx_buf_finish(&id);
}

void fx_skip_log_record(struct fx_skip_log *log, const struct fx_review_result *result,
                        uint64_t (*clock_ns)(void)) {
    const struct fx_outcome *outcome = result->outcome;
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        if (!outcome->skipped[i].fails) {
            continue;
        }
        const struct fx_mutator *mutator =
            result->snapshot->mutators[outcome->skipped[i].mutator];
        const uint64_t now = clock_ns();
        struct fx_skip_log_item *item = item_of(log, id_of(mutator), now);
        uint64_t times = 0;
        if (item != NULL &&
            fx_log_throttle_allows(&item->throttle, now, FX_SKIP_LOG_NS, &times)) {
            log_skipped(result, mutator, times);
        }
    }
}
