/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch.h - JSON Patch (RFC 6902): diff, apply, read and write.
 */
#ifndef FX_VALUE_PATCH_H
#define FX_VALUE_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_PATCH_OPS(X)   \
    X(ADD, "add")         \
    X(REMOVE, "remove")   \
    X(REPLACE, "replace") \
    X(MOVE, "move")       \
    X(COPY, "copy")       \
    X(TEST, "test")

enum fx_patch_op_kind {
#define X(name, text) FX_PATCH_##name,
    FX_PATCH_OPS(X)
#undef X
};

/* One operation. Paths are in the arena. `value` and `old` are borrowed from the trees
 * (or the document) that the patch was made of, which must outlive the patch. */
struct fx_patch_op {
    enum fx_patch_op_kind kind;
    struct fx_text path;
    struct fx_text from; /* MOVE, COPY */
    json_t *value;       /* ADD, REPLACE, TEST */
    json_t *old;         /* the value that a diff removes (REMOVE, REPLACE), or NULL */
};

/* A list of operations, in the order in which they are applied. All memory is from the
 * arena. */
struct fx_patch {
    struct fx_arena *arena;
    struct fx_patch_op *ops;
    size_t n_ops, cap_ops;
};

/* Makes an empty patch whose memory comes from `arena`. */
void fx_patch_init(struct fx_patch *patch, struct fx_arena *arena);

/* Appends the operations (add, replace, remove) that turn `before` into `after`. Shared
 * subtrees and equal values (value/equal.h) give no operations, so numbers of unchanged
 * fields are never rewritten. List elements are inserted and removed one by one; the
 * whole list is replaced only if there would be more than FX_LIMIT_PATCH_MOVES insertions
 * and removals before its end, never for changes in elements. Applying the operations in
 * order gives a value equal to `after`. Errors: FX_ENOMEM, FX_EDEADLINE. */
bool fx_patch_diff(struct fx_patch *patch, json_t *before, json_t *after,
                   struct fx_err *err) FX_MUST_USE;

/* The same, but for a short patch: an object of strings below the root to which very many
 * members were added (usually annotations) is replaced whole if the patch is then much
 * shorter. */
bool fx_patch_diff_brief(struct fx_patch *patch, json_t *before, json_t *after,
                         struct fx_err *err) FX_MUST_USE;

/* The fields by which a diff identifies list elements: the first one that both elements
 * have counts. NULL ends the list. */
extern const char *const fx_patch_merge_keys[];

/* Returns true if no operation concerns a partly decoded object (value/json_part.h). */
bool fx_patch_is_whole(const struct fx_patch *patch);

/* Reads a patch document (an array of operation objects, RFC 6902 section 3). Errors:
 * FX_EINVALID, FX_ENOMEM. */
bool fx_patch_parse(struct fx_patch *patch, json_t *document,
                    struct fx_err *err) FX_MUST_USE;

/* Applies all operations to *root (RFC 6902 section 4), copying on write, so that trees
 * which share nodes with it see nothing. `value`s are inserted by reference. After a
 * failure *root may contain the changes of the operations before the failed one, so pass
 * a reference of your own. Errors, each with the operation's index and path as a prefix
 * ("operation 3 (replace /spec/x): …"): FX_EINVALID, FX_ELIMIT (the result would be
 * deeper than FX_LIMIT_JSON_DEPTH, or its copies add up to more than FX_LIMIT_YAML_NODES
 * values), FX_ENOMEM, FX_EDEADLINE. */
bool fx_patch_apply(const struct fx_patch *patch, json_t **root,
                    struct fx_err *err) FX_MUST_USE;

/* Appends the patch as a JSON array. A failure is kept in `buf`. */
void fx_patch_write(struct fx_buf *buf, const struct fx_patch *patch, unsigned style);

#endif
