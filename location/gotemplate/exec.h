/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/exec.h - private: the execution of a program. Every function says
 * false once with the error filled, in Go's words where it is the template's fault
 * (FX_EMUTATE); where in the template that was is put in front at the end.
 */
#ifndef FX_LOCATION_GOTEMPLATE_EXEC_H
#define FX_LOCATION_GOTEMPLATE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/gotemplate/program.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

struct variable {
    uint32_t id;
    struct value value;
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE };

struct exec {
    struct template_run run;
    const struct fx_gotemplate *program;
    const struct definition *definition; /* that is being executed */
    struct variable *variables;          /* the innermost last */
    size_t n_variables, cap_variables;
    size_t first_variable; /* of the definition */
    size_t depth;
    enum flow flow;
    struct source_span at; /* the last node that was looked at: what an error names */
    struct fx_buf *output;
};

/* One level deeper, and back. Errors: FX_ELIMIT. */
bool exec_enter(struct exec *exec) FX_MUST_USE;
void exec_leave(struct exec *exec);

/* Declares a variable. */
bool exec_push(struct exec *exec, uint32_t id, const struct value *value) FX_MUST_USE;

/* The innermost variable of that id; NULL: there is none. */
struct variable *exec_find(const struct exec *exec, uint32_t id);

/* The value of a pipeline; its variables are declared or assigned. An interface{} is
 * taken out of its box: nil becomes missing. */
bool eval_pipeline(struct exec *exec, const struct value *dot,
                   const struct pipeline *pipeline, struct value *ret_value) FX_MUST_USE;

/* The value of an operand that gets no arguments; nil has none. */
bool eval_operand(struct exec *exec, const struct value *dot,
                  const struct operand *operand, struct value *ret_value) FX_MUST_USE;

/* The value of a call; `final` is what came through the `|`, or NULL. */
bool eval_call(struct exec *exec, const struct value *dot, const struct command *command,
               const struct value *final, struct value *ret_value) FX_MUST_USE;

/* What the operand is to a parameter of that type. */
bool eval_argument(struct exec *exec, const struct value *dot,
                   const struct operand *operand, enum parameter parameter,
                   struct value *ret_value) FX_MUST_USE;

/* Executes the program; the value is both dot and `$`. Text is added to the output. */
bool exec_program(struct exec *exec, const struct value *root) FX_MUST_USE;

#endif
