/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply.h - what `apply`, `diff` and `explain` share: their options, reading what
 * these name, and asking about each object; mutating all of them and printing.
 */
#ifndef FX_CLI_APPLY_H
#define FX_CLI_APPLY_H

#include <stdbool.h>

#include "cli/answer.h"
#include "cli/emit.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"

struct fx_apply_values {
    struct fx_strings policies, objects, groups;
    unsigned output, operation, color; /* indices of their words */
    const char *old, *user, *namespace_;
    bool keep_going, expand;
    uint64_t timeout; /* ms; 0: the default */
    struct fx_provider_flags provider;
    struct fx_dialect_settings settings;
};

extern const char *const fx_apply_operation_words[]; /* CREATE, UPDATE, DELETE */

/* The rows of both tables. */
#define FX_APPLY_OPTIONS                                                                \
    {"policies",                                                                        \
     'p',                                                                               \
     FX_OPTION_LIST,                                                                    \
     offsetof(struct fx_apply_values, policies),                                        \
     "PATH",                                                                            \
     NULL,                                                                              \
     "policies: a file, a folder or - (repeats)"},                                      \
        {"objects",                                                                     \
         'f',                                                                           \
         FX_OPTION_LIST,                                                                \
         offsetof(struct fx_apply_values, objects),                                     \
         "PATH",                                                                        \
         NULL,                                                                          \
         "objects: a file, a folder or - (repeats)"},                                   \
        {"namespace",                                                                   \
         'n',                                                                           \
         FX_OPTION_TEXT,                                                                \
         offsetof(struct fx_apply_values, namespace_),                                  \
         "NAME",                                                                        \
         NULL,                                                                          \
         "the namespace of what names none (default: objects are in none, policies in " \
         "`default`)"},                                                                 \
        {"operation",                                                                   \
         '\0',                                                                          \
         FX_OPTION_CHOICE,                                                              \
         offsetof(struct fx_apply_values, operation),                                   \
         "NAME",                                                                        \
         fx_apply_operation_words,                                                      \
         "CREATE (default), UPDATE or DELETE"},                                         \
        {"old",                                                                         \
         '\0',                                                                          \
         FX_OPTION_TEXT,                                                                \
         offsetof(struct fx_apply_values, old),                                         \
         "PATH",                                                                        \
         NULL,                                                                          \
         "the objects as they were before an UPDATE"},                                  \
        {"user",                                                                        \
         '\0',                                                                          \
         FX_OPTION_TEXT,                                                                \
         offsetof(struct fx_apply_values, user),                                        \
         "NAME",                                                                        \
         NULL,                                                                          \
         "who asks (default: kubernetes-admin)"},                                       \
        {"group",                                                                       \
         '\0',                                                                          \
         FX_OPTION_LIST,                                                                \
         offsetof(struct fx_apply_values, groups),                                      \
         "NAME",                                                                        \
         NULL,                                                                          \
         "a group of that user (repeats)"},                                             \
        {"keep-going",                                                                  \
         'k',                                                                           \
         FX_OPTION_FLAG,                                                                \
         offsetof(struct fx_apply_values, keep_going),                                  \
         NULL,                                                                          \
         NULL,                                                                          \
         "leave out invalid policies and objects that fail, and print the rest"},       \
        FX_TIMEOUT_OPTION(struct fx_apply_values, timeout),                             \
        FX_DIALECT_OPTIONS(struct fx_apply_values, settings),                           \
        FX_PROVIDER_OPTIONS(struct fx_apply_values, provider),                          \
        FX_COLOR_OPTION(struct fx_apply_values)

/* Of those that print objects. */
#define FX_EXPAND_OPTION                                                          \
    {"expand",                                                                    \
     '\0',                                                                        \
     FX_OPTION_FLAG,                                                              \
     offsetof(struct fx_apply_values, expand),                                    \
     NULL,                                                                        \
     NULL,                                                                        \
     "also what controllers will make of the objects, as the ExpansionTemplates " \
     "among the policies say"}

/* What help says of what they read. */
#define FX_APPLY_INPUT_DETAILS                                                        \
    "Folders are read with all below them: *.yaml, *.yml and *.json. Files may hold " \
    "several documents and Lists. Namespaces in either place are context for "        \
    "selectors; "                                                                     \
    "a namespace that nobody gives counts as one whose only label is its name. "      \
    "Nodes are context for policies that read them. With "                            \
    "--namespace, policies and objects that name none count as sent to that one, as " \
    "kubectl has it; but for kinds that are known to live in none. Objects stay as "  \
    "they are written.\n"

/* And of failures, where objects are printed. */
#define FX_APPLY_DETAILS                                                                \
    FX_APPLY_INPUT_DETAILS                                                              \
    "\n"                                                                                \
    "Where a policy is invalid (status 3), or a mutation fails, does not converge or "  \
    "is denied (status 4), nothing is printed; with --keep-going what is left is, and " \
    "the status "                                                                       \
    "stays. Mutators in conflict with one another are left out, as in a cluster.\n"

/* Everything that was read. */
struct fx_apply_inputs {
    struct fx_policies *policies;
    struct fx_input_objects objects, old;
    struct fx_namespaces namespaces;
    struct fx_outside outside;
    enum fx_exit findings; /* of the policies: what they make of the status */
};

/* Checks the options, and reads what they name; says what is wrong with it. Invalid
 * policies end it, unless --keep-going. ret_inputs (zeroed) is to be finished in any
 * case. */
enum fx_exit fx_apply_read(const struct fx_apply_values *values,
                           struct fx_apply_inputs *ret_inputs);
void fx_apply_inputs_finish(struct fx_apply_inputs *inputs);

/* What is to be asked about the object; borrows from both. */
struct fx_question fx_apply_question(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     const struct fx_input_object *object);

/* Does it all and prints in `format`. *ret_differs: an object would change. */
enum fx_exit fx_apply_objects(const struct fx_apply_values *values, enum fx_format format,
                              bool *ret_differs);

#endif
