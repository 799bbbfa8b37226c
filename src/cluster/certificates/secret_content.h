/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_content.h - the content of the Secret: read from the
 * object, and written into the bodies of writes. Private to this room. Pure.
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

/* Wipes the keys and frees everything. Zeroed is allowed. */
void fx_secret_content_finish(struct fx_secret_content *content);

/* Reads the object. A key that is missing or not base64 is empty; an annotation that is
 * not a date is ignored. False without memory. */
bool fx_secret_content_read(const json_t *object,
                            struct fx_secret_content *ret_content) FX_MUST_USE;

/* A copy; false without memory. */
bool fx_secret_content_copy(const struct fx_secret_content *content,
                            struct fx_secret_content *ret_content) FX_MUST_USE;

/* Replaces `*held` by a copy of good content. `held` stays if the content differs only in
 * a ca.key that cannot sign (`signs` is false). Without memory `held` is empty. */
void fx_secret_content_hold(struct fx_secret_content *held,
                            const struct fx_secret_content *content, bool signs);

bool fx_secret_content_equal(const struct fx_secret_content *a,
                             const struct fx_secret_content *b);

/* The content as input of cluster/certificates/rotation.h; borrowed. */
struct fx_rotation_content
fx_secret_content_view(const struct fx_secret_content *content);

/* The object to create, with the content that the rotation made. A new tree with keys in
 * it, to be wiped; NULL without memory. */
json_t *fx_secret_create_body(struct fx_text namespace_, struct fx_text name,
                              const struct fx_rotation *rotation) FX_MUST_USE;

/* The same as an apply configuration for the existing Secret whose fx_kube_body_for() is
 * `existing`: four keys and one annotation. */
json_t *fx_secret_apply_body(const json_t *existing,
                             const struct fx_rotation *rotation) FX_MUST_USE;

#endif
