/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reading.h - private: reads the fields of a document, and adds
 * the faults that an API server finds in it, in its words.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_READING_H
#define FX_MUTATORS_ADMISSION_POLICY_READING_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "engine/selector.h"

struct map_match;

/* A document that is being read. All functions do nothing once memory ran out. */
struct map_reading {
    struct fx_compilation *compilation;
    struct fx_buf path; /* of the current object: "spec.matchConstraints" */
    bool failed;        /* there was no memory */
};

void fx_map_reading_init(struct map_reading *reading, struct fx_compilation *compilation,
                         const char *path);
void fx_map_reading_finish(struct map_reading *reading);

/* Records that memory ran out, unless `ok`. */
static inline void fx_map_need(struct map_reading *reading, bool ok) {
    reading->failed = reading->failed || !ok;
}

/* Goes to a member or to an element of the current object. Returns the mark with which
 * fx_map_leave() goes back. */
size_t fx_map_enter(struct map_reading *reading, const char *key);
size_t fx_map_enter_index(struct map_reading *reading, size_t index);
void fx_map_leave(struct map_reading *reading, size_t mark);

/* ---- fields: `key` is a member of the current object ------------------------------- */

/* Returns object[key], NULL if it is missing or null. A value of another type is a fault,
 * and also gives NULL. */
json_t *fx_map_read_object(struct map_reading *reading, const json_t *object,
                           const char *key);
json_t *fx_map_read_list(struct map_reading *reading, const json_t *object,
                         const char *key);
const json_t *fx_map_read_string(struct map_reading *reading, const json_t *object,
                                 const char *key);

/* The same for a list whose elements must be strings, or objects. Elements of another
 * type are faults; then the result is NULL, too. */
const json_t *fx_map_read_strings(struct map_reading *reading, const json_t *object,
                                  const char *key);
json_t *fx_map_read_objects(struct map_reading *reading, const json_t *object,
                            const char *key);

/* Reads a string that is one of `words`, which NULL ends and which are sorted. Returns
 * the index of the word; that of the end if the field is missing or not one of them. */
size_t fx_map_read_word(struct map_reading *reading, const json_t *object,
                        const char *key, const char *const *words);

/* Reads a label selector that Kubernetes accepts; NULL if the field is missing. */
struct fx_selector *fx_map_read_selector(struct map_reading *reading,
                                         const json_t *object, const char *key);

/* Reads the current object as fx_map_match_read() does (policy.h). */
void fx_map_match_read_in(struct map_reading *reading, const json_t *resources,
                          struct map_match *ret_match);

/* Adds a warning for every field that is not in the list, which NULL ends. */
void fx_map_warn_unknown(struct map_reading *reading, const json_t *object,
                         const char *const *known);

/* ---- faults: at the member `key` of the current object; NULL means itself -----------
 */

/* "Required value", and ": <detail>" unless that is NULL. */
void fx_map_require(struct map_reading *reading, const json_t *within, const char *key,
                    const char *detail);

/* "Invalid value: <value>: <detail>". */
FX_PRINTF(4, 5)
void fx_map_refuse(struct map_reading *reading, const json_t *value, const char *key,
                   const char *fmt, ...);

/* The same, for a member that goes with another patch type. */
void fx_map_refuse_member(struct map_reading *reading, const json_t *value,
                          const char *key, const char *patch_type);

/* "Unsupported value: <value>: supported values: <words>". */
void fx_map_refuse_word(struct map_reading *reading, const json_t *value, const char *key,
                        const char *const *words);

/* "Duplicate value: <value>", "Too many: …", "Forbidden: <detail>". */
void fx_map_refuse_repeat(struct map_reading *reading, const json_t *value,
                          const char *key);
void fx_map_refuse_many(struct map_reading *reading, const json_t *list, const char *key,
                        size_t most);
void fx_map_forbid(struct map_reading *reading, const json_t *value, const char *key,
                   const char *detail);

/* A fault of an expression, a string. */
struct map_expression_fault {
    const json_t *expression;
    uint32_t off, len;     /* the span in it; `len` may be 0 */
    bool is_internal;      /* "Internal error: …", not "Invalid value: …" */
    struct fx_text detail; /* what an API server says */
    struct fx_text brief;  /* the same without excerpts */
};
void fx_map_refuse_expression(struct map_reading *reading, const char *key,
                              const struct map_expression_fault *given);

/* Fails with all faults in the form of Kubernetes' status 422, or with FX_ENOMEM. True if
 * there are none. */
bool fx_map_reading_check(const struct map_reading *reading, const json_t *document,
                          struct fx_err *err) FX_MUST_USE;

#endif
