/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review_texts.h - for the tests of this room: requests and responses with '
 * for ", so that they can be read.
 */
#ifndef FX_ADMISSION_REVIEW_TEXTS_H
#define FX_ADMISSION_REVIEW_TEXTS_H

#include <stdlib.h>
#include <string.h>

#define REQUEST(fields)                                         \
    "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/" \
    "v1','request':{'uid':'u'," fields "}}"
#define RESPONSE(fields)                                        \
    "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/" \
    "v1','response':{'uid':'u'," fields "}}"
#define ALLOWED(message) \
    RESPONSE("'allowed':true,'status':{'message':'" message "','code':200}")
#define POD_KIND "'kind':{'group':'','version':'v1','kind':'Pod'}"
#define POD      "'object':{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{}}"
/* The response for an object that no policy changes. */
#define DONE \
    "'object':{'apiVersion':'v1','kind':'Pod','metadata':{'labels':{'owner':'you'}}}"
#define UNCHANGED ALLOWED("Resource was not mutated")

/* Returns a copy with " for every ', which the caller frees. */
static inline char *with_quotes(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) {
        abort();
    }
    for (char *at = copy; *at != '\0'; at++) {
        if (*at == '\'') {
            *at = '"';
        }
    }
    return copy;
}

#endif
