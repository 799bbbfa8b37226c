/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/fold.h - private to the room: makes a checked expression ready to be
 * evaluated, and folds constants as Kubernetes does (spec/cel.md section 11).
 */
#ifndef FX_LOCATION_CEL_FOLD_H
#define FX_LOCATION_CEL_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "location/cel/ast.h"

struct fx_regex;

/* What folding needs and makes. */
struct fx_cel_folding {
    struct fx_arena *arena; /* of the program */
    struct fx_cel_faults *faults;
    struct fx_err *err;
    bool is_plain; /* nothing is folded, and the accumulators are copied */
    size_t n_locals;
    /* The compiled patterns, to be destroyed with the program, also after a failure. */
    struct fx_regex **regexes;
    size_t n_regexes, regexes_cap;
    unsigned depth; /* of the node that is being folded */
};

/* Sets how each node is evaluated, and numbers the variables of loops. Literals of
 * constants and conversions of constants become constants. False with one fault, if that
 * fails, or with err->code set (FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT). */
bool fx_cel_fold(struct fx_cel_folding *folding, struct fx_cel_node *node) FX_MUST_USE;

/* fold_call.c: what is special about a call, after its arguments have been folded. */
bool fx_cel_fold_call(struct fx_cel_folding *folding,
                      struct fx_cel_node *call) FX_MUST_USE;

/* Makes the node a constant: its value now. False as above. */
bool fx_cel_fold_constant(struct fx_cel_folding *folding,
                          struct fx_cel_node *node) FX_MUST_USE;

#endif
