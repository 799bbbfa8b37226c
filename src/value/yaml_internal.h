/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_internal.h - shared by the files of the YAML reader and writer; private to
 * this room.
 */
#ifndef FX_VALUE_YAML_INTERNAL_H
#define FX_VALUE_YAML_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* ---- yaml_scalar.c ----------------------------------------------------------------- */

/* The value of a scalar. The rules are those of YAML 1.1 (yaml.org/type) with the
 * restrictions of go-yaml v2: no base 60; decimal integers that do not fit become floats;
 * timestamps stay text. */

#define FX_YAML_TAG_PREFIX "tag:yaml.org,2002:"

/* kind, go-yaml's short name of its tag */
#define FX_YAML_KINDS(X)   \
    X(NULL, "!!null")      \
    X(BOOL, "!!bool")      \
    X(INT, "!!int")        \
    X(UINT, "!!int")       \
    X(FLOAT, "!!float")    \
    X(TIME, "!!timestamp") \
    X(STRING, "!!str")     \
    X(COLLECTION, "")

enum fx_yaml_kind {
#define X(name, tag) FX_YAML_##name,
    FX_YAML_KINDS(X)
#undef X
};

struct fx_yaml_scalar {
    enum fx_yaml_kind kind;
    union {
        bool truth;
        int64_t integer;  /* INT */
        uint64_t natural; /* UINT: beyond INT64_MAX */
        double real;      /* may be infinite or not a number */
    } as;
};

/* Resolves `text` under the tag (long form; empty if there is none). Errors: FX_ESYNTAX
 * if the text is not of the tag's type, FX_ENOMEM. */
bool fx_yaml_resolve(struct fx_text tag, struct fx_text text,
                     struct fx_yaml_scalar *ret_scalar, struct fx_err *err) FX_MUST_USE;

/* Returns the node of a resolved scalar, whose decoded text is `text`; NULL on failure.
 * An infinite number has no node (FX_ESYNTAX, with the message of Go's encoding/json). */
json_t *fx_yaml_scalar_node(const struct fx_yaml_scalar *scalar, struct fx_text text,
                            struct fx_err *err) FX_MUST_USE;

/* Appends the object key of a scalar, as sigs.k8s.io/yaml converts keys: numbers and
 * booleans become text. False, with nothing appended, for kinds that cannot be keys: NULL
 * and UINT. */
bool fx_yaml_scalar_key(const struct fx_yaml_scalar *scalar, struct fx_text text,
                        struct fx_buf *key) FX_MUST_USE;

/* Appends the bytes of a `!!binary` text (RFC 4648 base64; malformed UTF-8 in them
 * becomes U+FFFD). False if it is not base64. */
bool fx_yaml_binary(struct fx_text text, struct fx_buf *bytes) FX_MUST_USE;

/* ---- yaml_compose.c ---------------------------------------------------------------- */

/* Makes the nodes of one document from libyaml's events: nodes with anchors are shared,
 * `<<` is merged, and keys become text. The stack is on the heap, so nothing recurses. */

struct fx_yaml_anchor;
struct fx_yaml_frame;

struct fx_yaml_composer {
    struct fx_yaml_frame *frames; /* the open collections, outermost first */
    size_t n_frames, cap_frames;
    struct fx_yaml_anchor *anchors; /* in the order of the text */
    size_t n_anchors, cap_anchors;
    json_t *anchor_names; /* name -> index of its newest anchor */
    json_t *root;         /* counted reference; NULL until it is complete */
    size_t n_nodes;       /* of the file so far, aliases expanded */
};

/* Frees everything. NULL, zeroed and half-filled composers are fine. */
void fx_yaml_composer_finish(struct fx_yaml_composer *composer);

/* Drops the current document. The count of the file's nodes stays. */
void fx_yaml_composer_reset(struct fx_yaml_composer *composer);

/* Takes a scalar, an alias, or the start or end of a collection. *ret_node is the node
 * that begins with it (borrowed); NULL for ends, keys and aliases. Errors: FX_ESYNTAX,
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_yaml_compose(struct fx_yaml_composer *composer, const yaml_event_t *event,
                     json_t **ret_node, struct fx_err *err) FX_MUST_USE;

/* Returns the whole document, a new reference; NULL before its end. */
json_t *fx_yaml_composer_take(struct fx_yaml_composer *composer) FX_MUST_USE;

#endif
