/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure_words.c - what was asked, and what to do about a refusal: who is not known
 * to the API server, or which rule RBAC lacks.
 */
#include <stdio.h>
#include <string.h>

#include "kube/failure.h"

#define NAME_MAX_SHOWN 253 /* no object's name is longer (RFC 1123) */
#define ASKED_MAX      1024
#define ADVICE_MAX     1024

static struct fx_text shown(struct fx_text name) {
    return (struct fx_text){name.len == 0 ? "" : name.data,
                            name.len < NAME_MAX_SHOWN ? name.len : NAME_MAX_SHOWN};
}

/* `patch secrets fixpoint-webhook-server-cert in namespace fixpoint-system` */
static void write_asked(const char *verb, const struct fx_kube_resource *resource,
                        const struct fx_kube_name *name, char out[ASKED_MAX]) {
    const struct fx_text object = shown(name->name);
    const struct fx_text namespace_ = shown(name->namespace_);
    const char *sub = name->subresource;
    (void)snprintf(out, ASKED_MAX, "%s %s%s%s%s%s%s%.*s%s%.*s", verb, resource->plural,
                   resource->group[0] != '\0' ? "." : "", resource->group,
                   sub != NULL ? "/" : "", sub != NULL ? sub : "",
                   object.len > 0 ? " " : "", FX_TEXT_ARG(object),
                   namespace_.len > 0 ? " in namespace " : "", FX_TEXT_ARG(namespace_));
}

/* Who lists wants to watch. A patch that finds no object wants to create it; then it is
 * the server that says so. */
static const char *verbs_needed(const char *verb, const char *words) {
    if (strcmp(verb, "list") == 0 || strcmp(verb, "watch") == 0) {
        return "list\",\"watch";
    }
    const bool creates = strstr(words, " cannot create ") != NULL;
    return creates && strcmp(verb, "patch") == 0 ? "create\",\"patch" : verb;
}

static void write_rule(const char *verbs, const struct fx_kube_resource *resource,
                       const struct fx_kube_name *name, char out[ADVICE_MAX]) {
    const struct fx_text namespace_ =
        name->everywhere ? (struct fx_text){0} : shown(name->namespace_);
    const char *sub = name->subresource;
    const bool is_role = namespace_.len > 0;
    (void)snprintf(out, ADVICE_MAX,
                   "; the %s%.*s needs apiGroups [\"%s\"], resources [\"%s%s%s\"], verbs "
                   "[\"%s\"]",
                   is_role ? "Role in namespace " : "ClusterRole",
                   FX_TEXT_ARG(namespace_), resource->group, resource->plural,
                   sub != NULL ? "/" : "", sub != NULL ? sub : "", verbs);
}

/* Admission (quotas, other webhooks, a namespace that is being deleted) answers 403, too,
 * and no rule would help. The authorizer says who cannot do what. */
static bool is_of_admission(const char *words) {
    return strstr(words, "denied the request") != NULL ||
           (strstr(words, " is forbidden: ") != NULL &&
            strstr(words, " cannot ") == NULL);
}

static void write_advice(const struct fx_kube_failure *failure, const char *verb,
                         const struct fx_kube_resource *resource,
                         const struct fx_kube_name *name, char out[ADVICE_MAX]) {
    out[0] = '\0';
    if (failure->reason == FX_KUBE_REASON_UNAUTHORIZED) {
        (void)snprintf(out, ADVICE_MAX,
                       "; the token or client certificate is missing, expired, or of "
                       "another cluster");
    } else if (failure->reason == FX_KUBE_REASON_FORBIDDEN &&
               !is_of_admission(failure->message)) {
        write_rule(verbs_needed(verb, failure->message), resource, name, out);
    }
}

void fx_kube_failure_prefix(struct fx_kube_failure *failure, const char *verb,
                            const struct fx_kube_resource *resource,
                            const struct fx_kube_name *name) {
    char asked[ASKED_MAX];
    char advice[ADVICE_MAX];
    struct fx_err whole = FX_ERR_INIT;
    write_asked(verb, resource, name, asked);
    write_advice(failure, verb, resource, name, advice);
    (void)fx_fail(&whole, FX_EIO, "%s: %s%s", asked, failure->message, advice);
    memcpy(failure->message, whole.msg, sizeof failure->message);
}
