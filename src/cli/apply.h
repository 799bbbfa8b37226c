/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply.h - what `apply`, `diff` and `explain` share: options, inputs, and the
 * request for each object.
 */
#ifndef FX_CLI_APPLY_H
#define FX_CLI_APPLY_H

#include <stdbool.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/schemas.h"

struct fx_apply_values {
    struct fx_strings policies, objects, groups, schemas;
    unsigned output, operation, color; /* indices of the given words */
    const char *old, *user, *namespace_;
    bool keep_going, expand, targets;
    uint64_t timeout; /* ms; 0: the default */
    struct fx_provider_flags provider;
    struct fx_dialect_settings settings;
};

extern const char *const fx_apply_operation_words[]; /* CREATE, UPDATE, DELETE */

#define FX_APPLY_FIELD(name) offsetof(struct fx_apply_values, name)

/* The options that all three commands have. */
#define FX_APPLY_OPTIONS                                                                \
    FX_OPTION_ROW("policies", 'p', LIST, FX_APPLY_FIELD(policies), "PATH", NULL,        \
                  "policies: a file, a folder or - (repeats)"),                         \
        FX_OPTION_ROW("objects", 'f', LIST, FX_APPLY_FIELD(objects), "PATH", NULL,      \
                      "objects: a file, a folder or - (repeats)"),                      \
        FX_OPTION_ROW("namespace", 'n', TEXT, FX_APPLY_FIELD(namespace_), "NAME", NULL, \
                      "namespace of policies and objects that have none (default: "     \
                      "`default` for policies, none for objects)"),                     \
        FX_OPTION_ROW("operation", '\0', CHOICE, FX_APPLY_FIELD(operation), "NAME",     \
                      fx_apply_operation_words, "CREATE (default), UPDATE or DELETE"),  \
        FX_OPTION_ROW("old", '\0', TEXT, FX_APPLY_FIELD(old), "PATH", NULL,             \
                      "the objects before the UPDATE"),                                 \
        FX_OPTION_ROW("user", '\0', TEXT, FX_APPLY_FIELD(user), "NAME", NULL,           \
                      "user who sends the request (default: kubernetes-admin)"),        \
        FX_OPTION_ROW("group", '\0', LIST, FX_APPLY_FIELD(groups), "NAME", NULL,        \
                      "group of the user (repeats)"),                                   \
        FX_OPTION_ROW(                                                                  \
            "keep-going", 'k', FLAG, FX_APPLY_FIELD(keep_going), NULL, NULL,            \
            "skip invalid policies and objects that fail, and print the others"),       \
        FX_SCHEMA_OPTION(struct fx_apply_values, schemas),                              \
        FX_TIMEOUT_OPTION(struct fx_apply_values, timeout),                             \
        FX_DIALECT_OPTIONS(struct fx_apply_values, settings),                           \
        FX_PROVIDER_OPTIONS(struct fx_apply_values, provider),                          \
        FX_COLOR_OPTION(struct fx_apply_values)

/* The option of the commands that print objects. */
#define FX_EXPAND_OPTION                                                                 \
    FX_OPTION_ROW("expand", '\0', FLAG, offsetof(struct fx_apply_values, expand), NULL,  \
                  NULL,                                                                  \
                  "also print the objects that controllers create from them, according " \
                  "to the ExpansionTemplates among the policies")

/* The option of the same commands about rules for existing objects. */
#define FX_TARGETS_OPTION                                                                \
    FX_OPTION_ROW("targets", '\0', FLAG, offsetof(struct fx_apply_values, targets),      \
                  NULL, NULL,                                                            \
                  "apply only the rules that mutate existing objects: each object is a " \
                  "trigger, and all of them are targets")

/* The help text about input files. */
#define FX_APPLY_INPUT_DETAILS                                                           \
    "Folders are read recursively: *.yaml, *.yml and *.json. Files may contain several " \
    "documents and Lists. Namespaces among policies or objects are context for "         \
    "selectors; any other namespace has only the label with its name. Nodes are "        \
    "context for policies that read them. CustomResourceDefinitions among policies or "  \
    "objects are schemas, as the files of --schema are. --namespace sets the namespace " \
    "of policies "                                                                       \
    "and objects that have none, as in kubectl, except for kinds known to be "           \
    "cluster-scoped; objects are not changed by it.\n"

/* The help text of the commands that print objects: about input files and failures. */
#define FX_APPLY_DETAILS                                                               \
    FX_APPLY_INPUT_DETAILS                                                             \
    "\n"                                                                               \
    "If a policy is invalid (status 3), or if a mutation fails, does not converge or " \
    "is denied (status 4), nothing is printed; with --keep-going the others are "      \
    "printed, "                                                                        \
    "with the same status. Mutators in conflict with each other are skipped, as in a " \
    "cluster.\n"

/* The inputs that were read. */
struct fx_apply_inputs {
    struct fx_policies *policies;
    struct fx_input_objects objects, old;
    struct fx_namespaces namespaces;
    struct fx_input_schemas schemas;
    struct fx_provider_loop providers;
    enum fx_exit findings; /* FX_EXIT_INVALID if a policy is invalid */
};

/* Checks the options and reads the files that they name. Prints errors to standard error.
 * Fails if a policy is invalid, unless --keep-going is given. The caller finishes
 * ret_inputs (zeroed) in any case. */
enum fx_exit fx_apply_read(const struct fx_apply_values *values,
                           struct fx_apply_inputs *ret_inputs);
void fx_apply_inputs_finish(struct fx_apply_inputs *inputs);

/* The request for the object. Borrows from the values and the inputs. */
struct fx_question fx_apply_question(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     const struct fx_input_object *object);

#endif
