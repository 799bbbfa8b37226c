/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.h - what -p and -f name, read: policies, objects, and the Namespaces among
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
#include "policy/namespaces.h"
#include "policy/policies.h"

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
    struct fx_input_objects *objects); /* NULL, zeroed are fine */

/* Reads all objects of the files and folders, unless that was done. A text that does not
 * parse, or holds what is no Kubernetes object, is said on standard error with file, line
 * and the character. `color`: --color, for that message. */
enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects);

/* How policies are read; everything is borrowed. */
struct fx_input_policies {
    const struct fx_dialect_settings *settings;
    const struct fx_provider_flags *flags; /* providers, behind the files; NULL: none */
    const char *namespace_; /* of policies that name none and may live in one; NULL:
                             * `default` */
    /* The paths of -f, and where their objects go; NULL: there is no -f. They are read
     * with the policies if those name kinds of parameters: objects of -f that are of such
     * a kind are parameters, too. */
    const struct fx_strings *object_paths;
    struct fx_input_objects *objects;
    unsigned color; /* --color, for what is said of these objects */
};

/* Reads and compiles all policies of the files and folders. Says nothing of what is wrong
 * with them: that is in their findings. */
enum fx_exit fx_input_read_policies(const struct fx_strings *paths,
                                    const struct fx_input_policies *input,
                                    struct fx_policies **ret_policies);

/* The same for a list of files. */
enum fx_exit fx_input_compile(const struct fx_file_list *files,
                              const struct fx_input_policies *input,
                              struct fx_policies **ret_policies);

/* Says the findings on standard error. Gives FX_EXIT_INVALID where a policy is invalid.
 */
enum fx_exit fx_input_say_findings(const struct fx_policies *policies, unsigned color);

/* Fills `ret_namespaces`, which is empty: with the objects of the policies' files, and,
 * before them, the Namespaces and Nodes among the objects (which may be NULL); all
 * objects if some rule has inputs. Errors: FX_ENOMEM. */
bool fx_input_namespaces(const struct fx_policies *policies,
                         const struct fx_input_objects *objects,
                         struct fx_namespaces *ret_namespaces,
                         struct fx_err *err) FX_MUST_USE;

/* How messages name a path: "-" is <stdin>. */
const char *fx_input_name(const char *path);

#endif
