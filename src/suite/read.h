/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read.h - reads suites: documents of kind Suite, their fields, and folders.
 * Private to this room.
 */
#ifndef FX_SUITE_READ_H
#define FX_SUITE_READ_H

#include "suite/suite.h"

#define FX_SUITE_GATOR_GROUP "test.gatekeeper.sh"
#define FX_SUITE_OWN_GROUP   "test.fixpoint.dev"

/* Adds every Suite of the text. Takes the text. If the text does not parse, it is
 * reported and added with its error if `named` (the file was given as a suite) or if it
 * mentions Suites, and ignored otherwise. *ret_found: a suite was added. Errors:
 * FX_ENOMEM. */
bool fx_suites_read(struct fx_suites *suites, const char *file, struct fx_buf *text_take,
                    bool named, bool *ret_found, struct fx_err *err) FX_MUST_USE;

/* Reports the error, and keeps it with a copy of its message. The file name in `text`
 * must live as long as the suites. Errors: FX_ENOMEM. */
bool fx_suites_keep_fault(struct fx_suites *suites, const struct fx_suite_text *text,
                          struct fx_err *fault, struct fx_suite_fault *ret_fault,
                          struct fx_err *err) FX_MUST_USE;

bool fx_suite_is_folder(const char *path);

/* Reads options.yaml: the fields of a case in a folder that have no file of their own. An
 * error is reported, and `ret_fault` then has a reason. Errors: FX_ENOMEM. */
bool fx_suites_read_options(struct fx_suites *suites, const char *file,
                            struct fx_buf *text_take, struct fx_suite_case *ret_case,
                            struct fx_suite_fault *ret_fault,
                            struct fx_err *err) FX_MUST_USE;

/* Suites as plain folders:
 *
 *   sidecar/policies/…             or policies.yaml; folders below have it too
 *   sidecar/injects/object.yaml    each folder with one is a case
 *   sidecar/injects/expected.yaml  the whole object; or, instead of it, an empty file
 *                                  `unchanged`, or `error.txt` or `denied.txt`, part of
 *                                  the message of the failure or denial
 *   sidecar/injects/old.yaml       as it was, for UPDATE and DELETE
 *   sidecar/injects/options.yaml   the other fields of a case of a Suite
 *
 * If the file is the object of a case, adds the case. The suite of its policies is added
 * unless it is among those from index `first` on. Errors: FX_EIO, FX_ENOMEM. */
bool fx_suites_add_folder_case(struct fx_suites *suites, const char *file, size_t first,
                               struct fx_err *err) FX_MUST_USE;

/* ---- fields ---------------------------------------------------------------------- */

/* A field of the wrong type is reported to the host, with its position and what was
 * expected:
 *
 *   suite.yaml:9:18: error: tests[0].cases[1].object: must be a path, not a list
 *
 * None of these functions fails: an invalid field counts as not given, and the reader
 * keeps the first message. */
struct fx_suite_reader {
    struct fx_suites *suites;
    const struct fx_suite_source *source;
    struct fx_text folder; /* relative paths begin here */
    bool strict;           /* an unknown field is an error, not a warning */
    struct fx_suite_fault fault;
    size_t n_reported;
    bool nomem;
};

/* An object that is being read: tests[0].cases[1]. */
struct fx_suite_fields {
    struct fx_suite_reader *reader;
    const struct fx_suite_fields *above; /* NULL: this is the document itself */
    const char *list; /* the field of `above` whose list has this item */
    size_t index;
    json_t *object;
    uint32_t line;
};

/* The document, or an item of the list in the field `list` of `above`. */
struct fx_suite_fields fx_suite_fields_document(struct fx_suite_reader *reader,
                                                json_t *object);
struct fx_suite_fields fx_suite_fields_item(const struct fx_suite_fields *above,
                                            const char *list, size_t index,
                                            json_t *object);

/* Reports an error in the field `key`, at the node. `key` NULL: in the whole object.
 * `node` NULL: at the key. */
FX_PRINTF(4, 5)
void fx_suite_fields_fail(const struct fx_suite_fields *fields, const char *key,
                          const json_t *node, const char *fmt, ...);

/* Reports a warning in the field `key`, which is given. */
void fx_suite_fields_warn(const struct fx_suite_fields *fields, const char *key,
                          const char *message);

/* Reports how many errors were not reported because there are more than
 * FX_LIMIT_FINDINGS. */
void fx_suite_fields_report_rest(const struct fx_suite_fields *fields);

/* Reports every field that is not among `names` (NULL-terminated). */
void fx_suite_fields_check_names(const struct fx_suite_fields *fields,
                                 const char *const *names);

/* The value, borrowed; NULL if the field is missing or null. */
json_t *fx_suite_fields_get(const struct fx_suite_fields *fields, const char *key);

/* Return NULL, false or empty if the field is not given. Texts have no NUL. */
const char *fx_suite_fields_string(const struct fx_suite_fields *fields, const char *key);
bool fx_suite_fields_bool(const struct fx_suite_fields *fields, const char *key);
struct fx_suite_path fx_suite_fields_path(const struct fx_suite_fields *fields,
                                          const char *key);
struct fx_suite_paths fx_suite_fields_paths(const struct fx_suite_fields *fields,
                                            const char *key);
const char **fx_suite_fields_strings(const struct fx_suite_fields *fields,
                                     const char *key, size_t *ret_count);
json_t *fx_suite_fields_list(const struct fx_suite_fields *fields, const char *key);

/* Reads the next object of the list in the field, at *at, and moves *at past it. Reports
 * items that are not objects. False at the end. */
bool fx_suite_fields_next(const struct fx_suite_fields *fields, const char *key,
                          const json_t *list, size_t *at,
                          struct fx_suite_fields *ret_item);

/* The name of the document: metadata.name, or that of its file. */
const char *fx_suite_fields_name(const struct fx_suite_fields *fields);

/* The path that the string of the field names; `value` is a string. */
struct fx_suite_path fx_suite_fields_to_path(const struct fx_suite_fields *fields,
                                             const char *key, const json_t *value);

/* The name of the value's type in messages: "a string", "a list". */
const char *fx_suite_fields_type(const json_t *value);

#endif
