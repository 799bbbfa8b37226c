/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/schemas.h - schemas of kinds: the files of --schema, and CustomResourceDefinitions
 * among objects and policies.
 */
#ifndef FX_CLI_SCHEMAS_H
#define FX_CLI_SCHEMAS_H

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/options.h"
#include "engine/schemas.h"
#include "policy/policies.h"

/* The table row of `--schema`, for a member of type struct fx_strings. */
#define FX_SCHEMA_OPTION(type, member)                                             \
    FX_OPTION_ROW("schema", '\0', LIST, offsetof(type, member), "PATH", NULL,      \
                  "schemas of kinds that policies merge: an OpenAPI v3 document, " \
                  "CustomResourceDefinitions, or a folder of these (repeats)")

/* The schemas of one run of a command. */
struct fx_input_schemas {
    struct fx_schema_catalog *read;       /* of --schema; counted; NULL: none */
    struct fx_schema_catalog *of_objects; /* the same for CustomResourceDefinitions */
    struct fx_schemas all;                /* for reviews; borrows from both */
};

void fx_input_schemas_finish(struct fx_input_schemas *schemas); /* zeroed is fine */

/* Reads the files of --schema. In a file that is named itself each document must be an
 * OpenAPI v3 document or a CustomResourceDefinition; in a folder others are skipped, but
 * there must be one. Prints errors to standard error, with file, line and caret. `color`:
 * --color, for these messages. */
enum fx_exit fx_input_read_schemas(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_schemas *ret_schemas);

/* Sets `schemas->all`: those of --schema, then the CustomResourceDefinitions among the
 * objects, then those among the policies, which are borrowed. Both may be NULL. */
enum fx_exit fx_input_add_schemas(const struct fx_input_objects *objects,
                                  const struct fx_policies *policies,
                                  struct fx_input_schemas *schemas);

#endif
