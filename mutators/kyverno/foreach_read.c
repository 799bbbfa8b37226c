/* SPDX-License-Identifier: Apache-2.0
 *
 * foreach_read.c - compiles a foreach.
 */
#include "base/limits.h"
#include "foreach_internal.h"
#include "value/tree.h"

/* What the entries of one foreach are compiled with. */
struct foreach_compile {
    const struct kyverno_template_compile *with;
    struct fx_text policy_namespace;
    const struct kyverno_patch_ops *ops;
    unsigned depth; /* foreaches around this one */
};

static bool compile(const struct foreach_compile *of, json_t *list,
                    const struct kyverno_path *path,
                    struct kyverno_foreach **ret_foreach);

/* ---- parts of an entry ---------------------------------------------------------------
 */

/* Compiles the query of the list. One that does not compile fails when the foreach is
 * applied. */
static bool compile_list(const struct foreach_compile *of, const json_t *node,
                         struct foreach_entry *entry) {
    const struct fx_text text = fx_tree_view_string(node, "list");
    struct fx_arena *arena = of->with->arena;
    struct fx_err fault = FX_ERR_INIT;
    if (text.len == 0) {
        return fx_fail_in(of->with->err, node, FX_EINVALID,
                          "an entry of `foreach` needs a `list`");
    }
    const char *copy = fx_arena_copy(arena, text);
    entry->list_text = (struct fx_text){copy, text.len};
    if (copy == NULL) {
        return fx_fail_nomem(of->with->err);
    }
    if (fx_jmespath_compile(text, &entry->list, &fault)) {
        return true;
    }
    if (fault.code == FX_ENOMEM || fault.code == FX_EDEADLINE) {
        *of->with->err = fault;
        return false;
    }
    entry->fault = fx_arena_copy(arena, fx_text_of(fault.msg));
    return entry->fault != NULL || fx_fail_nomem(of->with->err);
}

/* Strategic patches go from the last element to the first, because what they add comes
 * first in a list. */
static bool read_order(const struct foreach_compile *of, const json_t *node,
                       struct foreach_entry *entry) {
    const json_t *order = fx_tree_view_key(node, "order");
    const struct fx_text text = fx_tree_text(order);
    entry->is_descending = order == NULL
                               ? fx_tree_view_key(node, "patchStrategicMerge") != NULL
                               : fx_text_is(text, "Descending");
    return order == NULL || entry->is_descending || fx_text_is(text, "Ascending") ||
           fx_fail_in(of->with->err, order, FX_EINVALID,
                      "`order` must be Ascending or Descending");
}

static bool compile_nested(const struct foreach_compile *of, json_t *list,
                           const struct kyverno_path *path, struct foreach_entry *entry) {
    struct foreach_compile inner = *of;
    const struct kyverno_path below = {.above = path, .key = FX_TEXT("foreach")};
    inner.depth++;
    return inner.depth < FX_LIMIT_FOREACH_DEPTH
               ? compile(&inner, list, &below, &entry->nested)
               : fx_fail_in(of->with->err, list, FX_ELIMIT,
                            "`foreach` has more than %u levels",
                            FX_LIMIT_FOREACH_DEPTH);
}

static bool compile_parts(const struct foreach_compile *of, json_t *node,
                          const struct kyverno_path *path, struct foreach_entry *entry) {
    const struct kyverno_path context = {.above = path, .key = FX_TEXT("context")};
    const struct kyverno_path conditions = {.above = path,
                                            .key = FX_TEXT("preconditions")};
    json_t *nested = fx_tree_view_key(node, "foreach");
    return fx_kyverno_context_entries_compile(of->with, fx_tree_view_key(node, "context"),
                                              &context, of->policy_namespace,
                                              &entry->context) &&
           fx_kyverno_preconditions_compile(of->with,
                                            fx_tree_view_key(node, "preconditions"),
                                            &conditions, &entry->preconditions) &&
           (nested != NULL && !json_is_null(nested)
                ? compile_nested(of, nested, path, entry)
                : of->ops->compile(of->with, node, path, &entry->patch));
}

/* ---- entries -------------------------------------------------------------------------
 */

static bool compile_entry(const struct foreach_compile *of, json_t *node,
                          const struct kyverno_path *path, struct foreach_entry *entry) {
    if (!json_is_object(node)) {
        return fx_fail_in(of->with->err, node, FX_EINVALID,
                          "an entry of `foreach` must be an object");
    }
    return compile_list(of, node, entry) && read_order(of, node, entry) &&
           compile_parts(of, node, path, entry);
}

static struct kyverno_foreach *create_foreach(const struct foreach_compile *of,
                                              size_t n) {
    struct fx_arena *arena = of->with->arena;
    struct kyverno_foreach *made = fx_arena_alloc(arena, sizeof *made);
    struct foreach_entry *entries = fx_arena_alloc(arena, n * sizeof *entries);
    if (made == NULL || entries == NULL) {
        (void)fx_fail_nomem(of->with->err);
        return NULL;
    }
    *made = (struct kyverno_foreach){.entries = entries, .ops = of->ops};
    return made;
}

static bool compile(const struct foreach_compile *of, json_t *list,
                    const struct kyverno_path *path,
                    struct kyverno_foreach **ret_foreach) {
    const size_t n = json_array_size(list);
    *ret_foreach = NULL;
    if (!json_is_array(list)) {
        return fx_fail_in(of->with->err, list, FX_EINVALID, "`foreach` must be a list");
    }
    struct kyverno_foreach *made = create_foreach(of, n);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        const struct kyverno_path below = {.above = path, .index = i};
        made->n = i + 1;
        ok = compile_entry(of, json_array_get(list, i), &below, &made->entries[i]);
    }
    if (!ok) {
        fx_kyverno_foreach_finish(made);
        return false;
    }
    *ret_foreach = made;
    return true;
}

bool fx_kyverno_foreach_compile(const struct kyverno_template_compile *with, json_t *list,
                                const struct kyverno_path *path,
                                struct fx_text policy_namespace,
                                const struct kyverno_patch_ops *ops,
                                struct kyverno_foreach **ret_foreach) {
    const struct foreach_compile of = {
        .with = with, .policy_namespace = policy_namespace, .ops = ops};
    return compile(&of, list, path, ret_foreach);
}

void fx_kyverno_foreach_finish(struct kyverno_foreach *foreach) {
    for (size_t i = 0; foreach != NULL && i < foreach->n; i++) {
        struct foreach_entry *entry = &foreach->entries[i];
        fx_jmespath_destroy(entry->list);
        fx_kyverno_context_entries_finish(entry->context);
        fx_kyverno_preconditions_finish(entry->preconditions);
        fx_kyverno_foreach_finish(entry->nested);
        if (entry->patch != NULL) {
            foreach->ops->finish(entry->patch);
        }
    }
}

bool fx_kyverno_foreach_reads_objects(const struct kyverno_foreach *foreach) {
    for (size_t i = 0; foreach != NULL && i < foreach->n; i++) {
        const struct foreach_entry *entry = &foreach->entries[i];
        if (fx_kyverno_context_entries_read_objects(entry->context) ||
            fx_kyverno_foreach_reads_objects(entry->nested)) {
            return true;
        }
    }
    return false;
}
