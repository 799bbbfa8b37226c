/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/context.c - reads the files of a case and the request in them.
 */
#include "suite/context.h"

#include <stdlib.h>
#include <string.h>

#include "value/tree.h"

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

/* What reading goes through; `bad` has a reason once a file is wrong. */
struct reading {
    const struct fx_suite_host *host;
    const struct fx_suite_case *case_;
    struct fx_case_context *made;
    struct fx_suite_bad_file *bad;
    struct fx_err *err;
};

static bool goes_on(const struct reading *reading) {
    return reading->bad->reason == NULL;
}

/* A fault of the objects' file as a whole. */
static bool fail_object(const struct reading *reading, const char *message) {
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail(&fault, FX_EINVALID, "%s", message);
    const struct fx_suite_text text = {.file = reading->case_->object.path};
    reading->bad->file = strdup(text.file);
    reading->bad->reason = strdup(message);
    return (reading->bad->file != NULL && reading->bad->reason != NULL &&
            fx_suite_report(reading->host, &text, FX_SEVERITY_ERROR, &fault, NULL)) ||
           fx_fail_nomem(reading->err);
}

/* ---- an AdmissionReview ---------------------------------------------------------- */

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

/* The objects become those of the request. */
static bool take_review(const struct reading *reading) {
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
    return ok || fx_fail_nomem(reading->err);
}

/* ---- files ----------------------------------------------------------------------- */

static bool read_objects(const struct reading *reading) {
    const struct fx_suite_case *case_ = reading->case_;
    struct fx_case_context *made = reading->made;
    if (!fx_suite_read_objects(&case_->object, case_->source, reading->host,
                               &made->objects, reading->bad, reading->err)) {
        return false;
    }
    return !goes_on(reading) || made->objects.n_items != 1 ||
           !is_review(made->objects.items[0]) || take_review(reading);
}

static bool read_old(const struct reading *reading) {
    const struct fx_suite_case *case_ = reading->case_;
    struct fx_case_context *made = reading->made;
    if (!goes_on(reading) || case_->old.path == NULL) {
        return true;
    }
    fx_objects_finish(&made->old);
    if (!fx_suite_read_objects(&case_->old, case_->source, reading->host, &made->old,
                               reading->bad, reading->err)) {
        return false;
    }
    return !goes_on(reading) || made->old.n_items == made->objects.n_items ||
           fail_object(reading, "there are not as many old objects as objects");
}

static bool add_namespaces(struct fx_namespaces *namespaces,
                           const struct fx_objects *objects) {
    bool ok = true;
    for (size_t i = 0; ok && i < objects->n_items; i++) {
        json_t *object = objects->items[i];
        ok = !fx_namespaces_is_one(object) || fx_namespaces_add(namespaces, object);
    }
    return ok;
}

static bool read_namespaces(const struct reading *reading,
                            const struct fx_suite_paths *paths,
                            const struct fx_suite_source *source) {
    struct fx_objects objects = {0};
    bool ok = true;
    for (size_t i = 0; ok && goes_on(reading) && i < paths->n_items; i++) {
        ok = fx_suite_read_all(&paths->items[i], source, reading->host, &objects,
                               reading->bad, reading->err);
    }
    ok = ok && (add_namespaces(&reading->made->namespaces, &objects) ||
                fx_fail_nomem(reading->err));
    fx_objects_finish(&objects);
    return ok;
}

static bool take_given(struct fx_namespaces *namespaces,
                       const struct fx_namespaces *given) {
    bool ok = true;
    for (size_t i = 0; ok && i < given->n_objects; i++) {
        ok = fx_namespaces_add(namespaces, given->objects[i]);
    }
    return ok;
}

static void take_words(struct fx_case_context *made, const struct fx_suite_case *case_) {
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
    const struct reading reading = {host, case_, ret_context, &ret_context->bad, err};
    struct fx_namespaces *namespaces = &ret_context->namespaces;
    if (!take_given(namespaces, given)) {
        return fx_fail_nomem(err);
    }
    if (!read_namespaces(&reading, &test->namespaces, test->source) ||
        !read_namespaces(&reading, &case_->inventory, case_->source)) {
        return false;
    }
    if (goes_on(&reading) && (!read_objects(&reading) || !read_old(&reading))) {
        return false;
    }
    take_words(ret_context, case_);
    return add_namespaces(namespaces, &ret_context->objects) || fx_fail_nomem(err);
}
