/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/known.h - which objects were told, and in which state: what a new list is compared
 * with. About a hundred bytes each, for there may be tens of thousands.
 */
#ifndef FX_KUBE_KNOWN_H
#define FX_KUBE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/object.h"

/* One object. `text` is namespace, "/", name, uid and version, one behind the other. */
struct fx_kube_known_object {
    char *text;
    uint16_t namespace_len, key_len;
    uint8_t uid_len, version_len;
    bool seen;
};

/* Sorted by namespace "/" name, bytewise: the order in which lists come, so that a list
 * is appended. Zeroed is empty. */
struct fx_kube_known {
    struct fx_kube_known_object *objects;
    size_t n_objects, cap_objects;
};

void fx_kube_known_finish(struct fx_kube_known *known);

/* The state in which it was put last. False: it is not known. Borrowed until the next
 * put. */
bool fx_kube_known_find(const struct fx_kube_known *known,
                        const struct fx_kube_identity *which,
                        struct fx_kube_identity *ret_state) FX_MUST_USE;

/* Notes this state of it, and that it was seen. False without memory, with all as it
 * was. */
bool fx_kube_known_put(struct fx_kube_known *known,
                       const struct fx_kube_identity *state) FX_MUST_USE;

/* It is still known, but no more in which state: any that comes is another one. */
void fx_kube_known_forget_version(struct fx_kube_known *known,
                                  const struct fx_kube_identity *which);

/* Forgets it, where it is known. */
void fx_kube_known_remove(struct fx_kube_known *known,
                          const struct fx_kube_identity *which);

/* From now on nothing counts as seen. */
void fx_kube_known_begin_list(struct fx_kube_known *known);

/* Forgets, and tells, what was not seen since fx_kube_known_begin_list(). */
void fx_kube_known_remove_unseen(struct fx_kube_known *known,
                                 void (*on_gone)(struct fx_text namespace_,
                                                 struct fx_text name, void *user),
                                 void *user);

#endif
