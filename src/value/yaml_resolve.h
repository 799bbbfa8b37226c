/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_resolve.h - what a YAML scalar means (inside this room only). The rules are
 * those of YAML 1.1 (yaml.org/type) as go-yaml v2 narrows them: no base 60, decimal
 * integers that do not fit become floats, timestamps stay text.
 */
#ifndef FX_VALUE_YAML_RESOLVE_H
#define FX_VALUE_YAML_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

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

/* Resolves `text` under the tag (long form; empty for none). Errors: FX_ESYNTAX where the
 * text is not of the tag's type, FX_ENOMEM. */
bool fx_yaml_resolve(struct fx_text tag, struct fx_text text,
                     struct fx_yaml_scalar *ret_scalar, struct fx_err *err) FX_MUST_USE;

/* The number that `text` is, without a tag: `ret_scalar` becomes an INT, UINT or FLOAT.
 * False for anything else, words included, and without memory (then *ret_nomem). */
bool fx_yaml_number(struct fx_text text, struct fx_yaml_scalar *ret_scalar,
                    bool *ret_nomem) FX_MUST_USE;

/* Is it a timestamp as go-yaml recognises it (2001-12-14, 2001-12-14T21:59:43Z)? */
bool fx_yaml_is_time(struct fx_text text);

/* The node of a resolved scalar, whose text (decoded) is `text`; NULL on failure: an
 * infinite number has no node (FX_ESYNTAX, in the words of Go's encoding/json). */
json_t *fx_yaml_scalar_node(const struct fx_yaml_scalar *scalar, struct fx_text text,
                            struct fx_err *err) FX_MUST_USE;

/* Appends the object key that a scalar makes, as sigs.k8s.io/yaml converts keys: numbers
 * and booleans to their text. False (nothing appended) for kinds that make no key: NULL
 * and UINT. */
bool fx_yaml_scalar_key(const struct fx_yaml_scalar *scalar, struct fx_text text,
                        struct fx_buf *key) FX_MUST_USE;

/* Appends what `!!binary` text stands for (RFC 4648 base64; malformed UTF-8 within
 * becomes U+FFFD). False when it is not base64. */
bool fx_yaml_binary(struct fx_text text, struct fx_buf *bytes) FX_MUST_USE;

#endif
