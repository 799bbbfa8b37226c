/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/known.c - a sorted array of small records.
 */
#include "kube/known.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/vec.h"

static void free_text(struct fx_kube_known_object *object) {
    free(object->text);
    object->text = NULL;
}

void fx_kube_known_finish(struct fx_kube_known *known) {
    for (size_t i = 0; i < known->n_objects; i++) {
        free_text(&known->objects[i]);
    }
    free(known->objects);
    *known = (struct fx_kube_known){0};
}

static struct fx_kube_identity identity_of(const struct fx_kube_known_object *object) {
    const char *name = object->text + object->namespace_len + 1;
    const char *uid = object->text + object->key_len;
    return (struct fx_kube_identity){
        .namespace_ = {object->text, object->namespace_len},
        .name = {name, (size_t)(uid - name)},
        .uid = {uid, object->uid_len},
        .version = {uid + object->uid_len, object->version_len},
    };
}

/* ---- order ---- */

/* Compares namespace "/" name as one run of bytes. No name has a "/" (kube/object.h). */
static int compare_objects(const struct fx_kube_known_object *object,
                           const struct fx_kube_identity *which) {
    const struct fx_kube_identity own = identity_of(object);
    const struct fx_text a = own.namespace_, b = which->namespace_;
    if (fx_text_equal(a, b)) {
        return fx_text_compare(own.name, which->name);
    }
    const size_t least = a.len < b.len ? a.len : b.len;
    const int order = least == 0 ? 0 : memcmp(a.data, b.data, least);
    if (order != 0) {
        return order;
    }
    /* The shorter one is followed by its "/". */
    return a.len < b.len ? '/' - (unsigned char)b.data[least]
                         : (unsigned char)a.data[least] - '/';
}

static int compare_key(const void *key, const void *item) {
    const int order = compare_objects(item, key);
    return order < 0 ? 1 : order > 0 ? -1 : 0;
}

/* Returns the index of the object, or the index at which to insert it. */
static size_t find_index(const struct fx_kube_known *known,
                         const struct fx_kube_identity *which, bool *ret_found) {
    const size_t n = known->n_objects;
    *ret_found = false;
    /* Lists are in order, so the object usually comes after all others. */
    return n > 0 && compare_objects(&known->objects[n - 1], which) < 0
               ? n
               : fx_sorted_find(known->objects, n, sizeof *known->objects, which,
                                compare_key, ret_found);
}

/* ---- one object ---- */

bool fx_kube_known_find(const struct fx_kube_known *known,
                        const struct fx_kube_identity *which,
                        struct fx_kube_identity *ret_state) {
    bool found = false;
    const size_t at = find_index(known, which, &found);
    if (found) {
        *ret_state = identity_of(&known->objects[at]);
    }
    return found;
}

static char *append(char *to, struct fx_text text) {
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    return to + text.len;
}

/* Makes the record of an object. False without memory. */
static bool make_object(struct fx_kube_known_object *object,
                        const struct fx_kube_identity *state) {
    const size_t key_len = state->namespace_.len + 1 + state->name.len;
    assert(key_len <= UINT16_MAX && state->uid.len <= UINT8_MAX &&
           state->version.len <= UINT8_MAX);
    *object = (struct fx_kube_known_object){
        .text = malloc(key_len + state->uid.len + state->version.len),
        .namespace_len = (uint16_t)state->namespace_.len,
        .key_len = (uint16_t)key_len,
        .uid_len = (uint8_t)state->uid.len,
        .version_len = (uint8_t)state->version.len,
        .seen = true,
    };
    if (object->text == NULL) {
        return false;
    }
    char *to = append(object->text, state->namespace_);
    *to++ = '/';
    (void)append(append(append(to, state->name), state->uid), state->version);
    return true;
}

bool fx_kube_known_put(struct fx_kube_known *known,
                       const struct fx_kube_identity *state) {
    bool found = false;
    const size_t at = find_index(known, state, &found);
    struct fx_kube_known_object object;
    if (found) {
        const struct fx_kube_identity old = identity_of(&known->objects[at]);
        known->objects[at].seen = true;
        if (fx_text_equal(old.uid, state->uid) &&
            fx_text_equal(old.version, state->version)) {
            return true;
        }
    } else if (!FX_VEC_GROW(known->objects, known->n_objects, known->cap_objects)) {
        return false;
    }
    if (!make_object(&object, state)) {
        return false;
    }
    if (found) {
        free_text(&known->objects[at]);
    } else {
        FX_SORTED_INSERT(known->objects, known->n_objects, at);
    }
    known->objects[at] = object;
    return true;
}

void fx_kube_known_forget_version(struct fx_kube_known *known,
                                  const struct fx_kube_identity *which) {
    bool found = false;
    const size_t at = find_index(known, which, &found);
    if (found) {
        known->objects[at].version_len = 0; /* no server gives an empty version */
    }
}

void fx_kube_known_remove(struct fx_kube_known *known,
                          const struct fx_kube_identity *which) {
    bool found = false;
    const size_t at = find_index(known, which, &found);
    if (!found) {
        return;
    }
    free_text(&known->objects[at]);
    FX_SORTED_REMOVE(known->objects, known->n_objects, at);
}

/* ---- all of them ---- */

void fx_kube_known_begin_list(struct fx_kube_known *known) {
    for (size_t i = 0; i < known->n_objects; i++) {
        known->objects[i].seen = false;
    }
}

void fx_kube_known_remove_unseen(struct fx_kube_known *known,
                                 void (*on_gone)(struct fx_text namespace_,
                                                 struct fx_text name, void *user),
                                 void *user) {
    size_t kept = 0;
    for (size_t i = 0; i < known->n_objects; i++) {
        if (known->objects[i].seen) {
            known->objects[kept++] = known->objects[i];
            continue;
        }
        const struct fx_kube_identity gone = identity_of(&known->objects[i]);
        on_gone(gone.namespace_, gone.name, user);
        free_text(&known->objects[i]);
    }
    known->n_objects = kept;
}
