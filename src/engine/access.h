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
        FX_PATH_APPEND,  /* a new element at the end of a list; the others stay */
    } type;
    struct fx_text name;
    const json_t *value; /* of FX_PATH_ELEMENT; NULL stands for any value */
};

/* What a mutator assumes of the value at the end of a path that it writes. The types of
 * the nodes before the end follow from the path: Object or List. */
enum fx_access_type {
    FX_ACCESS_UNTYPED, /* it assumes nothing of any node of the path, and has no conflicts
                        */
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

/* A declaration. A zeroed one is empty. The texts and values are borrowed from the
 * mutator. */
struct fx_access {
    struct fx_access_path *paths;
    size_t n_paths, cap_paths;
    struct fx_path_step *steps;
    size_t n_steps, cap_steps;
    /* If a dialect evaluates its expressions on a tree of parts to find what they read,
     * it adds that here (fx_json_cursor_member() and similar functions). NULL if the tree
     * is not needed. */
    struct fx_json_part *parts;
    bool matches_metadata; /* `match` reads labels or annotations of the fx_subject */
    bool uses_old_value;   /* the value that it writes is made from the value that it
                            * replaces */
    bool failed;           /* there was no memory */
};

/* Begins a path to a value that is read completely. */
void fx_access_read(struct fx_access *access);

/* Begins a path to a value that is written and read completely. A path without steps
 * leads anywhere; other paths then declare what it reads. */
void fx_access_write(struct fx_access *access, enum fx_access_type type,
                     bool must_terminate);

/* Adds a step to the path that was begun last. */
void fx_access_step(struct fx_access *access, struct fx_path_step step);

/* Replaces the content of `access`, except `parts`, with the declaration of the mutator,
 * which must have one. False without memory. */
bool fx_access_declare(struct fx_access *access,
                       const struct fx_mutator *mutator) FX_MUST_USE;

void fx_access_finish(struct fx_access *access); /* zeroed is fine */

static inline const struct fx_path_step *
fx_access_steps(const struct fx_access *access, const struct fx_access_path *path) {
    return path->n_steps == 0 ? NULL : access->steps + path->first;
}

/* ---- what is derived ------------------------------------------------------------- */

/* The hash of a path of field names: that of the root, and that of the field `name` of
 * the value at the path `parent`. Never 0. Lists have no step of their own: all elements
 * of a list share its hash. If two paths have the same hash, a step may run that could be
 * skipped, but no step is skipped that must run. */
#define FX_PATH_HASH_ROOT UINT32_C(2166136261)
uint32_t fx_path_hash(uint32_t parent, struct fx_text name);

/* A declaration in the form that the loop needs. Immutable. */
struct fx_access_hashes {
    /* Neither whether the mutator acts nor what it writes depends on what it writes: once
     * it has changed the object, its next step changes nothing. */
    bool settles;
    bool matches_metadata;
    bool writes_metadata;
    uint32_t n_passed, n_read, n_steps;
    /* Three lists, one after the other: the paths whose type of node matters (absent, an
     * object, or which list); the paths whose whole content matters; and the path that it
     * writes, after its first step, its second, and so on. Without steps it may write
     * anywhere. With steps it does not change the object's type and names, and before the
     * end of the path it only adds missing nodes. */
    uint32_t items[];
};

/* Returns the last of the three lists. */
static inline const uint32_t *
fx_access_written_hashes(const struct fx_access_hashes *hashes) {
    return hashes->items + hashes->n_passed + hashes->n_read;
}

/* The most hashes of a list. A declaration with more has no hashes. */
#define FX_ACCESS_HASHES 64u

/* Derives the hashes; the caller frees them with free(). *ret_hashes is NULL if there are
 * too many, or if everything is read. False without memory. */
bool fx_access_hash(const struct fx_access *access,
                    struct fx_access_hashes **ret_hashes) FX_MUST_USE;

/* Adds to `parts` what every review reads (type, names, labels and annotations of the
 * object) and what the mutators read or write. `parts` is zeroed, except that
 * `omits_rest` is set. It borrows the texts of the mutators. `by_kind` leaves out
 * mutators of which fx_mutator_reads_whole_kinds() is true. False without memory. */
bool fx_access_add_parts(struct fx_mutator *const *mutators, size_t n_mutators,
                         bool by_kind, struct fx_json_part *parts) FX_MUST_USE;

/* The same for one mutator with a declaration, without what every review reads. */
bool fx_access_add_parts_of(const struct fx_mutator *mutator,
                            struct fx_json_part *parts) FX_MUST_USE;

/* May `apply` of the mutator write the field at this path, or a node above or below it?
 * Errors: FX_ENOMEM. */
bool fx_access_may_write(const struct fx_mutator *mutator,
                         const struct fx_path_step *path, size_t n_steps, bool *ret_may,
                         struct fx_err *err) FX_MUST_USE;

#endif
