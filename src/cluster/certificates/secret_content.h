/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_content.h - what our Secret holds, out of the object and
 * into the bodies of its writes. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_CONTENT_H
#define FX_CLUSTER_CERTIFICATES_SECRET_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/certificates/rotation.h"

#define FX_SECRET_MANAGER "fixpoint"

/* The bytes of ca.crt, ca.key, tls.crt and tls.key, and the annotation. Zeroed is empty.
 */
struct fx_secret_content {
    struct fx_buf ca_cert, ca_key, cert, key;
    int64_t rotated_at;
};

/* Wipes the keys and frees. Zeroed is fine. */
void fx_secret_content_finish(struct fx_secret_content *content);

/* Reads the object. A key that it has not, or whose value is no base64, is empty; an
 * annotation that is no date is none. False without memory. */
bool fx_secret_content_read(const json_t *object,
                            struct fx_secret_content *ret_content) FX_MUST_USE;

/* A copy; false without memory. */
bool fx_secret_content_copy(const struct fx_secret_content *content,
                            struct fx_secret_content *ret_content) FX_MUST_USE;

/* Takes a copy of good content as what is `held` from now on, in place of what was,
 * unless all that it has not is a ca.key that `signs`. Without memory nothing is held. */
void fx_secret_content_hold(struct fx_secret_content *held,
                            const struct fx_secret_content *content, bool signs);

bool fx_secret_content_equal(const struct fx_secret_content *a,
                             const struct fx_secret_content *b);

/* As cluster/certificates/rotation.h reads it; borrowed. */
struct fx_rotation_content
fx_secret_content_view(const struct fx_secret_content *content);

/* The object to be created, with what the rotation says that it holds. A new tree, with
 * keys in it; NULL without memory. */
json_t *fx_secret_create_body(struct fx_text namespace_, struct fx_text name,
                              const struct fx_rotation *rotation) FX_MUST_USE;

/* The same as an apply configuration, for the very Secret of which `frame` is
 * fx_kube_body_for(): four of its keys and one annotation, and nothing else of it. */
json_t *fx_secret_apply_body(const json_t *frame,
                             const struct fx_rotation *rotation) FX_MUST_USE;

#endif
