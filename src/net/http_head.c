/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_head.c - scanning the lines of a head, and finding a field in it.
 */
#include "net/http_head.h"

#include <string.h>
#include <strings.h>

/*
 * head   := ( *( CR LF ) request-line | status-line ) CR LF *( field CR LF ) CR LF
 * request-line := 1*( %x20-7E )                    (llhttp reads what is in it)
 * status-line  := *( HTAB | %x20-7E | %x80-FF )    (here, too)
 * field  := 1*tchar ":" *( HTAB | %x20-7E | %x80-FF )
 */
static bool is_tchar(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_value_char(unsigned char c) {
    return c == '\t' || (c >= ' ' && c != 0x7f);
}

static bool is_line_char(unsigned char c) {
    return c >= ' ' && c < 0x7f;
}

/* Returns `next` if the condition is true, otherwise BAD. */
static enum fx_http_head_state next_if(bool allowed, enum fx_http_head_state next) {
    return allowed ? next : FX_HTTP_HEAD_BAD;
}

static enum fx_http_head_state next_state(enum fx_http_head_state state,
                                          unsigned char c) {
    switch (state) {
    case FX_HTTP_HEAD_BEFORE:
        return c == '\r' ? FX_HTTP_HEAD_BEFORE_LF
                         : next_if(is_tchar(c), FX_HTTP_HEAD_REQUEST_LINE);
    case FX_HTTP_HEAD_BEFORE_LF: return next_if(c == '\n', FX_HTTP_HEAD_BEFORE);
    case FX_HTTP_HEAD_REQUEST_LINE:
        return c == '\r' ? FX_HTTP_HEAD_LINE_LF : next_if(is_line_char(c), state);
    case FX_HTTP_HEAD_STATUS_LINE:
        return c == '\r' ? FX_HTTP_HEAD_LINE_LF : next_if(is_value_char(c), state);
    case FX_HTTP_HEAD_LINE_LF: return next_if(c == '\n', FX_HTTP_HEAD_LINE_START);
    case FX_HTTP_HEAD_LINE_START:
        return c == '\r' ? FX_HTTP_HEAD_LAST_LF : next_if(is_tchar(c), FX_HTTP_HEAD_NAME);
    case FX_HTTP_HEAD_NAME:
        return c == ':' ? FX_HTTP_HEAD_VALUE : next_if(is_tchar(c), state);
    case FX_HTTP_HEAD_VALUE:
        return c == '\r' ? FX_HTTP_HEAD_LINE_LF : next_if(is_value_char(c), state);
    case FX_HTTP_HEAD_LAST_LF: return next_if(c == '\n', FX_HTTP_HEAD_DONE);
    case FX_HTTP_HEAD_DONE:
    case FX_HTTP_HEAD_BAD: break;
    }
    return state;
}

size_t fx_http_head_skip(enum fx_http_head_state *state, struct fx_text bytes) {
    size_t at = 0;
    while (at < bytes.len &&
           ((*state == FX_HTTP_HEAD_BEFORE && bytes.data[at] == '\r') ||
            (*state == FX_HTTP_HEAD_BEFORE_LF && bytes.data[at] == '\n'))) {
        *state = next_state(*state, (unsigned char)bytes.data[at]);
        at++;
    }
    return at;
}

size_t fx_http_head_scan(enum fx_http_head_state *state, struct fx_text bytes) {
    size_t at = 0;
    while (at < bytes.len && *state < FX_HTTP_HEAD_DONE) {
        *state = next_state(*state, (unsigned char)bytes.data[at]);
        at++;
    }
    return at;
}

bool fx_http_is_field_value(const char *value) {
    while (is_value_char((unsigned char)*value)) {
        value++;
    }
    return *value == '\0';
}

bool fx_http_equals_nocase(struct fx_text text, const char *word) {
    return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

static struct fx_text trim(struct fx_text text) {
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 &&
           (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}

/* Removes the next line, with its CR LF, from the front. False if there are no more. */
static bool next_line(struct fx_text *head, struct fx_text *ret_line) {
    const char *lf = head->len == 0 ? NULL : memchr(head->data, '\n', head->len);
    if (lf == NULL || lf == head->data) {
        return false;
    }
    *ret_line = (struct fx_text){head->data, (size_t)(lf - head->data) - 1};
    head->len -= ret_line->len + 2;
    head->data = lf + 1;
    return true;
}

struct fx_text fx_http_head_field(struct fx_text head, const char *name,
                                  size_t *ret_count) {
    const size_t len = strlen(name);
    struct fx_text first = {0};
    size_t count = 0;
    struct fx_text line;
    (void)next_line(&head, &line); /* the request or status line */
    while ((ret_count != NULL || count == 0) && next_line(&head, &line)) {
        if (line.len <= len || line.data[len] != ':' ||
            strncasecmp(line.data, name, len) != 0) {
            continue;
        }
        if (count++ == 0) {
            first = trim((struct fx_text){line.data + len + 1, line.len - len - 1});
        }
    }
    if (ret_count != NULL) {
        *ret_count = count;
    }
    return first;
}

/* ---- status codes ---- */

const char *fx_http_status_phrase(unsigned status) {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
    }
}
