/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/known.h - the objects that a reflector has reported, with their versions, for
 * comparison with a new list. An object takes about a hundred bytes, because there may be
 * tens of thousands.
 */
#ifndef FX_KUBE_KNOWN_H
#define FX_KUBE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/object.h"

/* One object. `text` is namespace, "/", name, uid and version, without separators in
 * between. */
struct fx_kube_known_object {
    char *text;
    uint16_t namespace_len, key_len;
    uint8_t uid_len, version_len;
    bool seen;
};

/* The known objects, sorted by namespace "/" name, bytewise. Lists have this order, so
 * their objects are appended. A zeroed set is empty. */
struct fx_kube_known {
    struct fx_kube_known_object *objects;
    size_t n_objects, cap_objects;
};

void fx_kube_known_finish(struct fx_kube_known *known);

/* Finds the object and returns its last state. False if it is not known. `*ret_state` is
 * borrowed until the next put. */
bool fx_kube_known_find(const struct fx_kube_known *known,
                        const struct fx_kube_identity *which,
                        struct fx_kube_identity *ret_state) FX_MUST_USE;

/* Adds or updates the object and marks it as seen. False, with nothing changed, without
 * memory. */
bool fx_kube_known_put(struct fx_kube_known *known,
                       const struct fx_kube_identity *state) FX_MUST_USE;

/* Forgets the version of the object, so that the next version of it counts as a change.
 */
void fx_kube_known_forget_version(struct fx_kube_known *known,
                                  const struct fx_kube_identity *which);

/* Removes the object if it is known. */
void fx_kube_known_remove(struct fx_kube_known *known,
                          const struct fx_kube_identity *which);

/* Marks all objects as not seen. */
void fx_kube_known_begin_list(struct fx_kube_known *known);

/* Removes, and reports to `on_gone`, all objects that were not seen since
 * fx_kube_known_begin_list(). */
void fx_kube_known_remove_unseen(struct fx_kube_known *known,
                                 void (*on_gone)(struct fx_text namespace_,
                                                 struct fx_text name, void *user),
                                 void *user);

#endif
