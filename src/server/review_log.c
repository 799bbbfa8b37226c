/* SPDX-License-Identifier: Apache-2.0
 *
 * server/review_log.c - one line a review, of bounded length.
 */
#include "server/review_log.h"

#include <string.h>

#include "base/buf.h"
#include "base/log.h"

#define NAME_BYTES 256u  /* of one name of the request; the rest is cut */
#define LIST_BYTES 4096u /* of all mutators together */
#define PATH_BYTES 256u

/* `n` lower case hex digits that are not all the same `digit`? */
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
 * of 2, 32, 16 and 2 lower case hex digits. Version ff is none, ids are not all zero;
 * version 00 ends there, a later one may go on.
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

/* A name that came from outside, cut and without control characters, so that nobody makes
 * a line too long to be written. */
struct name {
    char text[NAME_BYTES];
};

static const char *copy_name(struct name *name, struct fx_text text) {
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
        fx_buf_str(list,
                   fx_text_ends((struct fx_text){list->data, list->len}, FX_TEXT("…"))
                       ? ""
                       : ", …");
        return;
    }
    struct name name;
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
        const struct fx_contender *contender = &result->outcome->cycle[i];
        add_mutator(list, result->snapshot->mutators[contender->mutator],
                    contender->path);
    }
}

/* What every line has, and two or three things more. */
static void write_line(enum fx_log_level level, const char *msg,
                       const struct fx_review_result *result, struct fx_text traceparent,
                       double ms, const struct fx_log_field more[3]) {
    struct name names[8];
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
        {0},
    };
    fx_log_write(level, msg, fields);
}

static void log_changed(const struct fx_review_result *result, struct fx_text traceparent,
                        double ms) {
    struct fx_buf list;
    fx_buf_init(&list, 0);
    list_applied(&list, result);
    const struct fx_log_field more[3] = {
        fx_log_str("mutators", list.failed ? "" : list.data),
        fx_log_int("iterations", result->outcome->iterations),
        fx_log_int("operations",
                   result->patch == NULL ? 0 : (int64_t)result->patch->n_ops),
    };
    write_line(FX_LOG_INFO, "review changed", result, traceparent, ms, more);
    fx_buf_finish(&list);
}

/* Who refuses it; what they say quotes the object, and is in the answer. */
static void log_denied(const struct fx_review_result *result, struct fx_text traceparent,
                       double ms) {
    const struct fx_outcome *outcome = result->outcome;
    struct fx_buf list;
    fx_buf_init(&list, 0);
    for (size_t i = 0; i < outcome->n_refusals; i++) {
        add_mutator(&list, result->snapshot->mutators[outcome->refusals[i].mutator],
                    (struct fx_text){0});
    }
    const struct fx_log_field more[3] = {
        fx_log_str("denied_by", list.failed ? "" : list.data),
        fx_log_int("iterations", outcome->iterations),
    };
    write_line(FX_LOG_INFO, "review denied", result, traceparent, ms, more);
    fx_buf_finish(&list);
}

/* What may be said of a failure in a log. The words of a mutation or of the reader can
 * quote a value of the object, a Secret's perhaps: the answer has those. */
static const char *words_of(const struct fx_err *failure) {
    switch (failure->code) {
    case FX_EMUTATE: return "a match or mutation failed, for the reason in the answer";
    case FX_ESYNTAX: return "the body is no JSON";
    case FX_EINVALID: return "the body is no AdmissionReview";
    case FX_OK:
    case FX_ENOMEM:
    case FX_ELIMIT:
    case FX_EDENIED: /* is told elsewhere */
    case FX_ENOCONVERGE:
    case FX_EDEADLINE:
    case FX_EIO:
    case FX_EINTERNAL: break;
    }
    return failure->msg;
}

/* Who is to blame: the mutator that failed, or those that fight. */
static void list_culprits(struct fx_buf *list, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    if (outcome != NULL && outcome->failed != NULL) {
        add_mutator(list, outcome->failed, (struct fx_text){0});
    }
    list_cycle(list, result);
}

static void log_failed(const struct fx_review_result *result, struct fx_text traceparent,
                       double ms) {
    struct fx_buf list;
    fx_buf_init(&list, 0);
    list_culprits(&list, result);
    const bool single = result->outcome != NULL && result->outcome->failed != NULL;
    const struct fx_log_field more[3] = {
        fx_log_int("status", result->status),
        fx_log_str("error", result->failure == NULL ? "" : words_of(result->failure)),
        list.len > 0 && !list.failed ? fx_log_str(single ? "mutator" : "cycle", list.data)
                                     : (struct fx_log_field){0},
    };
    write_line(FX_LOG_WARN, "review failed", result, traceparent, ms, more);
    fx_buf_finish(&list);
}

void fx_log_review(const struct fx_review_result *result, struct fx_text traceparent,
                   double ms) {
    switch (result->decision) {
    case FX_DECISION_MUTATED:
        if (fx_log_enabled(FX_LOG_INFO)) {
            log_changed(result, traceparent, ms);
        }
        break;
    case FX_DECISION_DENIED:
        if (fx_log_enabled(FX_LOG_INFO)) {
            log_denied(result, traceparent, ms);
        }
        break;
    case FX_DECISION_FAILED:
    case FX_DECISION_REFUSED:
    case FX_DECISION_BROKEN: log_failed(result, traceparent, ms); break;
    case FX_DECISION_SKIPPED:
    case FX_DECISION_EXCLUDED:
    case FX_DECISION_UNCHANGED: break;
    }
}

/* Why it failed may quote the object: the answer says it. */
void fx_log_skipped_mutator(const struct fx_review_result *result,
                            const struct fx_mutator *mutator, uint64_t times) {
    struct name names[6];
    struct fx_buf id;
    fx_buf_init(&id, 0);
    add_mutator(&id, mutator, (struct fx_text){0});
    fx_log(WARN, "mutator left out", fx_log_str("mutator", id.failed ? "" : id.data),
           fx_log_int("times", (int64_t)times),
           fx_log_str("uid", copy_name(&names[0], result->uid)),
           fx_log_str("operation", copy_name(&names[1], result->operation)),
           fx_log_str("group", copy_name(&names[2], result->group)),
           fx_log_str("kind", copy_name(&names[3], result->kind)),
           fx_log_str("namespace", copy_name(&names[4], result->namespace_)),
           fx_log_str("name", copy_name(&names[5], result->name)));
    fx_buf_finish(&id);
}

/* The words of a denial can quote the policy: the answer has those. */
void fx_log_admission(const struct fx_review_result *result, struct fx_text traceparent,
                      double ms) {
    const bool denied = result->decision == FX_DECISION_FAILED;
    if (!denied && result->decision != FX_DECISION_REFUSED &&
        result->decision != FX_DECISION_BROKEN) {
        return;
    }
    const struct fx_log_field more[3] = {fx_log_int("status", result->status)};
    write_line(denied ? FX_LOG_INFO : FX_LOG_WARN,
               denied ? "admission denied" : "admission failed", result, traceparent, ms,
               more);
}
