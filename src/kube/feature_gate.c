/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/feature_gate.c - GET /version, then GET /metrics, which is read as it arrives,
 * because it has some megabytes in large clusters.
 */
#include "kube/feature_gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "value/tree.h"

#define METRIC     "kubernetes_feature_enabled{"
#define SILENCE_MS 10000u
#define MAX_NUMBER 99999u

/* ---- the page of metrics --------------------------------------------------------- */

/* Is the label `name` in the text between the braces the name of the gate? Names of gates
 * have no characters that are escaped. */
static bool has_name(struct fx_text labels, const char *name) {
    char wanted[FX_KUBE_GATE_LINE_BYTES];
    const int len = snprintf(wanted, sizeof wanted, "name=\"%s\"", name);
    const struct fx_text label = {wanted, len < 0 ? 0 : (size_t)len};
    struct fx_text rest = labels;
    while (rest.len > 0) {
        if (fx_text_equal(fx_text_trim_space(fx_text_cut(&rest, ',')), label)) {
            return true;
        }
    }
    return false;
}

/* Reads `kubernetes_feature_enabled{name="…",stage="…"} 1`. */
static void read_line(struct fx_kube_gate_reader *reader, struct fx_text line) {
    if (!fx_text_starts(line, FX_TEXT(METRIC))) {
        return;
    }
    struct fx_text rest = {line.data + sizeof METRIC - 1, line.len - (sizeof METRIC - 1)};
    const struct fx_text labels = fx_text_cut(&rest, '}');
    struct fx_text value = fx_text_trim_space(rest);
    value = fx_text_cut(&value, ' '); /* a timestamp may follow */
    if (!has_name(labels, reader->name)) {
        reader->gate =
            reader->gate == FX_KUBE_GATE_UNREAD ? FX_KUBE_GATE_NONE : reader->gate;
    } else if (fx_text_is(value, "1")) {
        reader->gate = FX_KUBE_GATE_ON;
    } else if (fx_text_is(value, "0")) {
        reader->gate = FX_KUBE_GATE_OFF;
    }
}

static void add_to_line(struct fx_kube_gate_reader *reader, struct fx_text part) {
    if (part.len <= sizeof reader->line && /* no overflow */
        reader->line_len + part.len <= sizeof reader->line) {
        memcpy(reader->line + reader->line_len, part.data, part.len);
        reader->line_len += part.len;
    } else {
        reader->line_len = sizeof reader->line + 1;
    }
}

static void end_line(struct fx_kube_gate_reader *reader) {
    if (reader->line_len <= sizeof reader->line) {
        read_line(reader, (struct fx_text){reader->line, reader->line_len});
    }
    reader->line_len = 0;
}

bool fx_kube_gate_feed(struct fx_kube_gate_reader *reader, struct fx_text piece) {
    while (piece.len > 0 && reader->gate < FX_KUBE_GATE_OFF) {
        const char *end = memchr(piece.data, '\n', piece.len);
        const size_t len = end == NULL ? piece.len : (size_t)(end - piece.data);
        add_to_line(reader, (struct fx_text){piece.data, len});
        if (end == NULL) {
            break;
        }
        end_line(reader);
        piece = (struct fx_text){end + 1, piece.len - len - 1};
    }
    return reader->gate >= FX_KUBE_GATE_OFF;
}

/* ---- the version ----------------------------------------------------------------- */

/* Reads the digits at the beginning. False if there are none, or too many. */
static bool read_number(struct fx_text text, unsigned *ret_number) {
    unsigned number = 0;
    size_t i = 0;
    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        number = number * 10 + (unsigned)(text.data[i] - '0');
        if (number > MAX_NUMBER) {
            return false;
        }
    }
    *ret_number = number;
    return i > 0;
}

bool fx_kube_version_read(const json_t *answer, struct fx_kube_version *ret_version) {
    const struct fx_text text = fx_tree_view_string(answer, "gitVersion");
    struct fx_kube_version version = {.text = ""};
    for (size_t i = 0; i < text.len && i < sizeof version.text - 1; i++) {
        const char c = text.data[i];
        version.text[i] = '?';
        if (c > ' ' && c < 0x7f) {
            version.text[i] = c;
        }
    }
    if (!read_number(fx_tree_view_string(answer, "major"), &version.major) ||
        !read_number(fx_tree_view_string(answer, "minor"), &version.minor)) {
        return false;
    }
    if (text.len == 0) {
        (void)snprintf(version.text, sizeof version.text, "%u.%u", version.major,
                       version.minor);
    }
    *ret_version = version;
    return true;
}

/* ---- requests -------------------------------------------------------------------- */

struct fx_kube_gate_query {
    struct fx_kube_client *client;
    struct fx_kube_call *call;
    struct fx_kube_gate_reader reader;
    size_t n_bytes; /* of the page of metrics */
    bool has_version;
    struct fx_kube_version version;
    fx_kube_on_server_facts *on_done;
    void *user;
};

/* For messages and metrics. */
static const struct fx_kube_resource version_page = {"", "version", "", ""};
static const struct fx_kube_resource metrics_page = {"", "metrics", "", ""};

void fx_kube_gate_query_cancel(struct fx_kube_gate_query *query) {
    if (query != NULL) {
        fx_kube_call_cancel(query->call);
        free(query);
    }
}

static void report(struct fx_kube_gate_query *query,
                   const struct fx_kube_failure *failure) {
    const struct fx_kube_server_facts facts = {
        .version = query->has_version ? &query->version : NULL,
        .gate = query->reader.gate,
        .failure = failure,
    };
    query->on_done(&facts, query->user);
    free(query);
}

static void report_text(struct fx_kube_gate_query *query, const char *message) {
    struct fx_kube_failure failure = {.reason = FX_KUBE_REASON_INVALID};
    (void)snprintf(failure.message, sizeof failure.message, "%s", message);
    report(query, &failure);
}

static void on_open(void *user) {
    (void)user;
}

static void on_piece(struct fx_text piece, void *user) {
    struct fx_kube_gate_query *query = user;
    query->n_bytes += piece.len;
    if (fx_kube_gate_feed(&query->reader, piece)) {
        fx_kube_call_cancel(query->call);
        report(query, NULL);
    } else if (query->n_bytes > FX_LIMIT_KUBE_METRICS_BYTES) {
        fx_kube_call_cancel(query->call);
        query->reader.gate = FX_KUBE_GATE_UNREAD;
        report_text(query, "get metrics: the page is too long");
    }
}

static void on_metrics(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_gate_query *query = user;
    query->call = NULL;
    if (answer->failure != NULL) {
        query->reader.gate = FX_KUBE_GATE_UNREAD; /* the page may be cut */
        report(query, answer->failure);
        return;
    }
    end_line(&query->reader);
    if (query->reader.gate == FX_KUBE_GATE_UNREAD) {
        report_text(query, "get metrics: the page has no feature gates");
    } else {
        report(query, NULL);
    }
}

static bool start_metrics(struct fx_kube_gate_query *query) {
    static const struct fx_kube_sink sink = {
        .on_open = on_open, .on_piece = on_piece, .silence_ms = SILENCE_MS};
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET, .resource = &metrics_page, .path = "/metrics"};
    query->call = fx_kube_call_stream(query->client, &request, &sink, on_metrics, query);
    return query->call != NULL;
}

static void on_version(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_gate_query *query = user;
    query->call = NULL;
    if (answer->failure != NULL && fx_kube_failure_is_temporary(answer->failure)) {
        report(query, answer->failure);
        return;
    }
    query->has_version =
        answer->failure == NULL && fx_kube_version_read(answer->object, &query->version);
    if (query->reader.name == NULL) {
        report(query, answer->failure);
    } else if (!start_metrics(query)) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_kube_failure failure;
        (void)fx_fail_nomem(&err);
        fx_kube_failure_of_error(&err, &failure);
        report(query, &failure);
    }
}

struct fx_kube_gate_query *fx_kube_gate_query_start(struct fx_kube_client *client,
                                                    const char *gate,
                                                    fx_kube_on_server_facts *on_done,
                                                    void *user) {
    struct fx_kube_gate_query *query = calloc(1, sizeof *query);
    if (query == NULL) {
        return NULL;
    }
    query->client = client;
    query->reader.name = gate;
    query->on_done = on_done;
    query->user = user;
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET, .resource = &version_page, .path = "/version"};
    query->call = fx_kube_call_start(client, &request, on_version, query);
    if (query->call == NULL) {
        free(query);
        return NULL;
    }
    return query;
}
