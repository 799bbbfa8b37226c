/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_reader.h - reads a JSON text value by value, without a tree of the values
 * that are not needed. The rules for JSON are those of value/json.h.
 */
#ifndef FX_VALUE_JSON_READER_H
#define FX_VALUE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_json_part;
struct fx_marks;

/* All fields are private. */
struct fx_json_reader {
    const char *start, *at, *end;
    const char *last; /* the end, without the blanks before it */
    unsigned depth;
    size_t memory; /* that nodes may still take */
    /* Strings with escapes, a stack: a key lies below the strings of its value. */
    struct fx_buf scratch;
    const struct fx_json_part
        *part;              /* the needed part of the next value; NULL: all of it */
    bool in_list;           /* the position to which the part applies */
    bool omits;             /* only check the syntax; create no nodes */
    struct fx_marks *marks; /* or NULL */
    const char *counted;    /* how far `line` and `column` have been counted */
    uint32_t line, column;
    struct fx_err *err;
};

/* Begins at the start of the text. The text and `err` are borrowed: the functions below
 * fail with the errors of fx_json_read(), and after a failure nothing more can be
 * read. */
bool fx_json_reader_init(struct fx_json_reader *r, struct fx_text text,
                         struct fx_err *err) FX_MUST_USE;
void fx_json_reader_finish(struct fx_json_reader *r);

/* Returns the type of the next value, from its first character; JSON_NULL if no value
 * begins there. */
json_type fx_json_next_type(struct fx_json_reader *r);

/* Reads the next value, or this part of it (value/json_part.h; NULL: all). A new
 * reference, or NULL. */
json_t *fx_json_next(struct fx_json_reader *r,
                     const struct fx_json_part *part) FX_MUST_USE;

/* Checks the next value. */
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
