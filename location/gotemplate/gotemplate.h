/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/gotemplate.h - Go's text/template (templates spec). Text in, an
 * immutable program out; program and context in, text out.
 */
#ifndef FX_LOCATION_GOTEMPLATE_GOTEMPLATE_H
#define FX_LOCATION_GOTEMPLATE_GOTEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/json_part.h"

struct fx_gotemplate; /* opaque, immutable once made: any thread may use it */

/* Functions beside text/template's own: see function.h. */
struct fx_gotemplate_library;

/* Parses `text`. Messages call the template `name`. `functions` may be NULL: then there
 * are only text/template's own. Errors: FX_ESYNTAX with
 * the span at fault, in words that say what to do; FX_EINVALID for a function that is
 * refused (random, clock, network, secrets), with the reason; FX_ELIMIT; FX_ENOMEM. */
bool fx_gotemplate_compile(struct fx_text name, struct fx_text text,
                           const struct fx_gotemplate_library *functions,
                           struct fx_gotemplate **ret_template,
                           struct fx_err *err) FX_MUST_USE;
void fx_gotemplate_destroy(struct fx_gotemplate *template); /* NULL is fine */

/* The fields of the context, which is a struct in Go: any other top-level name fails. */
struct fx_gotemplate_field {
    struct fx_text name; /* "Target" */
    json_t *value;       /* borrowed; NULL: nil. Its numbers count as float64 unless … */
    bool integers;       /* … this says that its integers are Go ints (SelectKeyParts) */
};

struct fx_gotemplate_context {
    const struct fx_gotemplate_field *fields;
    size_t n_fields;
};

/* Executes, appends the output to `ret_text`. The context is never written: `set` and its
 * like change a copy of this execution's own. Errors: FX_EMUTATE with the words of the
 * execution error and the span of the action at fault; FX_ELIMIT over a bound of steps,
 * depth, memory or output; FX_ENOMEM. On failure nothing is appended. */
bool fx_gotemplate_execute(const struct fx_gotemplate *template,
                           const struct fx_gotemplate_context *context,
                           struct fx_buf *ret_text, struct fx_err *err) FX_MUST_USE;

/* Where a field of the context stands in a document that may be read in part. */
struct fx_gotemplate_origin {
    struct fx_text name;
    struct fx_json_place place;
};

/* What executing it may look at in any document: adds it to the tree of the origins'
 * places; fields of the context that have none are not looked up. Of the document that is
 * read in part for it (fx_json_read_part()) comes the same text, or failure, as of the
 * whole. The tree borrows the template's texts, and is to be pruned. False without
 * memory. */
bool fx_gotemplate_reads(const struct fx_gotemplate *template,
                         const struct fx_gotemplate_origin *origins,
                         size_t n_origins) FX_MUST_USE;

/* The first field of the context that it names and that is none of `fields` (NULL ends),
 * whether an execution would come to it, and then fail, or not; empty where there is
 * none. What templates that it calls name is not looked at. Borrowed from the template.
 */
struct fx_text fx_gotemplate_find_unknown(const struct fx_gotemplate *template,
                                          const char *const *fields);

#endif
