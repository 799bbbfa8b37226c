/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/document.c - one document of a file: its dialect, and its result.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/build.h"
#include "policy/check.h"
#include "value/tree.h"

/* The current document. */
struct doc {
    struct fx_build *build;
    json_t *root;
    struct fx_subject subject;
    const struct fx_dialect *dialect; /* NULL where none has the kind; then `kind` is,
                                       * too */
    const struct fx_kind *kind;
};

/* Keeps the active version of the policy, because the new one is faulty. *ret_stays is
 * true if there is one. */
static bool keep_active(struct doc *doc, bool *ret_stays) {
    const struct fx_subject *subject = &doc->subject;
    struct fx_unit *before =
        doc->kind == NULL || subject->name.len == 0
            ? NULL
            : fx_build_find_previous(doc->build, doc->kind, subject->namespace_,
                                     subject->name);
    *ret_stays = before != NULL;
    return before == NULL || fx_build_keep_unit(doc->build, before);
}

/* Reports a fault that makes the document invalid. Its active version stays. */
static bool refuse_document(struct doc *doc, const struct fx_err *fault) {
    bool stays = false;
    return keep_active(doc, &stays) &&
           fx_build_report(doc->build, FX_SEVERITY_ERROR, fault, stays);
}

/* Keeps the unit of the document, and takes over the reference. If the document has not
 * changed, keeps its previous unit instead. */
static bool keep_take(struct doc *doc, struct fx_unit *unit) {
    if (unit == NULL) {
        return false;
    }
    bool ok = fx_unit_set_origin(unit, doc->build->input->file, doc->build->line);
    if (ok) {
        const struct fx_policies *previous = doc->build->previous->policies;
        struct fx_unit *before =
            previous == NULL ? NULL : fx_units_find_same(&previous->units, unit);
        const bool is_same = before != NULL && fx_unit_equal(before, unit);
        ok = fx_build_keep_unit(doc->build, is_same ? before : unit);
    }
    fx_unit_unref(unit);
    return ok;
}

static bool keep(struct doc *doc, struct fx_compilation *made) {
    return keep_take(doc, fx_unit_create(doc->dialect, doc->kind, &doc->subject,
                                         doc->root, doc->build->input->object, made));
}

static bool warn_one(struct doc *doc, const struct fx_warning *warning) {
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail_in(&fault, warning->node, FX_EINVALID, "%s", warning->text);
    return fx_build_report(doc->build, FX_SEVERITY_WARNING, &fault, false);
}

/* Counts findings that the dialect has only counted. */
static void count_findings(struct doc *doc, enum fx_severity severity, size_t n) {
    for (size_t i = 0; i < n; i++) {
        (void)fx_tally_takes(&doc->build->tally, severity, doc->build->input->file);
    }
}

static bool warn_all(struct doc *doc, const struct fx_compilation *made) {
    for (size_t i = 0; i < made->n_warnings; i++) {
        if (!warn_one(doc, &made->warnings[i])) {
            return false;
        }
    }
    count_findings(doc, FX_SEVERITY_WARNING, made->n_more_warnings);
    return true;
}

/* Reports the faults of a dialect that reports them one by one. */
static bool refuse_all(struct doc *doc, const struct fx_compilation *made) {
    bool stays = false;
    if (!keep_active(doc, &stays)) {
        return false;
    }
    for (size_t i = 0; i < made->n_faults; i++) {
        const struct fx_fault *one = &made->faults[i];
        struct fx_err fault = FX_ERR_INIT;
        (void)fx_fail_in(&fault, one->node, FX_EINVALID, "%s",
                         one->brief != NULL ? one->brief : one->text);
        fault.off = one->off;
        fault.len = one->len;
        if (!fx_build_report(doc->build, FX_SEVERITY_ERROR, &fault,
                             stays && i + 1 == made->n_faults)) {
            return false;
        }
    }
    count_findings(doc, FX_SEVERITY_ERROR, made->n_more_faults);
    return true;
}

static bool compile(struct doc *doc) {
    struct fx_compilation made = {.settings = doc->build->settings};
    struct fx_err fault = FX_ERR_INIT;
    const bool compiled = fx_policy_compile(doc->dialect, doc->root, &made, &fault);
    bool ok = compiled                  ? keep(doc, &made)
              : fault.code == FX_ENOMEM ? false
              : made.n_faults > 0       ? refuse_all(doc, &made)
                                        : refuse_document(doc, &fault);
    ok = ok && warn_all(doc, &made); /* a warning may be about the cause of the fault */
    fx_compilation_finish(&made);
    return ok;
}

static bool refuse_version(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_policy_fail_version(doc->root, &fault);
    return refuse_document(doc, &fault);
}

static bool refuse_nameless(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    const json_t *metadata = fx_tree_view_key(doc->root, "metadata");
    const json_t *name = fx_tree_view_key(metadata, "name");
    if (name != NULL && !json_is_string(name)) {
        (void)fx_fail_in(&fault, name, FX_EINVALID, "`metadata.name` must be a string");
    } else {
        const json_t *node = name != NULL       ? name
                             : metadata != NULL ? metadata
                                                : doc->root;
        (void)fx_fail_in(&fault, node, FX_EINVALID, "%.*s has no `metadata.name`",
                         FX_TEXT_ARG(doc->subject.kind));
    }
    return refuse_document(doc, &fault);
}

static bool read_policy(struct doc *doc) {
    if (!fx_kind_has_version(doc->kind, doc->subject.version)) {
        return refuse_version(doc);
    }
    if (doc->subject.name.len == 0) {
        return refuse_nameless(doc);
    }
    return compile(doc);
}

/* Reports a policy of a system that no dialect supports. */
static bool refuse_unsupported(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    const struct fx_kind *other = fx_policy_find_kind(doc->subject.kind);
    (void)fx_fail_in(&fault, fx_tree_view_key(doc->root, "kind"), FX_EINVALID,
                     "kind %.*s of %.*s is not supported by this version%s%s%s%s%s",
                     FX_TEXT_ARG(doc->subject.kind),
                     FX_TEXT_ARG(doc->subject.api_version), other == NULL ? "" : "; ",
                     other == NULL ? "" : other->group, other == NULL ? "" : "/",
                     other == NULL ? "" : other->versions[0],
                     other == NULL ? "" : " has it");
    return refuse_document(doc, &fault);
}

/* Is it an object of a kind that a policy names? */
static bool is_parameter(const struct doc *doc) {
    const struct fx_subject *subject = &doc->subject;
    const struct fx_named_kind kind = {subject->group, subject->version, subject->kind};
    return subject->name.len > 0 && (doc->build->input->is_parameter ||
                                     fx_named_kinds_have(doc->build->named, &kind));
}

/* Returns the namespace in which kubectl would create an object whose file names none;
 * NULL if it is not from a file. */
static const char *find_file_namespace(const struct fx_policy_input *input) {
    return input->namespace_ == NULL && input->object == NULL ? "default"
                                                              : input->namespace_;
}

static bool keep_parameter(struct doc *doc) {
    const struct fx_policy_input *input = doc->build->input;
    struct fx_subject subject; /* with its namespace */
    fx_subject_read(doc->root, &subject);
    return keep_take(doc, fx_unit_create_object(&subject, find_file_namespace(input),
                                                doc->root, input->object));
}

/* Keeps an object of a file, which may be an input of a rule. */
static bool keep_input(struct doc *doc) {
    return doc->build->input->object != NULL || !fx_namespaces_can_hold(doc->root) ||
           fx_build_keep_namespace(doc->build, doc->root);
}

/* Checks a CustomResourceDefinition, which is kept as an input, too. If it cannot be
 * read, its kinds stay unknown. */
static bool read_crd(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    if (fx_schemas_check_crd(doc->root, &fault)) {
        return true;
    }
    return fault.code != FX_ENOMEM &&
           fx_build_report(doc->build, FX_SEVERITY_WARNING, &fault, false);
}

/* Ignores any other object with a warning. */
static bool ignore_object(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    const struct fx_text name = doc->subject.name;
    (void)fx_fail_in(&fault, fx_tree_view_key(doc->root, "kind"), FX_EINVALID,
                     "%.*s%s%.*s is not a policy; ignored",
                     FX_TEXT_ARG(doc->subject.kind), name.len == 0 ? "" : "/",
                     FX_TEXT_ARG(name));
    return fx_build_report(doc->build, FX_SEVERITY_WARNING, &fault, false);
}

/* Is it an object with apiVersion and kind? Otherwise it sets the fault. */
static bool check_type(const struct doc *doc, struct fx_err *fault) {
    if (!json_is_object(doc->root)) {
        return fx_fail_in(fault, doc->root, FX_EINVALID, "the document is not an object");
    }
    if (doc->subject.api_version.len == 0) {
        return fx_fail_in(fault, doc->root, FX_EINVALID,
                          "the object has no `apiVersion`");
    }
    if (doc->subject.kind.len == 0) {
        return fx_fail_in(fault, doc->root, FX_EINVALID, "the object has no `kind`");
    }
    return true;
}

/* Reads an object that is no policy. It may be the parameter of a dialect, too. */
static bool read_object(struct doc *doc) {
    doc->build->file->has_others = true;
    const bool is_namespace = fx_namespaces_is_one(doc->root);
    if (is_parameter(doc) && !keep_parameter(doc)) {
        return false;
    }
    if (is_namespace) {
        return fx_build_keep_namespace(doc->build, doc->root);
    }
    if (!keep_input(doc)) {
        return false;
    }
    if (fx_schemas_is_crd(doc->root)) {
        return read_crd(doc);
    }
    if (is_parameter(doc) || doc->dialect != NULL) {
        return true;
    }
    return fx_policy_is_any_kind(doc->subject.group, doc->subject.kind)
               ? refuse_unsupported(doc)
               : ignore_object(doc);
}

static bool read_document(struct doc *doc) {
    struct fx_err fault = FX_ERR_INIT;
    if (!check_type(doc, &fault)) {
        return refuse_document(doc, &fault);
    }
    const bool is_read = doc->dialect == NULL || read_policy(doc);
    const bool is_object = doc->dialect == NULL ||
                           (doc->kind->role == FX_ROLE_PARAMETER &&
                            doc->kind->name != NULL && doc->build->input->object == NULL);
    return is_read && (!is_object || read_object(doc));
}

/* Sets the namespace of objects that name none, as kubectl does with --namespace. */
static bool enter_namespace(struct doc *doc) {
    const char *namespace_ = doc->build->input->namespace_;
    json_t *metadata = fx_tree_view_key(doc->root, "metadata");
    if (namespace_ == NULL || !json_is_object(metadata) ||
        fx_tree_view_key(metadata, "namespace") != NULL) {
        return true;
    }
    metadata = fx_tree_own_key(doc->root, FX_TEXT("metadata"));
    if (metadata == NULL ||
        !fx_tree_set_take(metadata, FX_TEXT("namespace"), json_string(namespace_))) {
        return false;
    }
    fx_subject_read(doc->root, &doc->subject);
    return true;
}

/* Finds the kind, and sets the namespace of the policy according to the scope of the
 * kind. */
static bool identify(struct doc *doc) {
    struct fx_subject *subject = &doc->subject;
    doc->dialect =
        doc->build->input->is_parameter ? NULL : fx_policy_dialect(subject, &doc->kind);
    const enum fx_scope scope = doc->kind == NULL ? FX_SCOPE_CLUSTER : doc->kind->scope;
    if (scope == FX_SCOPE_CLUSTER || scope == FX_SCOPE_OWN) {
        subject->namespace_ = (struct fx_text){0};
    }
    if (scope != FX_SCOPE_NAMESPACE) {
        return true;
    }
    const bool ok = enter_namespace(doc);
    subject->namespace_ = fx_policy_namespace(subject);
    return ok;
}

/* Prints "Kind/name" or "Kind/namespace/name", for messages; NULL without memory. */
static char *print_id(const struct fx_subject *subject) {
    struct fx_buf id;
    fx_buf_init(&id, 0);
    fx_buf_text(&id, subject->kind);
    fx_buf_char(&id, '/');
    fx_buf_text(&id, subject->namespace_);
    fx_buf_str(&id, subject->namespace_.len > 0 ? "/" : "");
    fx_buf_text(&id, subject->name);
    char *text = fx_buf_steal(&id);
    fx_buf_finish(&id);
    return text;
}

bool fx_build_document(struct fx_build *build, const struct fx_document *document) {
    struct doc doc = {.build = build, .root = document->root};
    fx_subject_read(document->root, &doc.subject);
    build->line = document->line;
    build->id = NULL;
    bool ok = identify(&doc);
    if (ok && doc.subject.kind.len > 0 && doc.subject.name.len > 0) {
        build->id = print_id(&doc.subject);
        ok = build->id != NULL;
    }
    ok = ok && read_document(&doc);
    free(build->id);
    build->id = NULL;
    return ok;
}
