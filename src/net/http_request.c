/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_request.c - the request line, default fields, the caller's fields, the body.
 */
#include "net/http_request.h"

#include <inttypes.h>
#include <string.h>

#include "net/http_head.h"

static bool check_fields(const struct fx_http_call_options *options, struct fx_err *err) {
    for (size_t i = 0; i < options->n_fields; i++) {
        if (!fx_http_is_field_value(options->fields[i].value)) {
            return fx_fail(err, FX_EINVALID,
                           "the value of the field `%s` has a character that no field "
                           "may have",
                           options->fields[i].name);
        }
    }
    return true;
}

static bool has_field(const struct fx_http_call_options *options, const char *name) {
    for (size_t i = 0; i < options->n_fields; i++) {
        if (fx_http_equals_nocase(fx_text_of(options->fields[i].name), name)) {
            return true;
        }
    }
    return false;
}

static void write_default_fields(const struct fx_http_call_options *options,
                                 struct fx_buf *request) {
    const struct fx_url *url = options->url;
    const uint16_t standard = options->tls != NULL ? 443 : 80;
    fx_buf_printf(request, "%s ", options->method);
    fx_url_write_target(url, request);
    fx_buf_printf(request,
                  url->is_ipv6 ? " HTTP/1.1\r\nHost: [%.*s]" : " HTTP/1.1\r\nHost: %.*s",
                  FX_TEXT_ARG(url->host));
    if (url->port != standard) {
        fx_buf_printf(request, ":%u", url->port);
    }
    fx_buf_str(request, "\r\nUser-Agent: fixpoint/" FX_VERSION "\r\n");
    if (!has_field(options, "accept")) {
        fx_buf_str(request, "Accept: application/json\r\n");
    }
    fx_buf_str(request, "Accept-Encoding: identity\r\n");
    if (options->pool == NULL) {
        fx_buf_str(request, "Connection: close\r\n");
    }
    if (options->content_type != NULL) {
        fx_buf_printf(request, "Content-Type: %s\r\nContent-Length: %zu\r\n",
                      options->content_type, options->body.len);
    }
}

/* Reserves the rest: a growing buffer would leave copies of the fields in freed memory.
 */
static bool reserve_rest(const struct fx_http_call_options *options,
                         struct fx_buf *request) {
    size_t rest = strlen("\r\n") + options->body.len;
    for (size_t i = 0; i < options->n_fields; i++) {
        rest += strlen(options->fields[i].name) + strlen(options->fields[i].value) +
                strlen(": \r\n");
    }
    return fx_buf_reserve(request, rest) != NULL;
}

static void write_fields(const struct fx_http_call_options *options,
                         struct fx_buf *request) {
    for (size_t i = 0; i < options->n_fields; i++) {
        fx_buf_str(request, options->fields[i].name);
        fx_buf_str(request, ": ");
        fx_buf_str(request, options->fields[i].value);
        fx_buf_str(request, "\r\n");
    }
}

bool fx_http_request_write(const struct fx_http_call_options *options,
                           struct fx_buf *request, struct fx_err *err) {
    if (!check_fields(options, err)) {
        return false;
    }
    write_default_fields(options, request);
    if (!reserve_rest(options, request)) {
        return fx_fail_nomem(err);
    }
    write_fields(options, request);
    fx_buf_str(request, "\r\n");
    if (options->content_type != NULL) {
        fx_buf_text(request, options->body);
    }
    return true;
}
