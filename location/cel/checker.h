/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/checker.h - what the files of the checker (check_*.c) share. Private to
 * the room.
 *
 * Nodes are checked from below. A mistake is a fault, and its node gets the type
 * fx_cel_error_type, which goes with everything: so one mistake is one fault, and
 * checking goes on. Where it cannot go on (no memory, a limit), the unifier has stopped,
 * and all functions return early.
 */
#ifndef FX_LOCATION_CEL_CHECKER_H
#define FX_LOCATION_CEL_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/macros.h"
#include "location/cel/check.h"
#include "location/cel/function_index.h"
#include "location/cel/unify.h"

struct fx_cel_checker {
    const struct fx_cel_env *env;
    struct fx_arena *arena;   /* of the nodes and their types */
    struct fx_arena *scratch; /* freed when the check ends */
    struct fx_cel_faults *faults;
    struct fx_cel_function_index functions;
    struct fx_cel_unifier unifier;
    /* The names that folds around the current node declare, the innermost last. */
    struct fx_cel_local **locals;
    size_t n_locals, cap_locals;
    /* The overloads that fit the current call. */
    const struct fx_cel_overload **matches;
    size_t n_matches, cap_matches;
    unsigned depth;        /* of the current node */
    unsigned n_exemptions; /* calls around it whose literals may be of mixed types */
    unsigned n_reads;      /* fields around it that are selected of its value */
    enum fx_cel_check_mode mode;
};

static inline bool fx_cel_checker_stopped(const struct fx_cel_checker *checker) {
    return checker->unifier.no_memory || checker->unifier.over_limit;
}

/* ---- check.c ----------------------------------------------------------------------- */

/* Fails with the reason why the checker has stopped. Always false. */
bool fx_cel_checker_fail(const struct fx_cel_checker *checker, struct fx_err *err);

/* Checks the node and those below it, and sets their types. */
void fx_cel_check_node(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* Adds "expected type 'A' but found 'B'". */
void fx_cel_check_mismatch(struct fx_cel_checker *checker, uint32_t at,
                           const struct fx_cel_type *expected,
                           const struct fx_cel_type *found);

/* Adds the fault with the type in quotes between the two parts of its text. */
void fx_cel_check_fault_type(struct fx_cel_checker *checker, uint32_t at,
                             const char *before, const struct fx_cel_type *type,
                             const char *after);

/* Adds "expected type of field 'f' is 'A' but provided type is 'B'". */
void fx_cel_check_field_mismatch(struct fx_cel_checker *checker,
                                 const struct fx_cel_entry *entry,
                                 const struct fx_cel_type *expected,
                                 const struct fx_cel_type *found);

/* Adds "undeclared reference to 'N' (in container '')"; `is_absolute`: with a dot before
 * the name. */
void fx_cel_check_undeclared(struct fx_cel_checker *checker, uint32_t at,
                             bool is_absolute, struct fx_text name);

/* The type below optional_type(T), else the type itself. */
const struct fx_cel_type *fx_cel_check_unwrap(const struct fx_cel_type *type,
                                              bool *ret_is_optional);

/* ---- check_names.c ----------------------------------------------------------------- */

void fx_cel_check_name(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* Sets what the name means, and its type. False, without a fault, if it means nothing. */
bool fx_cel_check_find_name(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* Is the select a part of the dotted name of a variable or type? Then the node becomes
 * that name. */
bool fx_cel_check_is_dotted(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* A select, or the call `_?._`. */
void fx_cel_check_select(struct fx_cel_checker *checker, struct fx_cel_node *node);
void fx_cel_check_optional_select(struct fx_cel_checker *checker,
                                  struct fx_cel_node *node);

/* Makes the dotted name that a name, or selects of a name, write: "a.b.c", with ".d"
 * after it if `last` is not empty, in the arena. data NULL: the node is something else.
 */
struct fx_text fx_cel_check_dotted(struct fx_cel_checker *checker, struct fx_arena *arena,
                                   const struct fx_cel_node *node, struct fx_text last);

/* The type with this name as messages show it, or NULL. *ret_value: as a value. */
const struct fx_cel_type *fx_cel_check_find_type(struct fx_cel_checker *checker,
                                                 struct fx_text name,
                                                 const struct fx_cel_type **ret_value);

/* The type of the field of a struct type. A field that does not exist is a fault at `at`;
 * its type is fx_cel_error_type. */
const struct fx_cel_type *fx_cel_check_field(struct fx_cel_checker *checker, uint32_t at,
                                             const struct fx_cel_type *type,
                                             struct fx_text name);

/* The type of the field of an object with a schema; NULL: it has no such field. */
const struct fx_cel_type *fx_cel_check_find_field(const struct fx_cel_type *type,
                                                  struct fx_text name);

/* ---- check_calls.c ----------------------------------------------------------------- */

void fx_cel_check_call(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* Finds the first overload of the function of the call (function_index.h). */
uint32_t fx_cel_check_find_function(const struct fx_cel_checker *checker,
                                    struct fx_cel_node *call);

/* The same for a function with a dotted name, such as `sets.contains(…)`: what looks like
 * a receiver is a part of the name, and is removed from the call. */
uint32_t fx_cel_check_find_namespaced(struct fx_cel_checker *checker,
                                      struct fx_cel_node *call);

/* ---- check_literals.c -------------------------------------------------------------- */

void fx_cel_check_list(struct fx_cel_checker *checker, struct fx_cel_node *node);
void fx_cel_check_map(struct fx_cel_checker *checker, struct fx_cel_node *node);
void fx_cel_check_struct(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* ---- check_folds.c ----------------------------------------------------------------- */

void fx_cel_check_fold(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* Declares a local with this type; NULL: the fold has no such name. */
void fx_cel_check_declare(struct fx_cel_checker *checker, struct fx_cel_local *local,
                          const struct fx_cel_type *type);

/* Finds the innermost local name; NULL: there is none. */
struct fx_cel_local *fx_cel_check_find_local(const struct fx_cel_checker *checker,
                                             struct fx_text name);

/* ---- check_validate.c ---------------------------------------------- */

/* What is checked after the types, if they have no faults: that the elements of a literal
 * have one type, and arguments that are literals (fx_cel_overload.check, too). */
void fx_cel_check_validate(struct fx_cel_checker *checker,
                           const struct fx_cel_node *root);

#endif
