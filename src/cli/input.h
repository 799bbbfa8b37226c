/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.h - reads the files of -p and -f: policies, objects, and the Namespaces among
 * both, which are context for matching.
 */
#ifndef FX_CLI_INPUT_H
#define FX_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/file.h"
#include "base/macros.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/providers.h"
#include "policy/findings.h"
#include "policy/namespaces.h"
#include "policy/policies.h"
#include "policy/type_findings.h"

struct fx_input_schemas; /* cli/schemas.h */

/* One object of a file. */
struct fx_input_object {
    const char *file; /* borrowed from the list */
    uint32_t line;
    json_t *root; /* counted */
};

struct fx_input_objects {
    bool is_read;
    struct fx_file_list files;
    struct fx_input_object *items;
    size_t n_items, cap_items;
};

void fx_input_objects_finish(
    struct fx_input_objects *objects); /* NULL and zeroed are fine */

/* Reads all objects of the files and folders, unless they were already read. If a text
 * does not parse or is not a Kubernetes object, prints an error to standard error with
 * file, line and caret. `color`: --color, for that message. */
enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects);

/* How policies are read; everything is borrowed. */
struct fx_input_policies {
    const struct fx_dialect_settings *settings;
    const struct fx_provider_flags *flags; /* more providers; NULL: none */
    /* The namespace of namespaced policies that name none; NULL: `default`. */
    const char *namespace_;
    /* The paths of -f (NULL: none), and where their objects are stored. They are read
     * with the policies if policies name kinds of parameters: objects of -f of such a
     * kind are parameters, too. */
    const struct fx_strings *object_paths;
    struct fx_input_objects *objects;
    unsigned color; /* --color, for messages about these objects */
    /* NULL, or what the types of expressions say. Then the objects are read, and their
     * schemas and those of the policies are added to `schemas`, for this and for later.
     */
    struct fx_type_findings *types;
    struct fx_input_schemas *schemas;
};

/* Reads and compiles all policies of the files and folders. Does not print what is wrong
 * with them; see fx_input_say_findings(). */
enum fx_exit fx_input_read_policies(const struct fx_strings *paths,
                                    const struct fx_input_policies *input,
                                    struct fx_policies **ret_policies);

/* The same for a list of files. */
enum fx_exit fx_input_compile(const struct fx_file_list *files,
                              const struct fx_input_policies *input,
                              struct fx_policies **ret_policies);

/* Prints the findings to standard error. Returns FX_EXIT_INVALID if a policy is
 * invalid. */
enum fx_exit fx_input_say_findings(const struct fx_policies *policies, unsigned color);

/* Fills the empty `ret_namespaces` with the Namespaces and Nodes among `objects` (or
 * NULL), then with the objects of the policies' files. If a rule has inputs, all of
 * `objects` are added. Errors: FX_ENOMEM. */
bool fx_input_namespaces(const struct fx_policies *policies,
                         const struct fx_input_objects *objects,
                         struct fx_namespaces *ret_namespaces,
                         struct fx_err *err) FX_MUST_USE;

/* Prints an error in a file of objects, and returns its exit status. */
enum fx_exit fx_input_say_fault(const char *file, const struct fx_source_position *place,
                                const char *message, unsigned color);

/* The same for a text that does not parse (FX_ESYNTAX), or cannot be read. */
enum fx_exit fx_input_say_syntax(const char *file, struct fx_text text,
                                 struct fx_err *fault, unsigned color);

/* The name of a path in messages: "<stdin>" for "-". */
const char *fx_input_name(const char *path);

#endif
