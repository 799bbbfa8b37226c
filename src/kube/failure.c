/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure.c - the failures that an API server reports (Kubernetes API conventions,
 * "Response Status Kind").
 */
#include "kube/failure.h"

#include <stdio.h>
#include <string.h>

#include "net/http_head.h"
#include "value/json.h"
#include "value/tree.h"

#define MESSAGE_MAX       (FX_ERR_TEXT / 2) /* leaves room for the text around it */
#define REASON_MAX        64                /* a word like AlreadyExists */
#define RETRY_AFTER_MAX_S 3600

#define NAME_MAX_SHOWN 253 /* the longest name of an object (RFC 1123) */
#define REQUEST_MAX    1024
#define ADVICE_MAX     1024

static const char *const reason_names[] = {FX_KUBE_REASONS(FX_WORD)};

const char *fx_kube_reason_name(enum fx_kube_reason reason) {
    return reason_names[reason];
}

/* ---- messages ---------------------------------------------------------------------- */

/* Is it a control character (C0, DEL, C1), or a character that changes the layout on a
 * terminal: a separator of lines or paragraphs, or a mark of direction? */
static bool is_control(uint32_t rune) {
    return rune < 0x20 || (rune >= 0x7f && rune < 0xa0) || rune == 0x200e ||
           rune == 0x200f || (rune >= 0x2028 && rune <= 0x202e) ||
           (rune >= 0x2066 && rune <= 0x2069);
}

/* Copies the printable form of the text, cut at a rune if it is longer than `size`. */
static void copy_printable(struct fx_text text, char *out, size_t size) {
    static const char ellipsis[] = "…";
    size_t len = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        char encoded[4];
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
        const size_t n = fx_text_encode_rune(is_control(rune) ? ' ' : rune, encoded);
        if (len + n + sizeof ellipsis > size) {
            memcpy(out + len, ellipsis, sizeof ellipsis);
            return;
        }
        memcpy(out + len, encoded, n);
        len += n;
    }
    out[len] = '\0';
}

static struct fx_text first_line(struct fx_text body) {
    struct fx_text rest = fx_text_trim_space(body);
    return fx_text_trim_space(fx_text_cut(&rest, '\n'));
}

/* Writes `409 AlreadyExists: message`, without unknown parts, and without a message that
 * only repeats the reason. */
static void write_message(struct fx_kube_failure *failure, struct fx_text reason,
                          struct fx_text message) {
    char word[REASON_MAX];
    char said[MESSAGE_MAX];
    copy_printable(reason, word, sizeof word);
    copy_printable(fx_text_trim_space(message), said, sizeof said);
    char code[16] = "";
    if (failure->status != 0) {
        (void)snprintf(code, sizeof code, "%u", failure->status);
    }
    const bool more = said[0] != '\0' && strcmp(said, word) != 0;
    (void)snprintf(failure->message, sizeof failure->message, "%s%s%s%s%s", code,
                   code[0] != '\0' && word[0] != '\0' ? " " : "", word,
                   more && (code[0] != '\0' || word[0] != '\0') ? ": " : "",
                   more ? said : "");
    if (failure->message[0] == '\0') {
        (void)snprintf(failure->message, sizeof failure->message,
                       "failure without a message");
    }
}

static struct fx_text phrase_of(unsigned status) {
    const char *phrase = fx_http_status_phrase(status);
    return fx_text_of(strcmp(phrase, "Unknown") == 0 ? "" : phrase);
}

/* ---- reasons ----------------------------------------------------------------------- */

static enum fx_kube_reason reason_of_code(unsigned status) {
    switch (status) {
    case 401: return FX_KUBE_REASON_UNAUTHORIZED;
    case 403: return FX_KUBE_REASON_FORBIDDEN;
    case 404: return FX_KUBE_REASON_UNKNOWN;
    case 408: return FX_KUBE_REASON_NETWORK;
    case 409: return FX_KUBE_REASON_CONFLICT;
    case 410: return FX_KUBE_REASON_EXPIRED;
    case 429: return FX_KUBE_REASON_BUSY;
    default: break;
    }
    /* A redirect is not from an API server either. */
    return status >= 300 && status < 500 ? FX_KUBE_REASON_INVALID : FX_KUBE_REASON_SERVER;
}

/* Returns the reason of a Status, which is more precise than its code. */
static enum fx_kube_reason reason_of_status(unsigned status, const json_t *object) {
    const struct fx_text reason = fx_tree_view_string(object, "reason");
    const json_t *details = fx_tree_view_key(object, "details");
    if (fx_text_is(reason, "Expired") || fx_text_is(reason, "Gone")) {
        return FX_KUBE_REASON_EXPIRED;
    }
    if (status == 409 && fx_text_is(reason, "AlreadyExists")) {
        return FX_KUBE_REASON_EXISTS;
    }
    if (status == 404 && fx_tree_view_string(details, "name").len > 0) {
        return FX_KUBE_REASON_NOT_FOUND;
    }
    return reason_of_code(status);
}

static uint32_t bounded_seconds(json_int_t seconds) {
    return seconds <= 0                  ? 0
           : seconds > RETRY_AFTER_MAX_S ? RETRY_AFTER_MAX_S
                                         : (uint32_t)seconds;
}

/* Reads Retry-After (RFC 9110 section 10.2.3) as API servers write it. A date is
 * ignored. */
static uint32_t retry_after(struct fx_text head) {
    const struct fx_text value = fx_http_head_field(head, "retry-after", NULL);
    uint32_t seconds = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return 0;
        }
        seconds = bounded_seconds((json_int_t)seconds * 10 + (value.data[i] - '0'));
    }
    return seconds;
}

static void read_status_object(struct fx_kube_failure *failure, const json_t *object) {
    const json_t *details = fx_tree_view_key(object, "details");
    const struct fx_text reason = fx_tree_view_string(object, "reason");
    failure->reason = reason_of_status(failure->status, object);
    if (failure->retry_after_s == 0) {
        failure->retry_after_s = bounded_seconds(
            json_integer_value(fx_tree_view_key(details, "retryAfterSeconds")));
    }
    write_message(failure, reason.len > 0 ? reason : phrase_of(failure->status),
                  fx_tree_view_string(object, "message"));
}

static bool is_status(const json_t *object) {
    return fx_text_is(fx_tree_view_string(object, "kind"), "Status");
}

/* Reads the body as a Status (a new reference); NULL if it is not one, or without
 * memory. */
static json_t *parse_status(struct fx_text body, bool *ret_nomem) {
    struct fx_err err = FX_ERR_INIT;
    *ret_nomem = false;
    if (fx_text_trim_space(body).len == 0 || fx_text_trim_space(body).data[0] != '{') {
        return NULL;
    }
    json_t *object = fx_json_read(body, NULL, &err);
    if (object == NULL) {
        *ret_nomem = err.code != FX_ESYNTAX;
    } else if (!is_status(object)) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

void fx_kube_failure_read(unsigned status, struct fx_text head, struct fx_text body,
                          struct fx_kube_failure *ret_failure) {
    *ret_failure = (struct fx_kube_failure){
        .reason = reason_of_code(status),
        .status = status,
        .retry_after_s = retry_after(head),
    };
    bool nomem = false;
    json_t *object = parse_status(body, &nomem);
    if (object != NULL) {
        read_status_object(ret_failure, object);
        json_decref(object);
        return;
    }
    write_message(ret_failure, phrase_of(status), first_line(body));
    if (nomem && (status == 404 || status == 409)) {
        ret_failure->reason = FX_KUBE_REASON_MEMORY;
    }
}

void fx_kube_failure_of_status(const json_t *status_object,
                               struct fx_kube_failure *ret_failure) {
    const json_int_t code = json_integer_value(fx_tree_view_key(status_object, "code"));
    *ret_failure = (struct fx_kube_failure){
        .status = code >= 100 && code <= 599 ? (unsigned)code : 0,
    };
    read_status_object(ret_failure, status_object);
}

void fx_kube_failure_of_error(const struct fx_err *error,
                              struct fx_kube_failure *ret_failure) {
    const bool is_memory = error->code == FX_ENOMEM || error->code == FX_ELIMIT;
    *ret_failure = (struct fx_kube_failure){
        .reason = is_memory ? FX_KUBE_REASON_MEMORY : FX_KUBE_REASON_NETWORK,
    };
    write_message(ret_failure, FX_TEXT(""), fx_text_of(error->msg));
}

bool fx_kube_failure_is_temporary(const struct fx_kube_failure *failure) {
    return failure->reason == FX_KUBE_REASON_NETWORK ||
           failure->reason == FX_KUBE_REASON_BUSY ||
           failure->reason == FX_KUBE_REASON_SERVER ||
           failure->reason == FX_KUBE_REASON_MEMORY;
}

/* ---- the request, and advice about a refusal --------------------------------------- */

static struct fx_text cut_name(struct fx_text name) {
    return (struct fx_text){name.len == 0 ? "" : name.data,
                            name.len < NAME_MAX_SHOWN ? name.len : NAME_MAX_SHOWN};
}

/* Writes `patch secrets fixpoint-webhook-server-cert in namespace fixpoint-system`. */
static void write_request(const char *verb, const struct fx_kube_resource *resource,
                          const struct fx_kube_name *name, char out[REQUEST_MAX]) {
    const struct fx_text object = cut_name(name->name);
    const struct fx_text namespace_ = cut_name(name->namespace_);
    const char *sub = name->subresource;
    const bool is_version = resource->plural[0] == '\0'; /* not a resource */
    const bool has_group = resource->group[0] != '\0';
    (void)snprintf(out, REQUEST_MAX, "%s %s%s%s%s%s%s%.*s%s%.*s", verb,
                   is_version ? resource->group : resource->plural,
                   !has_group   ? ""
                   : is_version ? "/"
                                : ".",
                   is_version ? resource->version : resource->group,
                   sub != NULL ? "/" : "", sub != NULL ? sub : "",
                   object.len > 0 ? " " : "", FX_TEXT_ARG(object),
                   namespace_.len > 0 ? " in namespace " : "", FX_TEXT_ARG(namespace_));
}

/* Returns the verbs that the client needs. A client that lists also watches. If a patch
 * has to create the object, the message of the server says so. */
static const char *verbs_needed(const char *verb, const char *message) {
    if (strcmp(verb, "list") == 0 || strcmp(verb, "watch") == 0) {
        return "list\",\"watch";
    }
    const bool creates = strstr(message, " cannot create ") != NULL;
    return creates && strcmp(verb, "patch") == 0 ? "create\",\"patch" : verb;
}

static void write_rule(const char *verbs, const struct fx_kube_resource *resource,
                       const struct fx_kube_name *name, char out[ADVICE_MAX]) {
    const struct fx_text namespace_ =
        name->everywhere ? (struct fx_text){0} : cut_name(name->namespace_);
    const char *sub = name->subresource;
    const bool is_role = namespace_.len > 0;
    (void)snprintf(out, ADVICE_MAX,
                   "; the %s%.*s needs apiGroups [\"%s\"], resources [\"%s%s%s\"], verbs "
                   "[\"%s\"]",
                   is_role ? "Role in namespace " : "ClusterRole",
                   FX_TEXT_ARG(namespace_), resource->group, resource->plural,
                   sub != NULL ? "/" : "", sub != NULL ? sub : "", verbs);
}

/* Is the 403 from admission (quotas, other webhooks, a namespace that is being deleted)?
 * No RBAC rule can change that. The authorizer names the user and the forbidden
 * action. */
static bool is_from_admission(const char *message) {
    return strstr(message, "denied the request") != NULL ||
           (strstr(message, " is forbidden: ") != NULL &&
            strstr(message, " cannot ") == NULL);
}

static void write_advice(const struct fx_kube_failure *failure, const char *verb,
                         const struct fx_kube_resource *resource,
                         const struct fx_kube_name *name, char out[ADVICE_MAX]) {
    out[0] = '\0';
    if (failure->reason == FX_KUBE_REASON_UNAUTHORIZED) {
        (void)snprintf(out, ADVICE_MAX,
                       "; the token or client certificate is missing, expired, or of "
                       "another cluster");
    } else if (resource->plural[0] != '\0' && /* no rule names a version */
               failure->reason == FX_KUBE_REASON_FORBIDDEN &&
               !is_from_admission(failure->message)) {
        write_rule(verbs_needed(verb, failure->message), resource, name, out);
    }
}

void fx_kube_failure_prefix(struct fx_kube_failure *failure, const char *verb,
                            const struct fx_kube_resource *resource,
                            const struct fx_kube_name *name) {
    char request[REQUEST_MAX];
    char advice[ADVICE_MAX];
    struct fx_err whole = FX_ERR_INIT;
    write_request(verb, resource, name, request);
    write_advice(failure, verb, resource, name, advice);
    (void)fx_fail(&whole, FX_EIO, "%s: %s%s", request, failure->message, advice);
    memcpy(failure->message, whole.msg, sizeof failure->message);
}
