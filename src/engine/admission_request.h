/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/admission_request.h - what an AdmissionRequest says beside the object, for
 * objects that no API server has sent.
 */
#ifndef FX_ENGINE_ADMISSION_REQUEST_H
#define FX_ENGINE_ADMISSION_REQUEST_H

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"

/* Appends the resource that probably has the kind: "pods", "networkpolicies",
 * "ingresses", "endpoints". */
void fx_resource_guess(struct fx_buf *buf, struct fx_text kind);

/* What an AdmissionRequest says about the resource; empty without one. The texts are
 * borrowed from it. */
struct fx_request_resource {
    struct fx_text group, version, resource, subresource, name;
    /* The user asked for another version, which the API server has converted to this
     * one. */
    bool is_converted;
};

void fx_request_resource_read(const struct fx_request *request,
                              struct fx_request_resource *ret_resource);

/* Returns the kind of the options of an operation ("CreateOptions"); NULL if it has
 * none. */
const char *fx_operation_options(enum fx_operation operation);

/* Makes the AdmissionRequest that an API server would send for the object, without uid,
 * object and oldObject. Returns a new reference; NULL without memory. */
json_t *fx_admission_request_make(const struct fx_request *request,
                                  const struct fx_subject *subject) FX_MUST_USE;

#endif
