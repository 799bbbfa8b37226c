/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/reading.h - private: reads the fields of a document with their types.
 */
#ifndef FX_KYVERNO_READING_H
#define FX_KYVERNO_READING_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* A document that is being read. All is borrowed. */
struct kyverno_reading {
    struct fx_compilation *compilation; /* gets the warnings */
    struct fx_arena *arena;             /* of what is made */
    const json_t *document; /* the place of faults of values that have none themselves */
    struct fx_err *err;
};

/* Read object[key]: *ret is NULL if it is missing or null, or if `object` is not an
 * object. `path` is that of the object ("spec"; "" for the document). Errors: FX_EINVALID
 * with the node if the type is another one. */
bool fx_kyverno_read_object(const struct kyverno_reading *reading, const json_t *object,
                            const char *path, const char *key, json_t **ret) FX_MUST_USE;
bool fx_kyverno_read_list(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key, json_t **ret) FX_MUST_USE;
bool fx_kyverno_read_text(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key,
                          struct fx_text *ret) FX_MUST_USE;

/* The same for a list whose elements must be texts, or objects. */
bool fx_kyverno_read_texts(const struct kyverno_reading *reading, const json_t *object,
                           const char *path, const char *key,
                           const json_t **ret) FX_MUST_USE;
bool fx_kyverno_read_objects(const struct kyverno_reading *reading, const json_t *object,
                             const char *path, const char *key, json_t **ret) FX_MUST_USE;

/* Reads a text that is one of `words`, which NULL ends; *ret is its index, or `missing`
 * if there is none. */
bool fx_kyverno_read_word(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key, const char *const *words,
                          size_t missing, size_t *ret) FX_MUST_USE;

/* Adds a warning for every field that is not in the list, which NULL ends. */
bool fx_kyverno_warn_unknown(const struct kyverno_reading *reading, const json_t *object,
                             const char *path, const char *const *known) FX_MUST_USE;

/* Fails with FX_EINVALID at `node`, or at the document if the node has no place. Always
 * false. */
FX_PRINTF(3, 4)
bool fx_kyverno_refuse(const struct kyverno_reading *reading, const json_t *node,
                       const char *fmt, ...);

/* Returns "path.key" in the arena, or `key` if the path is empty. NULL without memory. */
const char *fx_kyverno_join(const struct kyverno_reading *reading, const char *path,
                            const char *key);

#endif
