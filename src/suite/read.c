/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read.c - reads suites from documents. Tests of constraints (gator's own fields)
 * are read but skipped.
 */
#include "suite/read.h"

#include <string.h>

#include "base/limits.h"
#include "suite/rule_results.h"
#include "value/patch.h"
#include "value/tree.h"

#define SKIPPED_BY_SUITE "`skip` in the suite"
#define SKIPPED_BY_TEST  "`skip` in the test"
#define SKIPPED_BY_CASE  "`skip` in the case"

const char fx_suite_unchecked[] =
    "validation (template, constraint) is not evaluated by fixpoint";

static const char *const suite_names[] = {"apiVersion", "kind",  "metadata",
                                          "skip",       "tests", NULL};
static const char *const test_names[] = {
    "name",     "skip",       "mutators",  "namespaces", "cases",
    "template", "constraint", "expansion", "invalid",    NULL};
/* A folder's options may have the fields from OPTION_NAMES on. */
static const char *const case_names[] = {
    "name", "object", "mutated", "error",     "denied", "assertions", "skip", "operation",
    "old",  "user",   "groups",  "inventory", "patch",  "contains",   NULL,
};
#define OPTION_NAMES 6

/* ---- a case ---------------------------------------------------------------------- */

static bool is_operation(const char *word) {
    return strcmp(word, "CREATE") == 0 || strcmp(word, "UPDATE") == 0 ||
           strcmp(word, "DELETE") == 0;
}

static void read_request(const struct fx_suite_fields *fields,
                         struct fx_suite_case *ret_case) {
    ret_case->old = fx_suite_fields_path(fields, "old");
    ret_case->inventory = fx_suite_fields_paths(fields, "inventory");
    ret_case->user = fx_suite_fields_string(fields, "user");
    ret_case->groups = fx_suite_fields_strings(fields, "groups", &ret_case->n_groups);
    const char *operation = fx_suite_fields_string(fields, "operation");
    if (operation != NULL && !is_operation(operation)) {
        fx_suite_fields_fail(fields, "operation",
                             fx_suite_fields_get(fields, "operation"),
                             "must be CREATE, UPDATE or DELETE");
    } else if (operation != NULL && strcmp(operation, "CREATE") == 0 &&
               ret_case->old.path != NULL) {
        fx_suite_fields_fail(fields, "old", ret_case->old.node,
                             "a CREATE has no old object; expected `operation` to be "
                             "UPDATE or DELETE");
    }
    ret_case->operation = operation;
}

static bool holds_objects_only(const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_object(json_array_get(list, i))) {
            return false;
        }
    }
    return json_array_size(list) > 0;
}

static void read_mutated(const struct fx_suite_fields *fields,
                         struct fx_suite_case *ret_case) {
    json_t *value = fx_suite_fields_get(fields, "mutated");
    if (value == NULL) {
        return;
    }
    if (json_is_string(value)) {
        ret_case->mutated = FX_MUTATED_FILE;
        ret_case->mutated_file = fx_suite_fields_to_path(fields, "mutated", value);
    } else if (json_is_false(value)) {
        ret_case->mutated = FX_MUTATED_UNCHANGED;
    } else if (json_is_object(value) || holds_objects_only(value)) {
        ret_case->mutated = FX_MUTATED_INLINE;
        ret_case->mutated_value = value;
    } else {
        fx_suite_fields_fail(
            fields, "mutated", value,
            "must be a path, an object, a list of objects, or `false` if "
            "nothing should change; not %s",
            fx_suite_fields_type(value));
    }
}

static void read_contains(const struct fx_suite_fields *fields,
                          struct fx_suite_case *ret_case) {
    json_t *value = fx_suite_fields_get(fields, "contains");
    if (value != NULL && !json_is_object(value) && !holds_objects_only(value)) {
        fx_suite_fields_fail(fields, "contains", value,
                             "must be an object, or a list of objects; not %s",
                             fx_suite_fields_type(value));
        return;
    }
    ret_case->contains = value;
}

static void read_patch(const struct fx_suite_fields *fields,
                       struct fx_suite_case *ret_case) {
    json_t *value = fx_suite_fields_list(fields, "patch");
    if (value == NULL) {
        return;
    }
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_patch patch;
    fx_patch_init(&patch, &arena);
    struct fx_err err = FX_ERR_INIT;
    if (fx_patch_parse(&patch, value, &err)) {
        ret_case->patch = value;
    } else if (fx_err_is_ours(&err)) {
        fields->reader->nomem = true;
    } else {
        fx_suite_fields_fail(fields, "patch", value, "%s", err.msg);
    }
    fx_arena_finish(&arena);
}

static bool expects_success(const struct fx_suite_case *read) {
    return read->mutated != FX_MUTATED_UNSAID || read->patch != NULL ||
           read->contains != NULL;
}

/* Reads the fields that cases of a Suite and a folder's options share. */
static void read_case(const struct fx_suite_fields *fields,
                      struct fx_suite_case *ret_case) {
    ret_case->line = fields->line;
    ret_case->source = fields->reader->source;
    ret_case->skip = fx_suite_fields_bool(fields, "skip") ? SKIPPED_BY_CASE : NULL;
    read_request(fields, ret_case);
    read_contains(fields, ret_case);
    read_patch(fields, ret_case);
}

static bool expects_failure(const struct fx_suite_case *read) {
    return read->error != NULL || read->denied != NULL;
}

static void check_failure(const struct fx_suite_fields *fields,
                          const struct fx_suite_case *read) {
    const char *field = read->error != NULL ? "error" : "denied";
    if (read->error != NULL && read->denied != NULL) {
        fx_suite_fields_fail(
            fields, "denied", fx_suite_fields_get(fields, "denied"),
            "a mutation that fails is not denied; expected either `error` or `denied`");
    } else if (expects_failure(read) && expects_success(read)) {
        fx_suite_fields_fail(
            fields, field, fx_suite_fields_get(fields, field),
            "a mutation that fails or is denied gives no object; expected no "
            "`mutated`, `patch` or `contains` with it");
    }
}

static void read_suite_case(const struct fx_suite_fields *fields, bool validates,
                            struct fx_suite_case *ret_case) {
    fx_suite_fields_check_names(fields, case_names);
    ret_case->object = fx_suite_fields_path(fields, "object");
    read_case(fields, ret_case);
    read_mutated(fields, ret_case);
    ret_case->error = fx_suite_fields_string(fields, "error");
    ret_case->asserts = json_array_size(fx_suite_fields_list(fields, "assertions")) > 0;
    ret_case->denied = fx_suite_fields_string(fields, "denied");
    check_failure(fields, ret_case);
    const bool checked = expects_failure(ret_case) || expects_success(ret_case);
    if (ret_case->skip == NULL && !checked && (validates || ret_case->asserts)) {
        ret_case->skip = fx_suite_unchecked;
    } else if (fx_suite_fields_get(fields, "object") == NULL && ret_case->skip == NULL) {
        fx_suite_fields_fail(fields, NULL, NULL,
                             "expected `object`, the path of the object to mutate");
    }
}

/* ---- a test ---------------------------------------------------------------------- */

static const char *name_of(const struct fx_suite_fields *fields, const char *otherwise) {
    const char *name = fx_suite_fields_string(fields, "name");
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    name = fx_arena_printf(&fields->reader->suites->arena, "%s-%zu", otherwise,
                           fields->index + 1);
    fields->reader->nomem = fields->reader->nomem || name == NULL;
    return name;
}

static void read_cases(const struct fx_suite_fields *fields, bool validates,
                       const char *skip, struct fx_suite_test *test) {
    const json_t *list = fx_suite_fields_list(fields, "cases");
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(fields, "cases", list, &i, &below);) {
        struct fx_suite_case *made = fx_suite_new_case(test);
        if (made == NULL) {
            fields->reader->nomem = true;
            return;
        }
        made->name = name_of(&below, "case");
        made->skip = skip;
        read_suite_case(&below, validates, made);
        if (skip != NULL) {
            made->skip = skip;
        }
    }
}

static bool needs_mutators(const struct fx_suite_test *test) {
    for (size_t i = 0; i < test->n_cases; i++) {
        if (test->cases[i].skip == NULL) {
            return true;
        }
    }
    return false;
}

static void read_test(const struct fx_suite_fields *fields, const char *skip,
                      struct fx_suite_test *test) {
    fx_suite_fields_check_names(fields, test_names);
    test->name = name_of(fields, "test");
    const bool validates = fx_suite_fields_string(fields, "template") != NULL ||
                           fx_suite_fields_string(fields, "constraint") != NULL ||
                           fx_suite_fields_string(fields, "expansion") != NULL ||
                           fx_suite_fields_bool(fields, "invalid");
    if (fx_suite_fields_bool(fields, "skip")) {
        skip = SKIPPED_BY_TEST;
    }
    test->line = fields->line;
    test->source = fields->reader->source;
    test->mutators = fx_suite_fields_paths(fields, "mutators");
    test->namespaces = fx_suite_fields_paths(fields, "namespaces");
    read_cases(fields, validates, skip, test);
    if (test->n_cases == 0) {
        test->skip = skip != NULL ? skip
                     : validates  ? fx_suite_unchecked
                                  : "it has no cases";
    } else if (needs_mutators(test) && fx_suite_fields_get(fields, "mutators") == NULL) {
        fx_suite_fields_fail(fields, NULL, NULL,
                             "expected `mutators`, the paths of the policies to test");
    }
}

/* ---- a suite --------------------------------------------------------------------- */

static void read_tests(const struct fx_suite_fields *fields, struct fx_suite *suite) {
    const json_t *list = fx_suite_fields_list(fields, "tests");
    const char *skip = fx_suite_fields_bool(fields, "skip") ? SKIPPED_BY_SUITE : NULL;
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(fields, "tests", list, &i, &below);) {
        struct fx_suite_test *test = fx_suite_new_test(suite);
        if (test == NULL) {
            fields->reader->nomem = true;
            return;
        }
        read_test(&below, skip, test);
    }
}

/* Is the document a Suite? *ret_own: of our own group. */
static bool is_suite(const json_t *root, bool *ret_own) {
    if (!fx_text_is(fx_tree_view_string(root, "kind"), "Suite")) {
        return false;
    }
    const struct fx_text version = fx_tree_view_string(root, "apiVersion");
    *ret_own = fx_text_starts(version, FX_TEXT(FX_SUITE_OWN_GROUP "/"));
    return *ret_own || fx_text_starts(version, FX_TEXT(FX_SUITE_GATOR_GROUP "/"));
}

static bool add_suite(struct fx_suite_reader *reader, json_t *root, struct fx_err *err) {
    struct fx_suite *suite = fx_suites_new(reader->suites);
    if (suite == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_suite_fields fields = fx_suite_fields_document(reader, root);
    suite->path = reader->source->file;
    suite->name = fx_suite_fields_name(&fields);
    if (!fx_text_ends(fx_tree_view_string(root, "apiVersion"), FX_TEXT("/v1alpha1"))) {
        fx_suite_fields_fail(&fields, "apiVersion", json_object_get(root, "apiVersion"),
                             "expected " FX_SUITE_GATOR_GROUP
                             "/v1alpha1 or " FX_SUITE_OWN_GROUP "/v1alpha1");
    }
    fx_suite_fields_check_names(&fields, suite_names);
    read_tests(&fields, suite);
    fx_suite_fields_report_rest(&fields);
    suite->fault = reader->fault;
    return !reader->nomem || fx_fail_nomem(err);
}

/* Adds a document of kind Test. */
static bool add_test(struct fx_suite_reader *reader, json_t *root, struct fx_err *err) {
    struct fx_suite *suite = fx_suites_new(reader->suites);
    if (suite == NULL) {
        return fx_fail_nomem(err);
    }
    fx_rule_results_read(reader, root, suite);
    return !reader->nomem || fx_fail_nomem(err);
}

/* Adds a file that does not parse as a suite with an error. */
static bool add_fault(struct fx_suites *suites, const struct fx_suite_source *source,
                      struct fx_err *fault, struct fx_err *err) {
    const struct fx_suite_text text = {.file = source->file,
                                       .text = {source->text.data, source->text.len}};
    struct fx_suite *suite = fx_suites_new(suites);
    if (suite == NULL) {
        return fx_fail_nomem(err);
    }
    suite->path = source->file;
    suite->name = fx_arena_copy(&suites->arena, fx_suite_stem_of(source->file));
    return fx_suites_keep_fault(suites, &text, fault, &suite->fault, err) &&
           (suite->name != NULL || fx_fail_nomem(err));
}

static bool speaks_of_suites(const char *file, struct fx_text text) {
    return fx_rule_results_mentioned(file, text) ||
           fx_text_contains(text, FX_TEXT(FX_SUITE_GATOR_GROUP)) ||
           fx_text_contains(text, FX_TEXT(FX_SUITE_OWN_GROUP));
}

static bool add_suites(struct fx_suites *suites, const struct fx_suite_source *source,
                       bool *ret_found, struct fx_err *err) {
    for (size_t i = 0; i < source->documents.n_items; i++) {
        struct fx_suite_reader reader = {.suites = suites,
                                         .source = source,
                                         .folder = fx_suite_folder_of(source->file)};
        json_t *root = source->documents.items[i].root;
        const bool is_test = fx_rule_results_is_test(source->file, root);
        if (!is_test && !is_suite(root, &reader.strict)) {
            continue;
        }
        *ret_found = true;
        if (!(is_test ? add_test : add_suite)(&reader, root, err)) {
            return false;
        }
    }
    return true;
}

bool fx_suites_read(struct fx_suites *suites, const char *file, struct fx_buf *text_take,
                    bool named, bool *ret_found, struct fx_err *err) {
    *ret_found = false;
    const struct fx_text text = fx_buf_view(text_take);
    if (!named && !speaks_of_suites(file, text)) {
        fx_buf_finish(text_take);
        return true;
    }
    struct fx_err fault = FX_ERR_INIT;
    struct fx_suite_source *source =
        fx_suites_new_source(suites, file, text_take, &fault);
    if (source == NULL) {
        return fx_fail_nomem(err);
    }
    if (fault.code != FX_OK) {
        *ret_found = true;
        return add_fault(suites, source, &fault, err);
    }
    return add_suites(suites, source, ret_found, err);
}

/* ---- options.yaml ---------------------------------------------------------------- */

static bool read_options(struct fx_suite_reader *reader, struct fx_suite_case *ret_case) {
    const struct fx_documents *documents = &reader->source->documents;
    json_t *root = documents->n_items > 0 ? documents->items[0].root : NULL;
    if (root == NULL) {
        return true; /* an empty file, or only comments */
    }
    if (documents->n_items > 1 || !json_is_object(root)) {
        const struct fx_suite_fields all = {.reader = reader,
                                            .line = documents->items[0].line};
        fx_suite_fields_fail(&all, NULL, NULL,
                             "expected one object with options of the case");
        return !reader->nomem;
    }
    const struct fx_suite_fields fields = fx_suite_fields_document(reader, root);
    fx_suite_fields_check_names(&fields, case_names + OPTION_NAMES);
    read_case(&fields, ret_case);
    fx_suite_fields_report_rest(&fields);
    return !reader->nomem;
}

bool fx_suites_read_options(struct fx_suites *suites, const char *file,
                            struct fx_buf *text_take, struct fx_suite_case *ret_case,
                            struct fx_suite_fault *ret_fault, struct fx_err *err) {
    struct fx_err fault = FX_ERR_INIT;
    struct fx_suite_source *source =
        fx_suites_new_source(suites, file, text_take, &fault);
    if (source == NULL) {
        return fx_fail_nomem(err);
    }
    struct fx_suite_reader reader = {.suites = suites,
                                     .source = source,
                                     .folder = fx_suite_folder_of(source->file),
                                     .strict = true};
    if (fault.code == FX_OK) {
        const bool ok = read_options(&reader, ret_case);
        *ret_fault = reader.fault;
        return ok || fx_fail_nomem(err);
    }
    const struct fx_suite_text shown = {.file = source->file,
                                        .text = {source->text.data, source->text.len}};
    return fx_suites_keep_fault(suites, &shown, &fault, ret_fault, err);
}
