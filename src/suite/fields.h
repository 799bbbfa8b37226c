/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/fields.h - reads the fields of a Suite. A field of the wrong type is reported to
 * the host, with its position and what was expected:
 *
 *   suite.yaml:9:18: error: tests[0].cases[1].object: must be a path, not a list
 *
 * Nothing here fails: an invalid field counts as not given, and the reader keeps the
 * first message. Private to this room.
 */
#ifndef FX_SUITE_FIELDS_H
#define FX_SUITE_FIELDS_H

#include "suite/suite.h"

struct fx_suite_reader {
    struct fx_suites *suites;
    const struct fx_suite_source *source;
    struct fx_text folder; /* what paths are relative to */
    bool strict;           /* an unknown field is an error, not a warning */
    struct fx_suite_fault fault;
    size_t n_reported;
    bool nomem;
};

/* An object that is being read: tests[0].cases[1]. */
struct fx_fields {
    struct fx_suite_reader *reader;
    const struct fx_fields *above; /* NULL: the document itself */
    const char *list;              /* the field of `above` that it is an item of */
    size_t index;
    json_t *object;
    uint32_t line;
};

/* The document, or an item of the list in the field `list` of `above`. */
struct fx_fields fx_fields_document(struct fx_suite_reader *reader, json_t *object);
struct fx_fields fx_fields_item(const struct fx_fields *above, const char *list,
                                size_t index, json_t *object);

/* Reports an error in the field `key`, at `node`. key NULL: in the whole object; node
 * NULL: at the key. */
FX_PRINTF(4, 5)
void fx_fields_fail(const struct fx_fields *fields, const char *key, const json_t *node,
                    const char *fmt, ...);

/* Faults beyond FX_LIMIT_FINDINGS are only counted: reports how many, at the end. */
void fx_fields_report_rest(const struct fx_fields *fields);

/* Reports every field that is not among `names` (NULL ends). */
void fx_fields_check_names(const struct fx_fields *fields, const char *const *names);

/* The value, borrowed; NULL if the field is missing or null. */
json_t *fx_fields_get(const struct fx_fields *fields, const char *key);

/* NULL, false, empty where the field is not given. Texts have no NUL. */
const char *fx_fields_string(const struct fx_fields *fields, const char *key);
bool fx_fields_bool(const struct fx_fields *fields, const char *key);
struct fx_suite_path fx_fields_path(const struct fx_fields *fields, const char *key);
struct fx_suite_paths fx_fields_paths(const struct fx_fields *fields, const char *key);
const char **fx_fields_strings(const struct fx_fields *fields, const char *key,
                               size_t *ret_count);
json_t *fx_fields_list(const struct fx_fields *fields, const char *key);

/* The path that the string of the field names; `value` is a string. */
struct fx_suite_path fx_fields_to_path(const struct fx_fields *fields, const char *key,
                                       const json_t *value);

/* "a string", "a list": for messages. */
const char *fx_fields_type(const json_t *value);

#endif
