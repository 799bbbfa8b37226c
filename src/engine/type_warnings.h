/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/type_warnings.h - expressions of a policy that do not fit the types of the
 * objects that it matches. The policy works all the same; an API server reports such
 * warnings in the status of its own policies.
 */
#ifndef FX_ENGINE_TYPE_WARNINGS_H
#define FX_ENGINE_TYPE_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* What is wrong, and where. */
struct fx_type_fault {
    uint32_t at; /* in bytes from the start of the expression; `len` of it: none */
    const char *message; /* "undefined field 'replicsa'" */
    const char *nearest; /* the name that may be meant; NULL: none is near */
};

/* One expression and one kind. */
struct fx_type_warning {
    const char *field;         /* "spec.mutations[0].applyConfiguration.expression" */
    struct fx_text expression; /* borrowed from the policy */
    const char *kind;          /* "apps/v1, Kind=Deployment" */
    const char *text;          /* all faults: "ERROR: <input>:1:8: undefined field …" */
    struct fx_type_fault *faults;
    size_t n_faults;
};

/* The warnings of one policy: those of an expression are one after the other. All texts
 * are in the arena. */
struct fx_type_warnings {
    struct fx_arena arena;
    struct fx_type_warning *items;
    size_t n_items, cap_items;
    /* A schema has to be fetched first (fx_schemas_look_up): there are no items. */
    bool waits;
};

void fx_type_warnings_init(struct fx_type_warnings *warnings);
void fx_type_warnings_finish(struct fx_type_warnings *warnings);

/* The number of warnings from `first` on that are about the same expression. */
size_t fx_type_warnings_count_same(const struct fx_type_warnings *warnings, size_t first);

/* Appends these warnings as the status of a policy has them, a line and its excerpt for
 * each kind: "apps/v1, Kind=Deployment: ERROR: …". */
void fx_type_warnings_print(struct fx_buf *buf, const struct fx_type_warning *items,
                            size_t n);

#endif
