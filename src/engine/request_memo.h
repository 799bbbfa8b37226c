/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/request_memo.h - private to the engine and its dialects: what rules found out
 * about a request, for the rules after them. The loop has one for each review
 * (fx_request.memo).
 */
#ifndef FX_ENGINE_REQUEST_MEMO_H
#define FX_ENGINE_REQUEST_MEMO_H

#include "engine/admission_request.h"
#include "merge/schema.h"

#define FX_REQUEST_MEMO_BYTES 256u

/* Zeroed: nothing is known. */
struct fx_request_memo {
    bool has_resource;
    struct fx_request_resource resource;
    /* The kind whose schema was found last; `schema.set` NULL: none. Its texts are
     * copies, because those of an object change with it. */
    struct fx_schema schema;
    struct fx_text group, version, kind;
    bool is_builtin; /* the built-in table has the kind, too */
    char texts[FX_REQUEST_MEMO_BYTES];
    /* The configuration that was last asked whether it excludes the request, and its
     * answer; NULL: none. */
    const void *filters;
    bool is_excluded;
};

#endif
