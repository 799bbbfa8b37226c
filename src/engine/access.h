/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/access.h - what a mutator reads and writes in an object.
 *
 * The dialect declares it in one function (fx_mutator_ops.access), as paths. The engine
 * derives the rest: which part of an object is decoded, which steps are skipped because
 * nothing that they read has changed, which mutators conflict, and which of them may
 * write a given field. A mutator without a declaration may read and write everything.
 */
#ifndef FX_ENGINE_ACCESS_H
#define FX_ENGINE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/json_part.h"

struct fx_mutator;

/* ---- the declaration --------------------------------------------------------------- */

/* One step of a path. */
struct fx_path_step {
    enum fx_path_step_type {
        FX_PATH_MEMBER,  /* the member `name` of an object */
        FX_PATH_ELEMENT, /* the elements of a list whose member `name` is `value` */
        FX_PATH_TOKEN,   /* a token of a JSON Pointer: the member or the index `name` */
        FX_PATH_ANY,     /* a member or an element that is known only during a review */
    } type;
    struct fx_text name;
    const json_t *value; /* of FX_PATH_ELEMENT; NULL: any value */
};

/* What a mutator assumes of the value at the end of a path that it writes. The types of
 * the nodes on the way follow from the path: Object or List. */
enum fx_access_type {
    FX_ACCESS_UNTYPED, /* it assumes nothing, on the way neither: never in conflict */
    FX_ACCESS_UNKNOWN, /* any value */
    FX_ACCESS_OBJECT,
    FX_ACCESS_LIST,
    FX_ACCESS_SET,
    FX_ACCESS_STRING,
};

struct fx_access_path {
    size_t first, n_steps; /* in `steps` of the declaration */
    bool writes;
    enum fx_access_type type; /* of a written path */
    bool must_terminate;      /* no other mutator may write below its end */
};

/* A declaration. Zeroed is empty. The texts and values are borrowed from the mutator. */
struct fx_access {
    struct fx_access_path *paths;
    size_t n_paths, cap_paths;
    struct fx_path_step *steps;
    size_t n_steps, cap_steps;
    /* A dialect that finds what its expressions read by evaluating them on a tree of
     * parts adds that here (fx_json_cursor_member() and the like). NULL: it is not
     * needed. */
    struct fx_json_part *parts;
    bool matches_metadata; /* `match` reads labels or annotations of the fx_subject */
    bool uses_old_value;   /* what it writes is made of the value that it replaces */
    bool failed;           /* no memory */
};

/* Begins a path to a value that is read, with everything in it. */
void fx_access_read(struct fx_access *access);

/* Begins a path to a value that is written, and read like the above. A path that gets no
 * steps leads anywhere; what it reads is then declared by other paths. */
void fx_access_write(struct fx_access *access, enum fx_access_type type,
                     bool must_terminate);

/* Adds a step to the path that was begun last. */
void fx_access_step(struct fx_access *access, struct fx_path_step step);

/* Replaces `access` with the declaration of the mutator, which has one. `access->parts`
 * is kept. False without memory. */
bool fx_access_declare(struct fx_access *access,
                       const struct fx_mutator *mutator) FX_MUST_USE;

void fx_access_finish(struct fx_access *access); /* zeroed is fine */

static inline const struct fx_path_step *
fx_access_steps(const struct fx_access *access, const struct fx_access_path *path) {
    return path->n_steps == 0 ? NULL : access->steps + path->first;
}

/* ---- what is derived ------------------------------------------------------------- */

/* The hash of a path of field names: that of the root, and that of the field of this name
 * of the value at a path. Never 0. Lists have no step of their own: all elements of a
 * list share its hash. Two paths with one hash are taken for each other, which costs a
 * step and never skips one. */
#define FX_PATH_HASH_ROOT UINT32_C(2166136261)
uint32_t fx_path_hash(uint32_t parent, struct fx_text name);

/* A declaration as the loop needs it. Immutable once made. */
struct fx_access_hashes {
    /* Whether the mutator acts, and what it writes, does not depend on what it writes:
     * once it has changed the object, its next step changes nothing. */
    bool settles;
    bool matches_metadata;
    bool writes_metadata;
    uint32_t n_passed, n_read, n_steps;
    /* One list after the other: the paths whose type of node matters (absent, an object,
     * this very list); the paths whose whole content matters; and the path that it
     * writes, after its first 1, 2, … steps. Without steps it may write anywhere. With
     * steps it leaves the object's type and names alone, and before the end of the path
     * it only adds what is missing. */
    uint32_t items[];
};

/* The last of the three lists. */
static inline const uint32_t *
fx_access_written_hashes(const struct fx_access_hashes *hashes) {
    return hashes->items + hashes->n_passed + hashes->n_read;
}

/* How many hashes a list may have; a declaration with more has no hashes. */
#define FX_ACCESS_HASHES 64u

/* Derives the hashes; the caller frees them with free(). *ret_hashes is NULL if there are
 * too many, or if everything is read. False without memory. */
bool fx_access_hash(const struct fx_access *access,
                    struct fx_access_hashes **ret_hashes) FX_MUST_USE;

/* Adds to `parts` what every review reads: type, names, labels and annotations of the
 * object; and what the mutators read or write. `parts` is zeroed and has `omits_rest`
 * set. It borrows the texts of the mutators. False without memory. */
bool fx_access_add_parts(struct fx_mutator *const *mutators, size_t n_mutators,
                         struct fx_json_part *parts) FX_MUST_USE;

/* The same for one mutator, without what every review reads. The mutator has a
 * declaration. */
bool fx_access_add_parts_of(const struct fx_mutator *mutator,
                            struct fx_json_part *parts) FX_MUST_USE;

/* May `apply` of the mutator write the field at this path, or one above or below it?
 * Errors: FX_ENOMEM. */
bool fx_access_may_write(const struct fx_mutator *mutator,
                         const struct fx_path_step *path, size_t n_steps, bool *ret_may,
                         struct fx_err *err) FX_MUST_USE;

#endif
