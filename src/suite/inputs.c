/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/inputs.c - reading what cases name. A file that is not there is a fault of the
 * suite that names it.
 */
#include "suite/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

void fx_suite_bad_file_finish(struct fx_suite_bad_file *bad) {
    free(bad->file);
    free(bad->reason);
    *bad = (struct fx_suite_bad_file){0};
}

/* Tells the fault and keeps it. */
static bool keep_fault(const struct fx_suite_host *host, const struct fx_suite_text *text,
                       struct fx_err *fault, struct fx_suite_bad_file *ret_bad,
                       struct fx_err *err) {
    struct fx_suite_bad_file bad = {.file = strdup(text->file),
                                    .reason = strdup(fault->msg)};
    if (bad.file == NULL || bad.reason == NULL ||
        !fx_suite_report(host, text, FX_SEVERITY_ERROR, fault, &bad.line)) {
        fx_suite_bad_file_finish(&bad);
        return fx_fail_nomem(err);
    }
    *ret_bad = bad;
    return true;
}

/* A fault of the path itself: reported where the suite names it. */
static bool keep_path_fault(const struct fx_suite_host *host,
                            const struct fx_suite_path *path,
                            const struct fx_suite_source *source, struct fx_err *fault,
                            struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    struct fx_suite_text text = {.file = path->path};
    if (source != NULL && path->node != NULL) {
        text = (struct fx_suite_text){.file = source->file,
                                      .text = {source->text.data, source->text.len},
                                      .marks = &source->documents.marks};
        fault->node = path->node;
        fault->len = 0;
        fault->code = FX_EINVALID;
    }
    return keep_fault(host, &text, fault, ret_bad, err);
}

/* ---- objects --------------------------------------------------------------------- */

static bool take_documents(const struct fx_documents *documents, const char *file,
                           const struct fx_suite_host *host,
                           struct fx_objects *ret_objects,
                           struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    for (size_t i = 0; i < documents->n_items; i++) {
        const char *message = fx_document_fault(&documents->items[i]);
        if (message != NULL) {
            struct fx_err fault = FX_ERR_INIT;
            (void)fx_fail(&fault, FX_EINVALID, "%s", message);
            const struct fx_suite_text text = {.file = file,
                                               .line = documents->items[i].line};
            return keep_fault(host, &text, &fault, ret_bad, err);
        }
        if (!fx_objects_add(ret_objects, documents->items[i].root)) {
            return fx_fail_nomem(err);
        }
    }
    if (documents->n_items > 0) {
        return true;
    }
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail(&fault, FX_EINVALID, "there is no object in this file");
    const struct fx_suite_text text = {.file = file};
    return keep_fault(host, &text, &fault, ret_bad, err);
}

static bool take_text(const char *file, struct fx_text bytes,
                      const struct fx_suite_host *host, struct fx_objects *ret_objects,
                      struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    struct fx_documents documents = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = fx_documents_read(bytes, &documents, &fault);
    if (ok) {
        ok = take_documents(&documents, file, host, ret_objects, ret_bad, err);
    } else if (fault.code == FX_ENOMEM) {
        ok = fx_fail_nomem(err);
    } else {
        const struct fx_suite_text text = {.file = file, .text = bytes};
        ok = keep_fault(host, &text, &fault, ret_bad, err);
    }
    fx_documents_finish(&documents);
    return ok;
}

bool fx_suite_read_objects(const struct fx_suite_path *path,
                           const struct fx_suite_source *source,
                           const struct fx_suite_host *host,
                           struct fx_objects *ret_objects,
                           struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    struct fx_buf bytes = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = true;
    if (fx_file_read(path->path, FX_LIMIT_OBJECT_FILE_BYTES, &bytes, &fault)) {
        const struct fx_text text = {bytes.data, bytes.len};
        ok = take_text(path->path, text, host, ret_objects, ret_bad, err);
    } else if (fault.code == FX_ENOMEM) {
        ok = fx_fail_nomem(err);
    } else {
        ok = keep_path_fault(host, path, source, &fault, ret_bad, err);
    }
    fx_buf_finish(&bytes);
    return ok;
}

bool fx_suite_read_all(const struct fx_suite_path *path,
                       const struct fx_suite_source *source,
                       const struct fx_suite_host *host, struct fx_objects *ret_objects,
                       struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    struct fx_file_list files = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = true;
    if (!fx_file_list_add(&files, path->path, &fault)) {
        ok = fault.code == FX_ENOMEM
                 ? fx_fail_nomem(err)
                 : keep_path_fault(host, path, source, &fault, ret_bad, err);
    }
    for (size_t i = 0; ok && ret_bad->reason == NULL && i < files.n_paths; i++) {
        const struct fx_suite_path file = {files.paths[i], path->node};
        ok = fx_suite_read_objects(&file, source, host, ret_objects, ret_bad, err);
    }
    fx_file_list_finish(&files);
    return ok;
}

/* ---- policies -------------------------------------------------------------------- */

void fx_suite_inputs_finish(struct fx_suite_inputs *inputs) {
    if (inputs == NULL) {
        return;
    }
    for (size_t i = 0; i < inputs->n_items; i++) {
        fx_policies_unref(inputs->items[i].policies);
        fx_suite_bad_file_finish(&inputs->items[i].bad);
    }
    free(inputs->items);
    *inputs = (struct fx_suite_inputs){0};
}

static bool same_paths(const struct fx_suite_paths *a, const struct fx_suite_paths *b) {
    bool same = a->n_items == b->n_items;
    for (size_t i = 0; same && i < a->n_items; i++) {
        same = strcmp(a->items[i].path, b->items[i].path) == 0;
    }
    return same;
}

/* All files that the paths name. */
static bool list_files(const struct fx_suite_test *test, const struct fx_suite_host *host,
                       struct fx_file_list *ret_files, struct fx_suite_bad_file *ret_bad,
                       struct fx_err *err) {
    for (size_t i = 0; i < test->mutators.n_items; i++) {
        const struct fx_suite_path *path = &test->mutators.items[i];
        const size_t before = ret_files->n_paths;
        struct fx_err fault = FX_ERR_INIT;
        const bool ok = fx_file_list_add(ret_files, path->path, &fault);
        if (ok && ret_files->n_paths > before) {
            continue;
        }
        if (ok) {
            (void)fx_fail(&fault, FX_EINVALID,
                          "%s: no policies in this folder; expected *.yaml, *.yml or "
                          "*.json",
                          path->path);
        }
        return fault.code == FX_ENOMEM
                   ? fx_fail_nomem(err)
                   : keep_path_fault(host, path, test->source, &fault, ret_bad, err);
    }
    return true;
}

/* Tells all findings; the first error is the fault. */
static bool take_findings(const struct fx_policies *policies,
                          const struct fx_suite_host *host,
                          struct fx_suite_bad_file *ret_bad, struct fx_err *err) {
    for (size_t i = 0; i < policies->findings.n_items; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        host->report(host->user, finding);
        if (finding->severity != FX_SEVERITY_ERROR || ret_bad->reason != NULL) {
            continue;
        }
        struct fx_buf words = {0};
        fx_buf_printf(&words, "%s%s%s", finding->id != NULL ? finding->id : "",
                      finding->id != NULL ? ": " : "", finding->text);
        ret_bad->file = strdup(finding->file);
        ret_bad->reason = fx_buf_steal(&words);
        ret_bad->line = finding->line;
        fx_buf_finish(&words);
        if (ret_bad->file == NULL || ret_bad->reason == NULL) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

static bool compile(struct fx_suite_policies *made, const struct fx_suite_test *test,
                    const struct fx_suite_host *host, struct fx_err *err) {
    struct fx_file_list files = {0};
    bool ok = list_files(test, host, &files, &made->bad, err);
    if (ok && made->bad.reason == NULL) {
        ok = host->compile(host->user, &files, &made->policies, err) &&
             take_findings(made->policies, host, &made->bad, err);
    }
    fx_file_list_finish(&files);
    return ok;
}

const struct fx_suite_policies *fx_suite_inputs_policies(struct fx_suite_inputs *inputs,
                                                         const struct fx_suite_test *test,
                                                         const struct fx_suite_host *host,
                                                         struct fx_err *err) {
    for (size_t i = inputs->n_items; i > 0; i--) {
        if (same_paths(inputs->items[i - 1].paths, &test->mutators)) {
            return &inputs->items[i - 1];
        }
    }
    if (!FX_VEC_GROW(inputs->items, inputs->n_items, inputs->cap_items)) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    struct fx_suite_policies *made = &inputs->items[inputs->n_items++];
    *made = (struct fx_suite_policies){.paths = &test->mutators};
    return compile(made, test, host, err) ? made : NULL;
}
