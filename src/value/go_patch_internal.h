/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_patch_internal.h - private: the parts of fx_go_patch_apply().
 */
#ifndef FX_VALUE_GO_PATCH_INTERNAL_H
#define FX_VALUE_GO_PATCH_INTERNAL_H

#include "value/go_patch.h"

#define FX_GO_INVALID_INDEX "invalid index referenced"
#define FX_GO_MISSING       "missing value"

/* Operations under way. The functions return false, or NULL, after a failure. */
struct go_patching {
    struct fx_go_patch *patch;
    json_t **root;
    const struct fx_go_operation *operation;
    struct fx_buf key; /* the last piece of a path, decoded */
    unsigned depth;    /* of the node that the last path names */
    size_t copied;     /* nodes that copies may still add */
    size_t padded;     /* nulls that may still be added to lists */
    bool is_missing;   /* fx_go_find_container() found no container */
    struct fx_err *err;
};

/* Fails because the budget is exceeded, else for lack of memory. */
FX_RARE bool fx_go_fail_work(struct fx_err *err);

/* Decodes a piece of a path into `key`: ~1 is a slash, ~0 a tilde, any other ~ itself. */
bool fx_go_decode_piece(struct go_patching *patching, struct fx_text piece) FX_MUST_USE;

/* The child that the key names; NULL: there is none, or it is null. If `owns`, the
 * container is owned, and so is the child. */
json_t *fx_go_view_child(struct go_patching *patching, json_t *container, bool owns);

/* The container of the node, owned if `owns`; `key` is then the last piece of the path.
 * If there is none, NULL and `is_missing`. NULL after a failure, too. */
json_t *fx_go_find_container(struct go_patching *patching, struct fx_text path,
                             bool owns);

/* Finds the element that the key names among `size`; a negative index counts from the
 * end. False, with the reason in `reason`, if there is none. */
bool fx_go_find_element(struct go_patching *patching, size_t size, size_t *ret_index,
                        struct fx_buf *reason);

/* Gets the value that the key names; NULL: it is missing or null. False, with the reason,
 * for an index that a list does not have. */
bool fx_go_get(struct go_patching *patching, json_t *container, json_t **ret_value,
               struct fx_buf *reason);

/* Adds the value to the owned container. False with the reason, or after a failure. */
bool fx_go_put(struct go_patching *patching, json_t *container, json_t *value,
               struct fx_buf *reason);

/* Removes the node that the key names from the owned container. The same. */
bool fx_go_drop(struct go_patching *patching, json_t *container, struct fx_buf *reason);

/* Makes the missing objects and lists on the way to the node of the path (version 5).
 * What cannot be made is left: fx_go_find_container() then finds nothing. */
bool fx_go_make_parents(struct go_patching *patching, struct fx_text path) FX_MUST_USE;

/* Refuses with a message. */
FX_PRINTF(2, 3) bool fx_go_refuse(struct go_patching *patching, const char *fmt, ...);

#endif
