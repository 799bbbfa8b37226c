/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reads.h - private: what an expression reads, with the values,
 * for explanations: fields of the object, of the request, of the parameter and of the
 * Namespace; and variables, with what their expressions read.
 *
 * Of a Secret only its kind, type and names are shown; any other value that is read from
 * it is replaced by a note, and so is the value of a variable that reads one.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_READS_H
#define FX_MUTATORS_ADMISSION_POLICY_READS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/trace.h"
#include "location/cel/ast.h"
#include "mutators/admission_policy/activation.h"
#include "mutators/admission_policy/rule.h"

/* Stands for a value that is not shown. */
#define FX_MAP_NOT_SHOWN "(not shown: a Secret)"

/* A name that a loop around the current node declares. */
struct map_read_local {
    const struct fx_cel_local *local;
    const json_t *item;  /* its value; NULL if it is not known */
    struct fx_text path; /* how explanations call it: "object.spec.containers[name: a]" */
    bool is_secret;
    bool is_counter;                     /* it is not listed */
    const struct map_variable *variable; /* that it is a part of; or NULL */
    const struct map_read_local *outer;
};

/* A list of reads that is being made. */
struct map_read_list {
    struct fx_trace_read *first, *last;
    size_t n;
    bool is_cut;    /* there are more */
    bool is_secret; /* a value is not shown */
};

/* A walk over an expression. */
struct map_reads {
    /* Set by the caller: */
    const struct map_owning_rule *own;
    struct map_activation *activation; /* begun with the object that the rule sees */
    struct fx_arena *arena;            /* for the reads */
    const struct map_expression *expression;
    struct map_read_list *list; /* receives the reads */

    /* Private; zeroed: */
    const struct map_read_local *locals; /* the innermost one */
    size_t n_total;                      /* reads of all lists */
    unsigned level;                      /* of variables in variables */
    json_t **kept;                       /* counted: values that were computed */
    size_t n_kept, cap_kept;
    bool failed; /* there was no memory */
};

/* Drops the values. What was read stays valid as long as the arena. */
void fx_map_reads_finish(struct map_reads *reads);

/* Adds what the node reads to the list: each name once, in the order of the expression.
 * Of a conditional, only the branch that was taken is read; of a loop, each element. */
void fx_map_reads_collect(struct map_reads *reads, const struct fx_cel_node *node);

/* Adds a read; the texts are copied. Returns NULL if the list has the name already, is
 * full, or without memory. */
struct fx_trace_read *fx_map_reads_add(struct map_reads *reads, struct fx_text name,
                                       struct fx_text value);

/* Appends the value as compact JSON, cut if it is long; "absent" for NULL. */
void fx_map_print_value(struct fx_buf *buf, const json_t *value);

/* Appends "object.spec.replicas = 3, request.operation = "CREATE"". */
void fx_map_print_reads(struct fx_buf *buf, const struct map_read_list *list);

/* ---- for the walks along a location (cause.c) -------------------------------------- */

/* If the node is a variable (`variables.x`), adds it to the list, and calls `walk` with
 * its expression, to collect what that reads. */
bool fx_map_reads_enter_variable(struct map_reads *reads, const struct fx_cel_node *node,
                                 void (*walk)(struct map_reads *reads,
                                              const struct fx_cel_node *root, void *user),
                                 void *user);

/* The value of the node, borrowed until the end; NULL if it cannot be computed, for
 * instance because it reads a name of a loop whose value is not known. */
const json_t *fx_map_reads_value(struct map_reads *reads, const struct fx_cel_node *node);

/* The branch of a conditional that was taken; NULL if that is not known. */
const struct fx_cel_node *fx_map_reads_branch(struct map_reads *reads,
                                              const struct fx_cel_node *conditional);

/* Keeps a value until the end, and takes over its reference. Returns it; NULL without
 * memory. */
const json_t *fx_map_reads_keep(struct map_reads *reads, json_t *value_take);

/* Is the object a Secret? */
bool fx_map_reads_hides(const struct map_reads *reads);

/* The elements of a range that a loop runs over, and how explanations call the range. */
struct map_read_range {
    const json_t *items; /* a list; NULL if it is none, or not known */
    struct fx_text path; /* without has_path, the name of the loop */
    bool has_path;
    bool is_secret;
    const struct map_variable *variable; /* that it is a part of; or NULL */
};

struct map_read_range fx_map_reads_range(struct map_reads *reads,
                                         const struct fx_cel_node *fold);

/* Gives the name that optMap() declares the value of its target, or no value, until
 * reads->locals is set to ret_local->outer. */
void fx_map_reads_bind_target(struct map_reads *reads, const struct fx_cel_node *fold,
                              struct map_read_local *ret_local);

/* The names of a loop. */
struct map_read_binding {
    struct map_read_local item, index;
};

/* Gives the names of the loop the values of the item at this index, until they are
 * unbound. `index` beyond the items: values that are not known. */
void fx_map_reads_bind(struct map_reads *reads, const struct fx_cel_node *fold,
                       const struct map_read_range *range, size_t index,
                       struct map_read_binding *ret_binding);
void fx_map_reads_unbind(struct map_reads *reads, const struct map_read_binding *binding);

#endif
