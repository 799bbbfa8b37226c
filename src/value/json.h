/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json.h - reading JSON (RFC 8259) as Kubernetes does, and writing it as Go does.
 */
#ifndef FX_VALUE_JSON_H
#define FX_VALUE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_marks;

struct fx_json_part;

/* Reads one JSON text. Of duplicate keys the last one counts. Numbers: value/number.h. A
 * lone surrogate escape and malformed UTF-8 in strings become U+FFFD, as in Go; \u0000 is
 * kept. Nesting is bounded by FX_LIMIT_JSON_DEPTH, the memory of the nodes by
 * FX_LIMIT_JSON_MEMORY. White space may surround the value; anything else after it is an
 * error.
 *
 * `marks` (may be NULL) receives the position of every node except singletons; on failure
 * it does not change. Returns a new reference, or NULL with FX_ESYNTAX (message of Go's
 * encoding/json; off: the byte), FX_ELIMIT or FX_ENOMEM. */
json_t *fx_json_read(struct fx_text text, struct fx_marks *marks,
                     struct fx_err *err) FX_MUST_USE;

/* The same, but creates nodes only for this part of the value (value/json_part.h; `part`
 * is NULL for the whole value). The rest is only checked. */
json_t *fx_json_read_part(struct fx_text text, const struct fx_json_part *part,
                          struct fx_marks *marks, struct fx_err *err) FX_MUST_USE;

/* The style of the output, a sum of these flags. 0 is compact. */
enum fx_json_style {
    FX_JSON_COMPACT = 0,
    FX_JSON_INDENT =
        1, /* one line for each member, indented by four spaces, as kubectl -o json */
    FX_JSON_HTML = 2,      /* < > & U+2028 U+2029 escaped, as Go's encoding/json */
    FX_JSON_SORT_KEYS = 4, /* bytewise, as Go writes maps */
};

/* Appends the value. A failure (no memory, over the limit, or the thread's budget
 * exceeded: base/budget.h) is kept in `buf`. */
void fx_json_write(struct fx_buf *buf, const json_t *value, unsigned style);

/* Appends a JSON string. Malformed UTF-8 becomes U+FFFD. */
void fx_json_write_string(struct fx_buf *buf, struct fx_text text, unsigned style);

/* ---- value by value, without nodes for unneeded values ----------------------------- */

/* All fields are private. */
struct fx_json_reader {
    const char *start, *at, *end;
    const char *last; /* the end of the text, without trailing blanks */
    unsigned depth;
    size_t memory; /* bytes that nodes may still take */
    /* A stack of strings with escapes: a key is below the strings of its value. */
    struct fx_buf scratch;
    const struct fx_json_part
        *part;              /* the needed part of the next value; NULL for the whole */
    bool in_list;           /* the position to which the part applies */
    bool omits;             /* only check the syntax; create no nodes */
    struct fx_marks *marks; /* NULL if no marks are wanted */
    const char *counted;    /* how far `line` and `column` have been counted */
    uint32_t line, column;
    struct fx_err *err;
};

/* Begins at the start of the text. The text and `err` are borrowed. The functions below
 * fail with the errors of fx_json_read(); after a failure nothing more can be read. */
bool fx_json_reader_init(struct fx_json_reader *r, struct fx_text text,
                         struct fx_err *err) FX_MUST_USE;
void fx_json_reader_finish(struct fx_json_reader *r);

/* Returns the type of the next value, from its first character; JSON_NULL if no value
 * begins there. */
json_type fx_json_next_type(struct fx_json_reader *r);

/* Reads the next value, or this part of it (value/json_part.h; `part` is NULL for the
 * whole value). Returns a new reference, or NULL. */
json_t *fx_json_next(struct fx_json_reader *r,
                     const struct fx_json_part *part) FX_MUST_USE;

/* Checks the next value, and creates no nodes. */
bool fx_json_next_skip(struct fx_json_reader *r) FX_MUST_USE;

/* Reads the next value, which is a string: a span of the text if it has no escapes,
 * otherwise a copy in the arena. */
bool fx_json_next_text(struct fx_json_reader *r, struct fx_arena *arena,
                       struct fx_text *ret_text) FX_MUST_USE;

/* Handles one member of an object: reads the next value, with one of the functions above.
 * The key is valid until then. */
typedef bool fx_json_take_member(void *user, struct fx_json_reader *r,
                                 struct fx_text key);

/* Reads the next value, which is an object, member by member; a repeated key is passed
 * each time. */
bool fx_json_next_members(struct fx_json_reader *r, fx_json_take_member *take,
                          void *user) FX_MUST_USE;

/* Is the text at its end? */
bool fx_json_reader_end(struct fx_json_reader *r) FX_MUST_USE;

#endif
