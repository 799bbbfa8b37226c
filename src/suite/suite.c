/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/suite.c - the lists of suites, finding the suites of a path, and reporting
 * errors.
 */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/vec.h"
#include "policy/findings.h"
#include "suite/read.h"
#include "suite/rule_results.h"

void fx_suites_init(struct fx_suites *suites, const struct fx_suite_host *host) {
    *suites = (struct fx_suites){.host = host};
    fx_arena_init(&suites->arena, FX_LIMIT_ARENA_BYTES);
}

static void suite_finish(struct fx_suite *suite) {
    for (size_t i = 0; i < suite->n_tests; i++) {
        free(suite->tests[i].cases);
    }
    free(suite->tests);
}

void fx_suites_finish(struct fx_suites *suites) {
    if (suites == NULL) {
        return;
    }
    for (size_t i = 0; i < suites->n_items; i++) {
        suite_finish(&suites->items[i]);
    }
    for (size_t i = 0; i < suites->n_sources; i++) {
        fx_documents_finish(&suites->sources[i]->documents);
        fx_buf_finish(&suites->sources[i]->text);
        fx_marks_index_finish(&suites->sources[i]->marks);
        free(suites->sources[i]);
    }
    free(suites->items);
    free(suites->sources);
    fx_arena_finish(&suites->arena);
    *suites = (struct fx_suites){0};
}

struct fx_suite *fx_suites_new(struct fx_suites *suites) {
    if (!FX_VEC_GROW(suites->items, suites->n_items, suites->cap_items)) {
        return NULL;
    }
    struct fx_suite *suite = &suites->items[suites->n_items++];
    *suite = (struct fx_suite){0};
    return suite;
}

struct fx_suite_test *fx_suite_new_test(struct fx_suite *suite) {
    if (!FX_VEC_GROW(suite->tests, suite->n_tests, suite->cap_tests)) {
        return NULL;
    }
    struct fx_suite_test *test = &suite->tests[suite->n_tests++];
    *test = (struct fx_suite_test){0};
    return test;
}

struct fx_suite_case *fx_suite_new_case(struct fx_suite_test *test) {
    if (!FX_VEC_GROW(test->cases, test->n_cases, test->cap_cases)) {
        return NULL;
    }
    struct fx_suite_case *made = &test->cases[test->n_cases++];
    *made = (struct fx_suite_case){0};
    return made;
}

/* ---- sources --------------------------------------------------------------------- */

static bool read_source(struct fx_suite_source *source, struct fx_err *ret_fault) {
    const struct fx_text text = fx_buf_view(&source->text);
    if (!fx_documents_read(text, &source->documents, ret_fault)) {
        return ret_fault->code != FX_ENOMEM;
    }
    return fx_marks_index_make(&source->documents.marks, 0, &source->marks);
}

struct fx_suite_source *fx_suites_new_source(struct fx_suites *suites, const char *file,
                                             struct fx_buf *text_take,
                                             struct fx_err *ret_fault) {
    struct fx_suite_source *source = calloc(1, sizeof *source);
    const char *name = fx_arena_copy(&suites->arena, fx_text_of(file));
    if (source == NULL || name == NULL ||
        !FX_VEC_GROW(suites->sources, suites->n_sources, suites->cap_sources)) {
        free(source);
        fx_buf_finish(text_take);
        return NULL;
    }
    source->file = name;
    source->text = *text_take;
    fx_buf_init(text_take, 0);
    suites->sources[suites->n_sources++] = source;
    *ret_fault = FX_ERR_INIT;
    return read_source(source, ret_fault) ? source : NULL;
}

/* ---- paths ----------------------------------------------------------------------- */

const char *fx_suites_join(struct fx_suites *suites, struct fx_text folder,
                           struct fx_text name) {
    while (fx_text_starts(name, FX_TEXT("./")) && name.len > 2) {
        name = (struct fx_text){name.data + 2, name.len - 2};
    }
    if (folder.len == 0 || fx_text_is(folder, ".")) {
        return fx_arena_copy(&suites->arena, name);
    }
    const char *slash = folder.data[folder.len - 1] == '/' ? "" : "/";
    return fx_arena_printf(&suites->arena, "%.*s%s%.*s", FX_TEXT_ARG(folder), slash,
                           FX_TEXT_ARG(name));
}

struct fx_text fx_suite_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return FX_TEXT("");
    }
    return (struct fx_text){path, slash == path ? 1 : (size_t)(slash - path)};
}

struct fx_text fx_suite_stem_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return (struct fx_text){name, dot != NULL && dot != name ? (size_t)(dot - name)
                                                             : strlen(name)};
}

/* ---- faults ---------------------------------------------------------------------- */

bool fx_suite_report(const struct fx_suite_host *host, const struct fx_suite_text *text,
                     enum fx_severity severity, struct fx_err *fault,
                     uint32_t *ret_line) {
    struct fx_source_position place = {.line = text->line};
    if (fault->code == FX_ESYNTAX && fault->node == NULL && text->text.data != NULL) {
        place = fx_source_position_of_offset(text->text, fault->off, fault->len);
    } else if (text->marks != NULL) {
        place = fx_source_position_of_fault(text->text, text->marks, fault, text->line);
    }
    struct fx_findings findings = {0};
    if (!fx_findings_add(&findings, severity, text->file, NULL, &place, fault->msg)) {
        fx_findings_finish(&findings);
        return fx_fail_nomem(fault);
    }
    host->report(host->user, &findings.items[0]);
    fx_findings_finish(&findings);
    if (ret_line != NULL) {
        *ret_line = place.line;
    }
    return true;
}

bool fx_suites_keep_fault(struct fx_suites *suites, const struct fx_suite_text *text,
                          struct fx_err *fault, struct fx_suite_fault *ret_fault,
                          struct fx_err *err) {
    *ret_fault = (struct fx_suite_fault){
        .file = text->file,
        .reason = fx_arena_copy(&suites->arena, fx_text_of(fault->msg)),
    };
    return (ret_fault->reason != NULL &&
            fx_suite_report(suites->host, text, FX_SEVERITY_ERROR, fault,
                            &ret_fault->line)) ||
           fx_fail_nomem(err);
}

/* ---- from a path to suites ------------------------------------------------------- */

static bool read_suite(struct fx_suites *suites, const char *file, bool named,
                       bool *ret_found, struct fx_err *err) {
    struct fx_buf bytes = {0};
    if (!fx_file_read(file, FX_LIMIT_POLICY_FILE_BYTES, &bytes, err)) {
        fx_buf_finish(&bytes);
        /* A file above the size limit is ignored, unless it was given as a suite. */
        return !named && err->code == FX_ELIMIT;
    }
    return fx_suites_read(suites, file, &bytes, named, ret_found, err);
}

bool fx_suite_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool add_file(struct fx_suites *suites, const char *file, struct fx_err *err) {
    bool found = false;
    if (!read_suite(suites, file, true, &found, err)) {
        return false;
    }
    return found ||
           fx_fail(err, FX_EINVALID,
                   "%s: no Suite in this file; expected kind Suite of "
                   "apiVersion " FX_SUITE_GATOR_GROUP "/v1alpha1 or " FX_SUITE_OWN_GROUP
                   "/v1alpha1, or kind Test of " FX_RULE_RESULTS_GROUP "/v1alpha1",
                   file);
}

/* Adds the suites of a file that was found in a folder. */
static bool add_found_file(struct fx_suites *suites, const char *path, size_t first,
                           struct fx_err *err) {
    const char *file = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    bool found = false;
    return read_suite(suites, file, false, &found, err) &&
           (found || fx_suites_add_folder_case(suites, file, first, err));
}

/* Lists the files of the hidden folder beside the file in which a catalogue of policies
 * has their Tests, if there is one. */
static bool list_hidden(struct fx_suites *suites, const char *file,
                        struct fx_file_list *files, struct fx_err *err) {
    const char *hidden =
        fx_suites_join(suites, fx_suite_folder_of(file), FX_TEXT(FX_RULE_RESULTS_FOLDER));
    if (hidden == NULL) {
        return fx_fail_nomem(err);
    }
    return !fx_suite_is_folder(hidden) || fx_file_list_add(files, hidden, err);
}

static bool in_same_folder(const char *a, const char *b) {
    return fx_text_equal(fx_suite_folder_of(a), fx_suite_folder_of(b));
}

static bool add_folder(struct fx_suites *suites, const char *folder, struct fx_err *err) {
    struct fx_file_list files = {0};
    struct fx_file_list hidden = {0};
    const size_t first = suites->n_items;
    bool ok = fx_file_list_add(&files, folder, err);
    for (size_t i = 0; ok && i < files.n_paths; i++) {
        const bool is_first =
            i == 0 || !in_same_folder(files.paths[i - 1], files.paths[i]);
        ok = add_found_file(suites, files.paths[i], first, err) &&
             (!is_first || list_hidden(suites, files.paths[i], &hidden, err));
    }
    for (size_t i = 0; ok && i < hidden.n_paths; i++) {
        ok = add_found_file(suites, hidden.paths[i], first, err);
    }
    fx_file_list_finish(&files);
    fx_file_list_finish(&hidden);
    return ok;
}

/* The path without gator's "/..."; "." if the path is "...". NULL without memory. */
static const char *without_dots(struct fx_suites *suites, const char *path) {
    struct fx_text text = fx_text_of(path);
    if (fx_text_is(text, "...")) {
        return ".";
    }
    if (fx_text_ends(text, FX_TEXT("/..."))) {
        text.len -= text.len > 4 ? 4 : 3;
    }
    while (text.len > 1 && text.data[text.len - 1] == '/') {
        text.len--;
    }
    return fx_arena_copy(&suites->arena, text);
}

bool fx_suites_add(struct fx_suites *suites, const char *path, struct fx_err *err) {
    const char *plain = without_dots(suites, path);
    if (plain == NULL) {
        return fx_fail_nomem(err);
    }
    return fx_suite_is_folder(plain) ? add_folder(suites, plain, err)
                                     : add_file(suites, plain, err);
}
