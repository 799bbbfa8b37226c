/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/exec.h - private: the execution of a program. A function that
 * returns false has set the error: FX_EMUTATE with Go's message for a fault of the
 * template. Then fx_gotemplate_execute() adds the position in the template.
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
    const struct definition *definition; /* the definition that is executed */
    struct variable *variables;          /* the innermost last */
    size_t n_variables, cap_variables;
    size_t first_variable; /* the first one that the definition can see */
    size_t depth;
    enum flow flow;
    struct source_span at; /* the node that is evaluated, for errors */
    struct fx_buf *output;
};

/* Evaluates an operand without arguments. A bare `nil` is an error. */
bool eval_operand(struct exec *exec, const struct value *dot,
                  const struct operand *operand, struct value *ret_value) FX_MUST_USE;

/* Evaluates a call; `final` is the value before the `|`, or NULL. */
bool eval_call(struct exec *exec, const struct value *dot, const struct command *command,
               const struct value *final, struct value *ret_value) FX_MUST_USE;

/* Evaluates the operand as an argument for a parameter of that type. */
bool eval_argument(struct exec *exec, const struct value *dot,
                   const struct operand *operand, enum parameter parameter,
                   struct value *ret_value) FX_MUST_USE;

/* Executes the program with `root` as dot and as `$`, and appends the text to
 * exec->output. */
bool exec_program(struct exec *exec, const struct value *root) FX_MUST_USE;

#endif
