/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/apply_to.c - Gatekeeper's spec.applyTo: the types of objects and
 * the operations for which a mutator acts (spec sections 3.2 and 3.3).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "mutators/gatekeeper/match.h"
#include "value/tree.h"

#define SUPPORTED \
    (FX_OPERATION_BIT(FX_OPERATION_CREATE) | FX_OPERATION_BIT(FX_OPERATION_UPDATE))

struct apply_to_entry {
    struct fx_text_list groups, versions, kinds, operations;
    unsigned operation_bits;
};

struct fx_apply_to {
    struct apply_to_entry *entries;
    size_t n_entries;
    struct fx_binding *bindings;
    size_t n_bindings;
};

/* The mutator that has the applyTo, for messages. */
struct owner {
    const char *kind;
    struct fx_text name;
};

void fx_apply_to_destroy(struct fx_apply_to *apply_to) {
    if (apply_to == NULL) {
        return;
    }
    for (size_t i = 0; i < apply_to->n_entries; i++) {
        fx_text_list_finish(&apply_to->entries[i].groups);
        fx_text_list_finish(&apply_to->entries[i].versions);
        fx_text_list_finish(&apply_to->entries[i].kinds);
        fx_text_list_finish(&apply_to->entries[i].operations);
    }
    free(apply_to->entries);
    free(apply_to->bindings);
    free(apply_to);
}

static bool read_list(const json_t *entry, const char *key, const char *path,
                      struct fx_text_list *ret_list, struct fx_err *err) {
    const struct fx_go_field field = {"MutationApplyTo", path, "[]string"};
    return fx_text_list_read(fx_tree_view_key(entry, key), &field, "string", ret_list,
                             err);
}

static bool read_entry(json_t *node, struct apply_to_entry *ret, struct fx_err *err) {
    static const struct fx_go_field whole = {"MutationApplyTo", "spec.applyTo",
                                             "match.MutationApplyTo"};
    static const struct fx_go_field operations = {
        "MutationApplyTo", "spec.applyTo.operations", "[]v1.Operation"};
    json_t *entry = NULL;
    return fx_unmarshal_object(node, &whole, &entry, err) &&
           read_list(entry, "groups", "spec.applyTo.groups", &ret->groups, err) &&
           read_list(entry, "versions", "spec.applyTo.versions", &ret->versions, err) &&
           read_list(entry, "kinds", "spec.applyTo.kinds", &ret->kinds, err) &&
           fx_text_list_read(fx_tree_view_key(entry, "operations"), &operations,
                             "v1.Operation", &ret->operations, err);
}

static bool read_entries(struct fx_apply_to *apply_to, const json_t *array,
                         struct fx_err *err) {
    const size_t n = json_array_size(array);
    apply_to->entries = calloc(n == 0 ? 1 : n, sizeof *apply_to->entries);
    if (apply_to->entries == NULL) {
        return fx_fail_nomem(err);
    }
    apply_to->n_entries = n;
    for (size_t i = 0; i < n; i++) {
        if (!read_entry(json_array_get(array, i), &apply_to->entries[i], err)) {
            return false;
        }
    }
    return true;
}

static bool check_complete(const struct fx_apply_to *apply_to, const struct owner *owner,
                           struct fx_err *err) {
    for (size_t i = 0; i < apply_to->n_entries; i++) {
        const struct apply_to_entry *entry = &apply_to->entries[i];
        if (entry->groups.n_items == 0 || entry->versions.n_items == 0 ||
            entry->kinds.n_items == 0) {
            return fx_fail(
                err, FX_EINVALID,
                "invalid applyTo for %s mutator %.*s, all of group, version and "
                "kind must be specified",
                owner->kind, FX_TEXT_ARG(owner->name));
        }
    }
    return true;
}

/* Returns the bits of an operation in a policy; 0 for an invalid one. */
static unsigned operation_bits(struct fx_text text) {
    if (fx_text_is(text, "*")) {
        return SUPPORTED;
    }
    const enum fx_operation operation = fx_operation_parse(text);
    return operation == FX_OPERATION_NONE ? 0 : FX_OPERATION_BIT(operation) & SUPPORTED;
}

static bool is_repeated(const struct fx_text_list *list, size_t at) {
    const struct fx_text_list before = {.items = list->items, .n_items = at};
    return fx_text_list_has(&before, list->items[at]);
}

/* A list of operations that is being checked. */
struct examination {
    const char *path; /* "applyTo[0].operations" */
    struct fx_buf *complaints;
};

static void complain(const struct examination *of, const char *what, struct fx_text text,
                     const char *why) {
    struct fx_buf *buf = of->complaints;
    fx_buf_str(buf, buf->len > 0 ? "; " : "");
    fx_buf_str(buf, what);
    fx_text_quote_go(buf, text);
    fx_buf_printf(buf, " in %s%s", of->path, why);
}

/* Returns the bits of the operations. Appends a message for each fault. */
static unsigned read_operations(const struct fx_text_list *operations,
                                const struct examination *of) {
    const struct fx_buf *buf = of->complaints;
    unsigned bits = operations->n_items == 0 ? SUPPORTED : 0;
    /* Stops when the message is full, because is_repeated() takes time in proportion to
     * the square of the length. */
    for (size_t i = 0; i < operations->n_items && buf->len < FX_ERR_TEXT; i++) {
        const struct fx_text text = operations->items[i];
        if (is_repeated(operations, i)) {
            complain(of, "duplicate operation ", text, "");
        }
        if (operation_bits(text) == 0) {
            complain(of, "invalid operation ", text,
                     ": must be one of CREATE, UPDATE, *");
        }
        bits |= operation_bits(text);
    }
    if (operations->n_items > 1 && fx_text_list_has(operations, FX_TEXT("*"))) {
        complain(of, "wildcard ", FX_TEXT("*"),
                 " must not be combined with other operations");
    }
    return bits;
}

/* Fails if there were complaints, because then the field is invalid. */
static bool settle_complaints(struct fx_buf *complaints, const char *field,
                              const struct owner *owner, struct fx_err *err) {
    const bool ok = complaints->len == 0 && !complaints->failed;
    if (complaints->failed) {
        (void)fx_fail_nomem(err);
    } else if (!ok) {
        (void)fx_fail(err, FX_EINVALID, "invalid %s for %s mutator %.*s: %s", field,
                      owner->kind, FX_TEXT_ARG(owner->name), complaints->data);
    }
    fx_buf_finish(complaints);
    return ok;
}

static bool check_operations(struct fx_apply_to *apply_to, const struct owner *owner,
                             struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < apply_to->n_entries && buf.len < FX_ERR_TEXT; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "applyTo[%zu].operations", i);
        const struct examination of = {path, &buf};
        struct apply_to_entry *entry = &apply_to->entries[i];
        entry->operation_bits = read_operations(&entry->operations, &of);
    }
    return settle_complaints(&buf, "applyTo", owner, err);
}

bool fx_operations_compile(json_t *operations, const char *kind, struct fx_text name,
                           struct fx_binding *ret_binding, struct fx_err *err) {
    char spec[64];
    (void)snprintf(spec, sizeof spec, "%sSpec", kind);
    const struct fx_go_field field = {spec, "spec.operations", "[]v1.Operation"};
    struct fx_text_list list;
    if (!fx_text_list_read(operations, &field, "v1.Operation", &list, err)) {
        return false;
    }
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    const struct examination of = {"spec.operations", &buf};
    const unsigned bits = read_operations(&list, &of);
    fx_text_list_finish(&list);
    *ret_binding = (struct fx_binding){
        .operations = bits,
        .no_operation = bits == SUPPORTED,
        .any_group = true,
        .any_version = true,
        .any_kind = true,
    };
    const struct owner owner = {kind, name};
    return settle_complaints(&buf, "operations", &owner, err);
}

bool fx_operations_hold(const struct fx_binding *binding,
                        const struct fx_request *request) {
    return request->operation == FX_OPERATION_NONE
               ? binding->no_operation
               : (binding->operations & FX_OPERATION_BIT(request->operation)) != 0;
}

size_t fx_apply_to_count(const struct fx_text_list *groups,
                         const struct fx_text_list *versions,
                         const struct fx_text_list *kinds) {
    const size_t most = FX_LIMIT_APPLY_TO_BINDINGS;
    const size_t factors[] = {groups->n_items, versions->n_items, kinds->n_items};
    size_t product = 1;
    for (size_t i = 0; i < FX_COUNT(factors) && product <= most; i++) {
        product = factors[i] > most ? most + 1 : product * factors[i];
    }
    return product <= most ? product : most + 1;
}

static void add_bindings(struct fx_apply_to *apply_to,
                         const struct apply_to_entry *entry) {
    const size_t n_versions = entry->versions.n_items;
    const size_t n_kinds = entry->kinds.n_items;
    const size_t n = entry->groups.n_items * n_versions * n_kinds;
    for (size_t i = 0; i < n; i++) {
        apply_to->bindings[apply_to->n_bindings++] = (struct fx_binding){
            .group = entry->groups.items[i / n_kinds / n_versions],
            .version = entry->versions.items[i / n_kinds % n_versions],
            .kind = entry->kinds.items[i % n_kinds],
            .operations = entry->operation_bits,
            .no_operation = entry->operation_bits == SUPPORTED,
        };
    }
}

static bool make_bindings(struct fx_apply_to *apply_to, const struct owner *owner,
                          struct fx_err *err) {
    size_t n = 0;
    for (size_t i = 0; i < apply_to->n_entries && n <= FX_LIMIT_APPLY_TO_BINDINGS; i++) {
        const struct apply_to_entry *entry = &apply_to->entries[i];
        n += fx_apply_to_count(&entry->groups, &entry->versions, &entry->kinds);
    }
    if (n > FX_LIMIT_APPLY_TO_BINDINGS) {
        return fx_fail(err, FX_ELIMIT,
                       "applyTo of %s mutator %.*s names more than %u kinds of objects",
                       owner->kind, FX_TEXT_ARG(owner->name), FX_LIMIT_APPLY_TO_BINDINGS);
    }
    apply_to->bindings = calloc(n == 0 ? 1 : n, sizeof *apply_to->bindings);
    if (apply_to->bindings == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < apply_to->n_entries; i++) {
        add_bindings(apply_to, &apply_to->entries[i]);
    }
    return true;
}

static bool fill_apply_to(struct fx_apply_to *made, const json_t *array,
                          const struct owner *owner, struct fx_err *err) {
    if (!read_entries(made, array, err) || !check_complete(made, owner, err) ||
        !check_operations(made, owner, err)) {
        return false;
    }
    if (made->n_entries == 0) {
        return fx_fail(err, FX_EINVALID, "applyTo required for %s mutator %.*s",
                       owner->kind, FX_TEXT_ARG(owner->name));
    }
    return make_bindings(made, owner, err);
}

bool fx_apply_to_compile(const json_t *apply_to, const char *kind, struct fx_text name,
                         struct fx_apply_to **ret_apply_to, struct fx_err *err) {
    const bool is_null = apply_to == NULL || json_is_null(apply_to);
    if (!is_null && !json_is_array(apply_to)) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%sSpec", kind);
        const struct fx_go_field field = {spec, "spec.applyTo",
                                          "[]match.MutationApplyTo"};
        return fx_fail_unmarshal(apply_to, &field, err);
    }
    struct fx_apply_to *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    const struct owner owner = {kind, name};
    if (!fill_apply_to(made, is_null ? NULL : apply_to, &owner, err)) {
        fx_apply_to_destroy(made);
        return false;
    }
    *ret_apply_to = made;
    return true;
}

bool fx_apply_to_holds(const struct fx_apply_to *apply_to,
                       const struct fx_request *request,
                       const struct fx_subject *subject) {
    const unsigned wanted = request->operation == FX_OPERATION_NONE
                                ? SUPPORTED
                                : FX_OPERATION_BIT(request->operation);
    for (size_t i = 0; i < apply_to->n_entries; i++) {
        const struct apply_to_entry *entry = &apply_to->entries[i];
        if ((entry->operation_bits & wanted) == wanted &&
            fx_text_list_has(&entry->kinds, subject->kind) &&
            fx_text_list_has(&entry->groups, subject->group) &&
            fx_text_list_has(&entry->versions, subject->version)) {
            return true;
        }
    }
    return false;
}

const struct fx_binding *fx_apply_to_bindings(const struct fx_apply_to *apply_to,
                                              size_t *ret_count) {
    *ret_count = apply_to->n_bindings;
    return apply_to->bindings;
}
