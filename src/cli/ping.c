/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/ping.c - `fixpoint ping`: checks that a webhook answers a review as an API server
 * expects. For `helm test`, and to diagnose a cluster that does not mutate.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <uv.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/url.h"
#include "base/uuid.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "value/json.h"
#include "value/tree.h"

#define PEM_BYTES       (1u << 20) /* of one file */
#define DEFAULT_TIMEOUT 10000u     /* milliseconds */

struct ping_options {
    struct fx_strings urls;
    const char *ca, *cert, *key;
    bool insecure;
    uint64_t timeout;
};

/* One request and its outcome. */
struct ping_exchange {
    uv_loop_t loop;
    char uid[FX_UUID_SIZE];
    struct fx_buf text; /* to print */
    struct fx_err err;
    uint64_t began_ns;
    bool answered, ok;
};

/* ---- the request ----------------------------------------------------------------- */

/* A review of a Pod that is never stored: a dry run in `default`, which every cluster
 * has. */
static void write_review(struct ping_exchange *exchange, struct fx_buf *body) {
    fx_uuid_make(exchange->uid);
    fx_buf_printf(
        body,
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
        "\"request\":{\"uid\":\"%s\",\"kind\":{\"group\":\"\",\"version\":\"v1\","
        "\"kind\":\"Pod\"},\"resource\":{\"group\":\"\",\"version\":\"v1\","
        "\"resource\":\"pods\"},\"name\":\"fixpoint-ping\",\"namespace\":\"default\","
        "\"operation\":\"CREATE\",\"userInfo\":{\"username\":\"fixpoint-ping\"},"
        "\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
        "\"fixpoint-ping\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{"
        "\"name\":\"ping\",\"image\":\"ping\"}]}},\"oldObject\":null,\"dryRun\":true}}",
        exchange->uid);
}

/* ---- the response ---------------------------------------------------------------- */

static bool read_answer(struct ping_exchange *exchange,
                        const struct fx_http_call_result *result, struct fx_err *err) {
    if (result->status != 200) {
        const size_t line = result->body.len < 200 ? result->body.len : 200;
        return fx_fail(err, FX_EIO, "status %u: %.*s", result->status, (int)line,
                       result->body.len == 0 ? "" : result->body.data);
    }
    json_t *review = fx_json_read(result->body, NULL, err);
    if (review == NULL) {
        return fx_err_prefix(err, "the response is not JSON: ");
    }
    const json_t *response = fx_tree_view_key(review, "response");
    const json_t *allowed = fx_tree_view_key(response, "allowed");
    const bool ours = fx_text_is(fx_tree_view_string(response, "uid"), exchange->uid);
    const struct fx_text patch = fx_tree_view_string(response, "patch");
    const double ms = (double)(fx_clock_ns() - exchange->began_ns) / 1e6;
    fx_buf_printf(&exchange->text, "response: %s%s, in %.1f ms\n",
                  json_is_true(allowed) ? "allowed" : "denied",
                  patch.len > 0 ? " with a patch" : "", ms);
    const bool ok = ours && json_is_boolean(allowed);
    json_decref(review);
    return ok ||
           fx_fail(err, FX_EIO, "the response is not an AdmissionReview of this request");
}

static void on_done(const struct fx_http_call_result *result, void *user) {
    struct ping_exchange *exchange = user;
    exchange->answered = true;
    if (result->failure != NULL) {
        exchange->err = *result->failure;
    } else {
        exchange->ok = read_answer(exchange, result, &exchange->err);
    }
}

/* ---- the exchange ---------------------------------------------------------------- */

/* `path` NULL leaves the text empty. */
static bool read_file(const char *path, struct fx_buf *text, struct fx_err *err) {
    return path == NULL || fx_file_read(path, PEM_BYTES, text, err);
}

static struct fx_tls_config *make_tls(const struct ping_options *values,
                                      const struct fx_url *url, struct fx_err *err) {
    struct fx_buf ca = {.max = PEM_BYTES};
    struct fx_buf cert = {.max = PEM_BYTES};
    struct fx_buf key = {.max = PEM_BYTES};
    struct fx_tls_config *tls = NULL;
    char *host = fx_text_dup(url->host);
    if (host == NULL) {
        (void)fx_fail_nomem(err);
    } else if (read_file(values->ca, &ca, err) && read_file(values->cert, &cert, err) &&
               read_file(values->key, &key, err)) {
        tls = fx_tls_config_client(fx_buf_view(&ca), host, fx_buf_view(&cert),
                                   fx_buf_view(&key), err);
        /* Without a client certificate, only the CA file can be wrong. */
        const char *at_fault = values->cert == NULL ? values->ca : values->cert;
        if (tls == NULL && at_fault != NULL) {
            (void)fx_err_prefix(err, "%s: ", at_fault);
        }
    }
    free(host);
    fx_buf_finish(&ca);
    fx_buf_finish(&cert);
    fx_tls_wipe(&key);
    return tls;
}

static bool send_review(struct ping_exchange *exchange, const struct ping_options *values,
                        const struct fx_url *url, struct fx_err *err) {
    struct fx_tls_config *tls = make_tls(values, url, err);
    struct fx_buf body = {0};
    struct fx_http_call *call = NULL;
    write_review(exchange, &body);
    const struct fx_http_call_options options = {
        .url = url,
        .tls = tls,
        .method = "POST",
        .content_type = "application/json",
        .body = {body.data, body.len},
        .timeout_ms = values->timeout == 0 ? DEFAULT_TIMEOUT : values->timeout,
        .allows_missing_close_notify = true,
    };
    exchange->began_ns = fx_clock_ns();
    bool ok =
        tls != NULL && (!body.failed || fx_fail_nomem(err)) &&
        fx_http_call_start(&exchange->loop, &options, on_done, exchange, &call, err);
    if (ok) {
        (void)uv_run(&exchange->loop, UV_RUN_DEFAULT);
        ok = exchange->ok;
        *err = exchange->err;
    }
    fx_buf_finish(&body);
    fx_tls_config_unref(tls);
    return ok;
}

static enum fx_exit ping(const struct ping_options *values, const struct fx_url *url) {
    struct ping_exchange exchange = {.err = FX_ERR_INIT};
    struct fx_err err = FX_ERR_INIT;
    const int status = uv_loop_init(&exchange.loop);
    if (status != 0) {
        fx_say("event loop: %s", uv_strerror(status));
        return FX_EXIT_IO;
    }
    const bool ok = send_review(&exchange, values, url, &err);
    (void)uv_loop_close(&exchange.loop);
    return ok ? fx_output_take(&exchange.text)
              : fx_exit_worse(FX_EXIT_IO, fx_say_err(&err));
}

static enum fx_exit run_ping(const void *values) {
    const struct ping_options *given = values;
    const char *operand = given->urls.items[0];
    struct fx_url url;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_url_parse(fx_text_of(operand), &url, &err)) {
        fx_say("%s: %s", operand, err.msg);
        return FX_EXIT_USAGE;
    }
    if (!fx_url_is_scheme(&url, "https")) {
        fx_say("%s: expected an https URL", operand);
        return FX_EXIT_USAGE;
    }
    if ((given->ca == NULL) == !given->insecure) {
        return fx_say_usage("--ca FILE or --insecure is missing");
    }
    if ((given->cert == NULL) != (given->key == NULL)) {
        return fx_say_usage("--cert and --key: give both");
    }
    return ping(given, &url);
}

#define FIELD(name) offsetof(struct ping_options, name)

static const struct fx_option options[] = {
    {"ca", '\0', FX_OPTION_TEXT, FIELD(ca), "FILE", NULL,
     "CA certificate (PEM) of the webhook server"},
    {"cert", '\0', FX_OPTION_TEXT, FIELD(cert), "FILE", NULL,
     "client certificate (PEM), for a webhook server with --client-ca"},
    {"key", '\0', FX_OPTION_TEXT, FIELD(key), "FILE", NULL,
     "private key of the client certificate (PEM)"},
    {"insecure", '\0', FX_OPTION_FLAG, FIELD(insecure), NULL, NULL,
     "do not verify the certificate of the webhook server"},
    {"timeout", '\0', FX_OPTION_DURATION, FIELD(timeout), "TIME", NULL,
     "time limit for the whole request (default 10s)"},
    {.name = NULL},
};

const struct fx_command fx_command_ping = {
    .name = "ping",
    .usage = "(--ca FILE | --insecure) [--cert FILE --key FILE] [--timeout TIME] URL",
    .summary = "test whether a webhook responds",
    .details = "Sends a review of a Pod to the webhook, as an API server would (a dry "
               "run in the namespace default), and prints the result.\n"
               "\n"
               "  fixpoint ping --ca ca.crt https://127.0.0.1:8443/v1/mutate\n",
    .options = options,
    .values_size = sizeof(struct ping_options),
    .operand = "URL",
    .operands_offset = offsetof(struct ping_options, urls),
    .operand_needed = true,
    .run = run_ping,
};
