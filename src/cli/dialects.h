/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/dialects.h - the options that say how policies are meant, of every command that
 * reads some.
 */
#ifndef FX_CLI_DIALECTS_H
#define FX_CLI_DIALECTS_H

#include <stddef.h>

#include "cli/options.h"
#include "engine/dialect.h"

/* The rows of a table of options whose values have a struct fx_dialect_settings. */
#define FX_DIALECT_OPTIONS(type, member)                                  \
    {"cluster-modrules-namespace",                                        \
     '\0',                                                                \
     FX_OPTION_TEXT,                                                      \
     offsetof(type, member.cluster_namespace),                            \
     "NAME",                                                              \
     NULL,                                                                \
     "the namespace whose ModRules count for the whole cluster (default " \
     "kubemod-system)"}

#endif
