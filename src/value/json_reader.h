/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_reader.h - a JSON text read value by value, for those who know what they are
 * looking for and want no tree of the rest. What value/json.h says of JSON holds here: it
 * is read by the same functions.
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

/* All of it is the reader's own. */
struct fx_json_reader {
    const char *start, *at, *end;
    const char *last; /* the end, less the blanks before it */
    unsigned depth;
    size_t memory; /* that nodes may still take */
    /* Strings with escapes, a stack: a key lies below the strings of its value. */
    struct fx_buf scratch;
    const struct fx_json_part *part; /* wanted of what is read next; NULL: all of it */
    bool in_list;                    /* which stands where the part is wanted of */
    bool omits;                      /* what is read is checked, and no nodes are made */
    struct fx_marks *marks;          /* or NULL */
    const char *counted;             /* how far `line` and `column` have been counted */
    uint32_t line, column;
    struct fx_err *err;
};

/* Begins at the start of the text, which is borrowed, as `err` is: whatever fails below
 * fails with the errors of fx_json_read(), and nothing more can be read then. */
bool fx_json_reader_init(struct fx_json_reader *r, struct fx_text text,
                         struct fx_err *err) FX_MUST_USE;
void fx_json_reader_finish(struct fx_json_reader *r);

/* What the next value is, as its first character tells; JSON_NULL where none begins
 * there. */
json_type fx_json_next_type(struct fx_json_reader *r);

/* Reads the next value, or this part of it (value/json_part.h; NULL: all). A new
 * reference, or NULL. */
json_t *fx_json_next(struct fx_json_reader *r,
                     const struct fx_json_part *part) FX_MUST_USE;

/* Checks the next value. */
bool fx_json_next_skip(struct fx_json_reader *r) FX_MUST_USE;

/* Reads the next value, which is a string: a span of the text where it stands there as it
 * is, else a copy in the arena. */
bool fx_json_next_text(struct fx_json_reader *r, struct fx_arena *arena,
                       struct fx_text *ret_text) FX_MUST_USE;

/* Takes one member of an object: with one of the functions above the value that comes
 * next. The key is valid until then. */
typedef bool fx_json_take_member(void *user, struct fx_json_reader *r,
                                 struct fx_text key);

/* Reads the next value, which is an object, member by member, a repeated key as often as
 * it stands there. */
bool fx_json_next_members(struct fx_json_reader *r, fx_json_take_member *take,
                          void *user) FX_MUST_USE;

/* Is there nothing more? */
bool fx_json_reader_end(struct fx_json_reader *r) FX_MUST_USE;

#endif
