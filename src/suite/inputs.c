/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/inputs.c - reads the files that cases name. A missing file is an error in the
 * suite that names it.
 */
#include "suite/check_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "suite/rule_results.h"
#include "value/tree.h"

void fx_suite_bad_file_finish(struct fx_suite_bad_file *bad) {
    free(bad->file);
    free(bad->reason);
    *bad = (struct fx_suite_bad_file){0};
}

/* Reports the error and keeps it. */
static bool keep_fault(const struct fx_suite_reading *reading,
                       const struct fx_suite_text *text, struct fx_err *fault) {
    struct fx_suite_bad_file *bad = reading->bad;
    *bad = (struct fx_suite_bad_file){strdup(text->file), strdup(fault->msg), text->line};
    return (bad->file != NULL && bad->reason != NULL &&
            fx_suite_report(reading->host, text, FX_SEVERITY_ERROR, fault, &bad->line)) ||
           fx_fail_nomem(reading->err);
}

/* The same for a message about a file. */
static bool fail_file(const struct fx_suite_reading *reading, const char *file,
                      uint32_t line, const char *message) {
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail(&fault, FX_EINVALID, "%s", message);
    const struct fx_suite_text text = {.file = file, .line = line};
    return keep_fault(reading, &text, &fault);
}

/* Keeps an error of the path itself, which is reported where the suite names the path. */
static bool keep_path_fault(const struct fx_suite_reading *reading,
                            const struct fx_suite_path *path,
                            const struct fx_suite_source *source, struct fx_err *fault) {
    if (fault->code == FX_ENOMEM) {
        return fx_fail_nomem(reading->err);
    }
    struct fx_suite_text text = {.file = path->path};
    if (source != NULL && path->node != NULL) {
        text = (struct fx_suite_text){.file = source->file,
                                      .text = {source->text.data, source->text.len},
                                      .marks = &source->documents.marks};
        fault->node = path->node;
        fault->len = 0;
        fault->code = FX_EINVALID;
    }
    return keep_fault(reading, &text, fault);
}

static bool goes_on(const struct fx_suite_reading *reading) {
    return reading->bad->reason == NULL;
}

/* ---- objects --------------------------------------------------------------------- */

static bool take_documents(const struct fx_suite_reading *reading, const char *file,
                           const struct fx_documents *documents,
                           struct fx_objects *ret_objects) {
    for (size_t i = 0; i < documents->n_items; i++) {
        const char *message = fx_document_fault(&documents->items[i]);
        if (message != NULL) {
            return fail_file(reading, file, documents->items[i].line, message);
        }
        if (!fx_objects_add(ret_objects, documents->items[i].root)) {
            return fx_fail_nomem(reading->err);
        }
    }
    return documents->n_items > 0 ||
           fail_file(reading, file, 0, "there is no object in this file");
}

bool fx_suite_read_text(const struct fx_suite_reading *reading,
                        const struct fx_suite_path *path,
                        const struct fx_suite_source *source, struct fx_buf *text) {
    struct fx_err fault = FX_ERR_INIT;
    return fx_file_read(path->path, FX_LIMIT_OBJECT_FILE_BYTES, text, &fault) ||
           keep_path_fault(reading, path, source, &fault);
}

bool fx_suite_read_objects(const struct fx_suite_reading *reading,
                           const struct fx_suite_path *path,
                           const struct fx_suite_source *source,
                           struct fx_objects *ret_objects) {
    struct fx_buf bytes = {0};
    struct fx_documents documents = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = fx_suite_read_text(reading, path, source, &bytes);
    if (!ok || !goes_on(reading)) {
        fx_buf_finish(&bytes);
        return ok;
    }
    if (fx_documents_read(fx_buf_view(&bytes), &documents, &fault)) {
        ok = take_documents(reading, path->path, &documents, ret_objects);
    } else {
        const struct fx_suite_text text = {.file = path->path,
                                           .text = {bytes.data, bytes.len}};
        ok = fault.code == FX_ENOMEM ? fx_fail_nomem(reading->err)
                                     : keep_fault(reading, &text, &fault);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return ok;
}

bool fx_suite_read_all(const struct fx_suite_reading *reading,
                       const struct fx_suite_path *path,
                       const struct fx_suite_source *source,
                       struct fx_objects *ret_objects) {
    struct fx_file_list files = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = fx_file_list_add(&files, path->path, &fault) ||
              keep_path_fault(reading, path, source, &fault);
    for (size_t i = 0; ok && goes_on(reading) && i < files.n_paths; i++) {
        const struct fx_suite_path file = {files.paths[i], path->node};
        ok = fx_suite_read_objects(reading, &file, source, ret_objects);
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
    for (size_t i = 0; i < inputs->n_sessions; i++) {
        fx_rule_session_destroy(inputs->sessions[i]);
    }
    free(inputs->sessions);
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

/* Lists all files that the paths name. */
static bool list_files(const struct fx_suite_reading *reading,
                       const struct fx_suite_test *test, struct fx_file_list *ret_files) {
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
        return keep_path_fault(reading, path, test->source, &fault);
    }
    return true;
}

/* Reports all findings, and keeps the first error. */
static bool take_findings(const struct fx_suite_reading *reading,
                          const struct fx_policies *policies) {
    struct fx_suite_bad_file *bad = reading->bad;
    for (size_t i = 0; i < policies->findings.n_items; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        reading->host->report(reading->host->user, finding);
        if (finding->severity != FX_SEVERITY_ERROR || bad->reason != NULL) {
            continue;
        }
        struct fx_buf reason = {0};
        fx_buf_printf(&reason, "%s%s%s", finding->id != NULL ? finding->id : "",
                      finding->id != NULL ? ": " : "", finding->text);
        *bad = (struct fx_suite_bad_file){strdup(finding->file), fx_buf_steal(&reason),
                                          finding->line};
        fx_buf_finish(&reason);
        if (bad->file == NULL || bad->reason == NULL) {
            return fx_fail_nomem(reading->err);
        }
    }
    return true;
}

static bool compile(struct fx_suite_policies *made, const struct fx_suite_test *test,
                    const struct fx_suite_host *host, struct fx_err *err) {
    const struct fx_suite_reading reading = {host, &made->bad, err};
    struct fx_file_list files = {0};
    bool ok = list_files(&reading, test, &files);
    if (ok && goes_on(&reading)) {
        const bool with_exceptions =
            test->rule_inputs != NULL && test->rule_inputs->has_exceptions;
        ok = host->compile(host->user, &files, with_exceptions, &made->policies, err) &&
             take_findings(&reading, made->policies);
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

/* ---- a case ---------------------------------------------------------------------- */

void fx_case_context_finish(struct fx_case_context *context) {
    if (context == NULL) {
        return;
    }
    fx_objects_finish(&context->objects);
    fx_objects_finish(&context->old);
    fx_namespaces_finish(&context->namespaces);
    json_decref(context->review);
    free(context->own_groups);
    fx_suite_bad_file_finish(&context->bad);
    *context = (struct fx_case_context){0};
}

/* The state of reading one case. */
struct case_reading {
    struct fx_suite_reading files;
    const struct fx_suite_case *case_;
    struct fx_case_context *made;
};

/* Reports an error of the whole file of objects. */
static bool fail_object(const struct case_reading *reading, const char *message) {
    return fail_file(&reading->files, reading->case_->object.path, 0, message);
}

static bool is_review(const json_t *object) {
    return fx_text_is(fx_tree_view_string(object, "kind"), "AdmissionReview") &&
           fx_text_starts(fx_tree_view_string(object, "apiVersion"),
                          FX_TEXT("admission.k8s.io/"));
}

static json_t *object_in(const json_t *request, const char *key) {
    json_t *object = fx_tree_view_key(request, key);
    return json_is_object(object) ? object : NULL;
}

static bool take_groups(struct fx_case_context *made, const json_t *user_info) {
    const json_t *groups = fx_tree_view_key(user_info, "groups");
    made->own_groups = calloc(json_array_size(groups) + 1, sizeof *made->own_groups);
    if (made->own_groups == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const struct fx_text group = fx_tree_text(json_array_get(groups, i));
        if (group.data != NULL) {
            made->own_groups[made->n_groups++] = group.data;
        }
    }
    made->groups = made->own_groups;
    return true;
}

/* Replaces the objects by those of the AdmissionReview's request. */
static bool take_review(const struct case_reading *reading) {
    struct fx_case_context *made = reading->made;
    made->review = json_incref(made->objects.items[0]);
    fx_objects_finish(&made->objects);
    const json_t *request = fx_tree_view_key(made->review, "request");
    json_t *object = object_in(request, "object");
    json_t *old = object_in(request, "oldObject");
    if (object == NULL && old == NULL) {
        return fail_object(reading, "there is no object in this AdmissionReview; "
                                    "expected `request.object`");
    }
    const json_t *user_info = fx_tree_view_key(request, "userInfo");
    made->operation = fx_tree_view_string(request, "operation").data;
    made->user = fx_tree_view_string(user_info, "username").data;
    const bool ok = fx_objects_add(&made->objects, object != NULL ? object : old) &&
                    (object == NULL || old == NULL || fx_objects_add(&made->old, old)) &&
                    take_groups(made, user_info);
    return ok || fx_fail_nomem(reading->files.err);
}

static bool read_objects(const struct case_reading *reading) {
    const struct fx_suite_case *case_ = reading->case_;
    struct fx_case_context *made = reading->made;
    if (!fx_suite_read_objects(&reading->files, &case_->object, case_->source,
                               &made->objects)) {
        return false;
    }
    return !goes_on(&reading->files) || made->objects.n_items != 1 ||
           !is_review(made->objects.items[0]) || take_review(reading);
}

static bool read_old(const struct case_reading *reading) {
    const struct fx_suite_case *case_ = reading->case_;
    struct fx_case_context *made = reading->made;
    if (!goes_on(&reading->files) || case_->old.path == NULL) {
        return true;
    }
    fx_objects_finish(&made->old);
    if (!fx_suite_read_objects(&reading->files, &case_->old, case_->source, &made->old)) {
        return false;
    }
    return !goes_on(&reading->files) || made->old.n_items == made->objects.n_items ||
           fail_object(reading, "the numbers of objects and old objects differ");
}

static bool add_namespaces(struct fx_namespaces *namespaces,
                           const struct fx_objects *objects) {
    bool ok = true;
    for (size_t i = 0; ok && i < objects->n_items; i++) {
        json_t *object = objects->items[i];
        ok = !fx_namespaces_can_hold(object) || fx_namespaces_add(namespaces, object);
    }
    return ok;
}

static bool read_namespaces(const struct case_reading *reading,
                            const struct fx_suite_paths *paths,
                            const struct fx_suite_source *source) {
    struct fx_objects objects = {0};
    bool ok = true;
    for (size_t i = 0; ok && goes_on(&reading->files) && i < paths->n_items; i++) {
        ok = fx_suite_read_all(&reading->files, &paths->items[i], source, &objects);
    }
    ok = ok && (add_namespaces(&reading->made->namespaces, &objects) ||
                fx_fail_nomem(reading->files.err));
    fx_objects_finish(&objects);
    return ok;
}

static void take_fields(struct fx_case_context *made, const struct fx_suite_case *case_) {
    if (case_->operation != NULL) {
        made->operation = case_->operation;
    } else if (made->operation == NULL) {
        made->operation = case_->old.path != NULL ? "UPDATE" : "CREATE";
    }
    if (case_->user != NULL) {
        made->user = case_->user;
    }
    if (case_->n_groups > 0) {
        made->groups = case_->groups;
        made->n_groups = case_->n_groups;
    }
}

bool fx_case_context_read(const struct fx_suite_test *test,
                          const struct fx_suite_case *case_,
                          const struct fx_namespaces *given,
                          const struct fx_suite_host *host,
                          struct fx_case_context *ret_context, struct fx_err *err) {
    const struct case_reading reading = {
        {host, &ret_context->bad, err}, case_, ret_context};
    struct fx_namespaces *namespaces = &ret_context->namespaces;
    for (size_t i = 0; i < given->n_objects; i++) {
        if (!fx_namespaces_add(namespaces, given->objects[i])) {
            return fx_fail_nomem(err);
        }
    }
    if (!read_namespaces(&reading, &test->namespaces, test->source) ||
        !read_namespaces(&reading, &case_->inventory, case_->source)) {
        return false;
    }
    if (goes_on(&reading.files) && (!read_objects(&reading) || !read_old(&reading))) {
        return false;
    }
    take_fields(ret_context, case_);
    return add_namespaces(namespaces, &ret_context->objects) || fx_fail_nomem(err);
}
