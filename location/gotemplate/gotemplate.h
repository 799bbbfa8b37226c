/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/gotemplate.h - Go's text/template (templates spec): compiles a
 * text to an immutable program, and executes the program on a context, which gives a
 * text.
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

/* A library of functions that templates can call beside text/template's own
 * (function.h). */
struct fx_gotemplate_library;

/* Compiles `text`. `name` is the name of the template in error messages. `functions`:
 * NULL leaves only text/template's own functions. The caller destroys *ret_template.
 * Errors: FX_ESYNTAX with the span of the fault; FX_EINVALID with the reason for a
 * function that is refused (random, clock, network, secrets); FX_ELIMIT; FX_ENOMEM. */
bool fx_gotemplate_compile(struct fx_text name, struct fx_text text,
                           const struct fx_gotemplate_library *functions,
                           struct fx_gotemplate **ret_template,
                           struct fx_err *err) FX_MUST_USE;
void fx_gotemplate_destroy(struct fx_gotemplate *template); /* NULL is fine */

/* A field of the context. The context is a struct in Go: a template that names another
 * field fails. */
struct fx_gotemplate_field {
    struct fx_text name; /* "Target" */
    json_t *value;       /* borrowed; NULL is nil; numbers are float64 */
    bool integers;       /* integers are Go ints (SelectKeyParts) */
};

struct fx_gotemplate_context {
    const struct fx_gotemplate_field *fields;
    size_t n_fields;
};

/* Executes the template and appends its output to `ret_text`; on failure nothing is
 * appended. The context is never written: `set` and similar functions change a copy that
 * belongs to this execution. Errors: FX_EMUTATE with Go's message and the span of the
 * action at fault; FX_ELIMIT if the steps, the depth, the memory or the output exceed a
 * limit; FX_ENOMEM. */
bool fx_gotemplate_execute(const struct fx_gotemplate *template,
                           const struct fx_gotemplate_context *context,
                           struct fx_buf *ret_text, struct fx_err *err) FX_MUST_USE;

/* The position of a context field in a document that may be decoded in part. */
struct fx_gotemplate_origin {
    struct fx_text name;
    struct fx_json_cursor cursor;
};

/* Adds all that an execution may read of any document to the tree of wanted parts, at the
 * positions in `origins`; context fields without an origin are ignored. A document that
 * is decoded for this tree (fx_json_read_part()) gives the same output or error as the
 * whole document. The tree borrows texts from the template; the caller prunes it. False
 * if out of memory. */
bool fx_gotemplate_reads(const struct fx_gotemplate *template,
                         const struct fx_gotemplate_origin *origins,
                         size_t n_origins) FX_MUST_USE;

/* Returns the first context field that the template names and that is not in `fields` (a
 * NULL ends the list), even if no execution reaches it. Empty if there is none. Templates
 * that it calls are not searched. The result is borrowed from the template. */
struct fx_text fx_gotemplate_find_unknown(const struct fx_gotemplate *template,
                                          const char *const *fields);

#endif
