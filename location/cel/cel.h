/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/cel.h - Common Expression Language as Kubernetes 1.36 has it: compile an
 * expression against an environment, evaluate it on values (spec/cel.md).
 */
#ifndef FX_LOCATION_CEL_CEL_H
#define FX_LOCATION_CEL_CEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/ast.h"
#include "location/cel/function.h"
#include "location/cel/run.h"
#include "location/cel/type.h"
#include "location/cel/value.h"

struct fx_cel_program; /* opaque, immutable: any thread may evaluate it */

/* A variable; its name may be dotted ("authorizer.requestResource"). */
struct fx_cel_variable {
    const char *name;
    const struct fx_cel_type *type;
};

/* What an expression may use. Borrowed by its programs. */
struct fx_cel_env {
    const struct fx_cel_variable *variables;
    size_t n_variables;
    const struct fx_cel_overload *const *libraries; /* NULL ends */
    bool has_objects; /* Object, Object.…, and JSONPatch are types (mutations) */
    /* The type of the objects that Object{…} is merged into; NULL: not known. What such a
     * literal sets must be fields of it. */
    const struct fx_cel_type *merged;
};

/* Options of a compilation; zeroed: none. The first three are for tests. */
struct fx_cel_compile_options {
    bool plain;     /* no constant folding and no fast paths in the program */
    bool unchecked; /* the expression is not checked: everything is dyn */
    bool loose;     /* literals may be of mixed types, as in CEL outside of Kubernetes */
    bool type_only; /* the program is made for its type, and must not be evaluated */
    /* For an expression that was checked before, when less was known of its variables:
     * what works at run time is no fault only because types are known now. Literals,
     * lists that are added, the branches of ?:, and the values that replace an optional
     * one may have mixed types, which makes them dyn; null may stand for any value. */
    bool lenient;
};

/* The stage that an expression failed in. */
enum fx_cel_stage { FX_CEL_STAGE_PARSE, FX_CEL_STAGE_CHECK, FX_CEL_STAGE_FOLD };

/* Parses, checks and folds. On failure *ret_program is NULL; if the expression is
 * invalid, `faults` has the reasons, in the order of their positions, and *ret_stage the
 * stage (a fault of folding is one text without a position); else err->code says why
 * (FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT). `source` is copied. `options` NULL: none.
 * Destroy the program with fx_cel_destroy(). */
bool fx_cel_compile(const struct fx_cel_env *env, struct fx_text source,
                    const struct fx_cel_compile_options *options,
                    struct fx_cel_program **ret_program, struct fx_cel_faults *faults,
                    enum fx_cel_stage *ret_stage, struct fx_err *err) FX_MUST_USE;

void fx_cel_destroy(struct fx_cel_program *program); /* NULL is fine */

/* The type of the result. */
const struct fx_cel_type *fx_cel_program_type(const struct fx_cel_program *program);

/* The checked expression, for analyses of what it reads. */
const struct fx_cel_node *fx_cel_program_root(const struct fx_cel_program *program);

/* Evaluates. Returns the value, or an error value; a fatal one has its reason in `err`.
 * run->cost is the cost. Spends from the thread's budget (base/budget.h). */
struct fx_cel_value fx_cel_eval(const struct fx_cel_program *program,
                                struct fx_cel_run *run, struct fx_err *err);

/* The value of a name that a loop declares. */
struct fx_cel_bound {
    const struct fx_cel_local *local;
    struct fx_cel_value value;
};

/* Evaluates one node of the program, for explanations. If the node reads names that loops
 * around it declare, `bound` has their values. The rest is as for fx_cel_eval(). */
struct fx_cel_value fx_cel_eval_part(const struct fx_cel_program *program,
                                     const struct fx_cel_node *node,
                                     const struct fx_cel_bound *bound, size_t n_bound,
                                     struct fx_cel_run *run, struct fx_err *err);

#endif
