/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patch.c - reads JSON patches of rules, and applies them.
 */
#include "json_patch.h"

#include <string.h>

#include "autogen.h"
#include "base/budget.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

#define FAILED "failed to patch resource: "

struct kyverno_json_patch {
    struct kyverno_template *source; /* gives a text, or a list of operations */
    struct fx_text below;            /* what each path begins with; or empty */
    bool is_text;
    bool is_read; /* `operations` or `fault` is the result */
    struct kyverno_operations operations;
    const char *fault;
};

/* ---- documents -----------------------------------------------------------------------
 */

static bool is_work(const struct fx_err *err) {
    return err->code == FX_ENOMEM || err->code == FX_EDEADLINE || err->code == FX_ELIMIT;
}

/* Fails because of what the policy says: `err` has the reason. */
static bool fail_decode(struct fx_err *err) {
    if (is_work(err)) {
        return false;
    }
    err->code = FX_EMUTATE;
    err->off = err->len = 0;
    return fx_err_prefix(err, FAILED "failed to decode patches: ");
}

/* Reads the first document of a YAML text; *ret_document is null if there is none. */
static bool read_yaml(struct fx_text text, json_t **ret_document, struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    *ret_document = NULL;
    if (reader == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = fx_yaml_next(reader, NULL, ret_document, err);
    fx_yaml_close(reader);
    if (ok && *ret_document == NULL) {
        *ret_document = json_null();
    }
    return ok || fail_decode(err);
}

static bool read_text(struct fx_text text, json_t **ret_document, struct fx_err *err) {
    if (fx_text_first(text) != '[') {
        return read_yaml(text, ret_document, err);
    }
    *ret_document = fx_json_read(text, NULL, err);
    return *ret_document != NULL || fail_decode(err);
}

/* ---- operations ----------------------------------------------------------------------
 */

/* The texts that need a value, a `from`, or neither. */
static const struct operation_fields {
    const char *name;
    bool value, from;
} operation_fields[] = {
    {"add", true, false},  {"replace", true, false}, {"remove", false, false},
    {"move", false, true}, {"copy", false, true},    {"test", false, false},
};

static bool refuse_operation(size_t index, const char *what, struct fx_err *err) {
    return fx_fail(err, FX_EMUTATE, FAILED "failed to decode patches: operation %zu: %s",
                   index, what);
}

static bool check_operation(const struct fx_go_operation *operation, size_t index,
                            struct fx_err *err) {
    const struct operation_fields *fields = NULL;
    for (size_t i = 0; i < FX_COUNT(operation_fields); i++) {
        if (fx_text_is(operation->op, operation_fields[i].name)) {
            fields = &operation_fields[i];
        }
    }
    if (fields == NULL) {
        return refuse_operation(
            index, "`op` must be add, replace, remove, move, copy or test", err);
    }
    if (fields->value && operation->value == NULL) {
        return refuse_operation(index, "`value` is missing", err);
    }
    if (fields->from && operation->from.data == NULL) {
        return refuse_operation(index, "`from` is missing, or not a text", err);
    }
    return operation->path.data != NULL ||
           refuse_operation(index, "`path` is missing, or not a text", err);
}

/* Puts a path below the place where the patch applies. */
static bool move_below(struct fx_text below, struct fx_arena *arena, struct fx_text *path,
                       struct fx_err *err) {
    struct fx_text rest = *path;
    const bool has_slash = path->len > 0 && memchr(path->data, '/', path->len) != NULL;
    if (below.len == 0 || path->data == NULL || (path->len > 0 && !has_slash)) {
        return true; /* a path without a slash leads nowhere */
    }
    (void)fx_text_cut(&rest, '/');
    const char *slash = path->len == 0 ? "" : "/";
    const char *moved = fx_arena_printf(arena, "%.*s%s%.*s", FX_TEXT_ARG(below), slash,
                                        FX_TEXT_ARG(rest));
    *path = fx_text_of(moved);
    return moved != NULL || fx_fail_nomem(err);
}

static bool read_operation(struct fx_text below, struct fx_arena *arena,
                           const json_t *given, size_t index, struct fx_go_operation *ret,
                           struct fx_err *err) {
    *ret = (struct fx_go_operation){
        .op = fx_tree_view_string(given, "op"),
        .path = fx_tree_view_string(given, "path"),
        .from = fx_tree_view_string(given, "from"),
        .value = fx_tree_view_key(given, "value"),
    };
    return check_operation(ret, index, err) &&
           move_below(below, arena, &ret->path, err) &&
           move_below(below, arena, &ret->from, err);
}

/* Reads the operations of the list, of which *ret takes the reference. */
static bool read_operations(struct fx_text below, json_t *list_take,
                            struct fx_arena *arena, struct kyverno_operations *ret,
                            struct fx_err *err) {
    const size_t n = json_array_size(list_take);
    struct fx_go_operation *items = fx_arena_alloc(arena, n * sizeof *items);
    *ret = (struct kyverno_operations){.n = 0};
    if (items == NULL) {
        json_decref(list_take);
        return fx_fail_nomem(err);
    }
    bool ok = json_is_array(list_take) || json_is_null(list_take) ||
              fx_fail(err, FX_EMUTATE,
                      FAILED "failed to decode patches: not a list of operations");
    for (size_t i = 0; ok && i < n; i++) {
        ok =
            (fx_spend(4) || fx_fail_exceeded(err)) &&
            read_operation(below, arena, json_array_get(list_take, i), i, &items[i], err);
    }
    *ret = (struct kyverno_operations){.items = items, .n = n};
    ret->list = fx_tree_keep_if(ok, list_take);
    return ok;
}

/* Reads what the source of the patch gives for an object. */
static bool read_source(const struct kyverno_json_patch *patch, json_t *given,
                        struct fx_arena *arena, struct kyverno_operations *ret,
                        struct fx_err *err) {
    json_t *list = NULL;
    if (!patch->is_text) {
        list = json_incref(given);
    } else if (!json_is_string(given)) {
        return fx_fail(err, FX_EMUTATE, FAILED "the patch must be a text");
    } else if (!read_text(fx_tree_text(given), &list, err)) {
        return false;
    }
    return read_operations(patch->below, list, arena, ret, err);
}

/* ---- compiling -----------------------------------------------------------------------
 */

/* Reads a patch without variables. What is wrong with it is kept. */
static bool read_constant(const struct kyverno_template_compile *with,
                          struct kyverno_json_patch *made) {
    json_t *constant = fx_kyverno_template_constant(made->source);
    if (constant == NULL) {
        return true;
    }
    made->is_read = true;
    if (read_source(made, constant, with->arena, &made->operations, with->err)) {
        return true;
    }
    if (is_work(with->err)) {
        return false;
    }
    made->fault = fx_arena_copy(with->arena, fx_text_of(with->err->msg));
    fx_err_reset(with->err);
    return made->fault != NULL || fx_fail_nomem(with->err);
}

struct kyverno_json_patch *
fx_kyverno_json_patch_compile(const struct kyverno_template_compile *with, json_t *patch,
                              const struct kyverno_path *path) {
    struct kyverno_json_patch *made = fx_arena_alloc(with->arena, sizeof *made);
    json_t *text = json_is_object(patch)
                       ? fx_tree_view_key(patch, KYVERNO_AUTOGEN_PATCH_TEXT)
                       : patch;
    if (made == NULL) {
        (void)fx_fail_nomem(with->err);
        return NULL;
    }
    *made = (struct kyverno_json_patch){
        .is_text = !json_is_array(text),
        .below = fx_tree_view_string(patch, KYVERNO_AUTOGEN_PATCH_BELOW)};
    const char *below = fx_arena_copy(with->arena, made->below);
    made->below.data = below;
    if (below == NULL) {
        (void)fx_fail_nomem(with->err);
        return NULL;
    }
    made->source =
        fx_kyverno_template_compile(with, text == NULL ? json_null() : text, path);
    if (made->source == NULL || !read_constant(with, made)) {
        fx_kyverno_json_patch_finish(made);
        return NULL;
    }
    return made;
}

void fx_kyverno_json_patch_finish(struct kyverno_json_patch *patch) {
    if (patch != NULL) {
        fx_kyverno_template_finish(patch->source);
        fx_kyverno_operations_finish(&patch->operations);
    }
}

const char *fx_kyverno_json_patch_fault(const struct kyverno_json_patch *patch) {
    return patch->fault;
}

bool fx_kyverno_json_patch_visit(const struct kyverno_json_patch *patch,
                                 bool (*visit)(void *context,
                                               const struct fx_jmespath *query),
                                 void *context) {
    return fx_kyverno_template_visit(patch->source, visit, context);
}

/* ---- applying ------------------------------------------------------------------------
 */

bool fx_kyverno_json_patch_resolve(const struct kyverno_json_patch *patch,
                                   const struct kyverno_path *path,
                                   const struct fx_jmespath_scope *scope,
                                   struct fx_arena *arena,
                                   struct kyverno_operations *ret_operations,
                                   struct fx_err *err) {
    json_t *given = NULL;
    *ret_operations = patch->operations;
    ret_operations->list = json_incref(patch->operations.list);
    if (patch->is_read) {
        return patch->fault == NULL || fx_fail(err, FX_EMUTATE, "%s", patch->fault);
    }
    if (!fx_kyverno_template_eval(patch->source, path, scope, &given, err)) {
        return false;
    }
    const bool ok = read_source(patch, given, arena, ret_operations, err);
    json_decref(given);
    return ok;
}

void fx_kyverno_operations_finish(struct kyverno_operations *operations) {
    json_decref(operations->list);
    operations->list = NULL;
}

bool fx_kyverno_operations_apply(const struct kyverno_operations *operations,
                                 json_t **root, struct fx_err *err) {
    struct fx_buf message;
    struct fx_go_patch patch = {
        .version = FX_GO_PATCH_V5, .prefix = FAILED, .message = &message};
    fx_buf_init(&message, 0);
    const bool ok =
        fx_go_patch_apply(&patch, operations->items, operations->n, root, err);
    fx_buf_finish(&message);
    return ok;
}

bool fx_kyverno_json_patch_apply(const struct kyverno_json_patch *patch,
                                 const struct kyverno_path *path,
                                 const struct fx_jmespath_scope *scope,
                                 struct fx_arena *arena, json_t **root,
                                 struct fx_err *err) {
    struct kyverno_operations operations;
    if (!fx_kyverno_json_patch_resolve(patch, path, scope, arena, &operations, err)) {
        return false;
    }
    const bool ok = fx_kyverno_operations_apply(&operations, root, err);
    fx_kyverno_operations_finish(&operations);
    return ok;
}
