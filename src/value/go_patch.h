/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_patch.h - JSON Patch as evanphx/json-patch applies it, which differs from RFC
 * 6902 (value/patch.h) in more than its messages: indexes may be negative, and the text
 * before the first slash of a path is ignored.
 */
#ifndef FX_VALUE_GO_PATCH_H
#define FX_VALUE_GO_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Versions of the library, with the options of their users. */
enum fx_go_patch_version {
    /* Kubernetes: a replaced key may be missing, a missing value can be copied, and a
     * `test` that fails ends the patch without an error. */
    FX_GO_PATCH_V4,
    /* Kyverno (Kyverno spec section 10): `add` makes missing parents, and `remove`
     * ignores what is missing. */
    FX_GO_PATCH_V5,
};

struct fx_go_operation {
    struct fx_text op, path, from;
    json_t *value; /* NULL: it has none */
};

/* How operations are applied, and how that ended. */
struct fx_go_patch {
    enum fx_go_patch_version version;
    const char *prefix;     /* of the message of a refusal */
    struct fx_buf *message; /* receives the message of a refusal; it may be long */
    bool stopped;           /* a `test` failed (version 4): the rest was not applied */
};

/* Applies the operations to *root, an object, copying on write. Operations that change
 * nothing leave *root the same node. After a failure, or if the patch stopped, *root has
 * the changes of the operations before that. Errors: FX_EMUTATE with the message of the
 * library (also in `message`), FX_ELIMIT (deeper than FX_LIMIT_JSON_DEPTH, copies of more
 * than FX_LIMIT_YAML_NODES values, or padding of more than FX_LIMIT_PATCH_PADDING),
 * FX_EDEADLINE, FX_ENOMEM. */
bool fx_go_patch_apply(struct fx_go_patch *patch,
                       const struct fx_go_operation *operations, size_t n_operations,
                       json_t **root, struct fx_err *err) FX_MUST_USE;

#endif
