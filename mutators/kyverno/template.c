/* SPDX-License-Identifier: Apache-2.0
 *
 * template.c - compiles a tree with variables, and evaluates it.
 */
#include "template.h"

#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "template_text.h"
#include "value/tree.h"

enum template_type { TEMPLATE_CONSTANT, TEMPLATE_MAP, TEMPLATE_LIST, TEMPLATE_TEXT };

/* A member of a map, or an element of a list. */
struct template_member {
    struct fx_text name;      /* of a member whose key has no variable */
    struct kyverno_text *key; /* of a member whose key has one; else NULL */
    struct kyverno_template *value;
};

struct kyverno_template {
    enum template_type type;
    json_t *source;   /* counted: the part, whose keys and texts the template borrows */
    json_t *constant; /* the same, of TEMPLATE_CONSTANT; else NULL */
    struct kyverno_text *text;
    struct template_member *members;
    size_t n_members;
};

/* ---- paths ---------------------------------------------------------------------------
 */

void fx_kyverno_path_print(struct fx_buf *buf, const struct kyverno_path *path) {
    if (path == NULL) {
        return;
    }
    fx_kyverno_path_print(buf, path->above);
    fx_buf_char(buf, '/');
    if (path->key.data != NULL) {
        fx_buf_text(buf, path->key);
    } else {
        fx_buf_number(buf, path->index);
    }
}

const struct kyverno_path *fx_kyverno_path_keep(struct fx_arena *arena,
                                                const struct kyverno_path *path) {
    struct kyverno_path *kept = path == NULL ? NULL : fx_arena_alloc(arena, sizeof *kept);
    if (kept == NULL) {
        return NULL;
    }
    *kept = *path;
    kept->above = fx_kyverno_path_keep(arena, path->above);
    return path->above == NULL || kept->above != NULL ? kept : NULL;
}

/* ---- compiling
 * ------------------------------------------------------------------------- */

static struct kyverno_template *create(const struct kyverno_template_compile *with,
                                       enum template_type type, json_t *source) {
    struct kyverno_template *made = fx_arena_alloc(with->arena, sizeof *made);
    if (made == NULL) {
        (void)fx_fail_nomem(with->err);
        return NULL;
    }
    *made = (struct kyverno_template){.type = type, .source = json_incref(source)};
    return made;
}

static bool is_constant(const struct kyverno_template *compiled) {
    return compiled->type == TEMPLATE_CONSTANT;
}

static bool compile_key(const struct kyverno_template_compile *with, struct fx_text key,
                        const struct kyverno_path *path, struct template_member *ret) {
    ret->name = key;
    return fx_kyverno_text_compile(with, key, path, &ret->key);
}

static bool compile_members(const struct kyverno_template_compile *with, json_t *tree,
                            const struct kyverno_path *path,
                            struct kyverno_template *made) {
    for (void *iter = fx_node_first(tree); iter != NULL;
         iter = fx_node_next(tree, iter)) {
        const struct kyverno_path below = {.above = path, .key = fx_node_key(iter)};
        struct template_member *member = &made->members[made->n_members];
        member->value =
            fx_kyverno_template_compile(with, json_object_iter_value(iter), &below);
        if (member->value == NULL) {
            return false;
        }
        made->n_members++;
        if (!compile_key(with, fx_node_key(iter), &below, member)) {
            return false;
        }
    }
    for (size_t i = 0; i < json_array_size(tree); i++) {
        const struct kyverno_path below = {.above = path, .index = i};
        struct kyverno_template *value =
            fx_kyverno_template_compile(with, json_array_get(tree, i), &below);
        if (value == NULL) {
            return false;
        }
        made->members[made->n_members++] = (struct template_member){.value = value};
    }
    return true;
}

/* A tree whose members have no variables is a constant itself. */
static void fold(struct kyverno_template *made, json_t *tree) {
    for (size_t i = 0; i < made->n_members; i++) {
        const struct template_member *member = &made->members[i];
        if (member->key != NULL || !is_constant(member->value)) {
            return;
        }
        const json_t *given = json_is_array(tree) ? json_array_get(tree, i)
                                                  : fx_tree_view_text(tree, member->name);
        if (member->value->constant != given) {
            return; /* it had an escape in it */
        }
    }
    for (size_t i = 0; i < made->n_members; i++) {
        fx_kyverno_template_finish(made->members[i].value);
    }
    *made = (struct kyverno_template){
        .type = TEMPLATE_CONSTANT, .source = made->source, .constant = tree};
}

static struct kyverno_template *
compile_container(const struct kyverno_template_compile *with, json_t *tree,
                  const struct kyverno_path *path) {
    const bool is_map = json_is_object(tree);
    const size_t n = is_map ? json_object_size(tree) : json_array_size(tree);
    struct kyverno_template *made =
        create(with, is_map ? TEMPLATE_MAP : TEMPLATE_LIST, tree);
    if (made == NULL) {
        return NULL;
    }
    made->members = fx_arena_alloc(with->arena, (n + 1) * sizeof *made->members);
    if (made->members == NULL) {
        (void)fx_fail_nomem(with->err);
        fx_kyverno_template_finish(made);
        return NULL;
    }
    memset(made->members, 0, (n + 1) * sizeof *made->members);
    if (!compile_members(with, tree, path, made)) {
        fx_kyverno_template_finish(made);
        return NULL;
    }
    fold(made, tree);
    return made;
}

static struct kyverno_template *
compile_scalar(const struct kyverno_template_compile *with, json_t *scalar,
               const struct kyverno_path *path) {
    struct kyverno_template *made = create(with, TEMPLATE_CONSTANT, scalar);
    if (made == NULL) {
        return NULL;
    }
    if (json_is_string(scalar) &&
        !fx_kyverno_text_compile(with, fx_tree_text(scalar), path, &made->text)) {
        fx_kyverno_template_finish(made);
        return NULL;
    }
    if (made->text != NULL) {
        made->type = TEMPLATE_TEXT;
    } else {
        made->constant = scalar;
    }
    return made;
}

struct kyverno_template *
fx_kyverno_template_compile(const struct kyverno_template_compile *with, json_t *tree,
                            const struct kyverno_path *path) {
    if (!fx_spend(1)) {
        (void)fx_fail_exceeded(with->err);
        return NULL;
    }
    return json_is_object(tree) || json_is_array(tree)
               ? compile_container(with, tree, path)
               : compile_scalar(with, tree, path);
}

void fx_kyverno_template_finish(struct kyverno_template *compiled) {
    if (compiled == NULL) {
        return;
    }
    json_decref(compiled->source);
    fx_kyverno_text_finish(compiled->text);
    for (size_t i = 0; i < compiled->n_members; i++) {
        fx_kyverno_text_finish(compiled->members[i].key);
        fx_kyverno_template_finish(compiled->members[i].value);
    }
}

json_t *fx_kyverno_template_constant(const struct kyverno_template *compiled) {
    return compiled->constant;
}

bool fx_kyverno_template_visit(const struct kyverno_template *compiled,
                               bool (*visit)(void *context,
                                             const struct fx_jmespath *query),
                               void *context) {
    bool ok =
        compiled->text == NULL || fx_kyverno_text_visit(compiled->text, visit, context);
    for (size_t i = 0; ok && i < compiled->n_members; i++) {
        const struct template_member *member = &compiled->members[i];
        ok =
            (member->key == NULL || fx_kyverno_text_visit(member->key, visit, context)) &&
            fx_kyverno_template_visit(member->value, visit, context);
    }
    return ok;
}

/* ---- evaluating
 * ------------------------------------------------------------------------ */

/* The key of a member: its text, or what its variables give, which *ret_key counts. A key
 * that is a variable without a value stays as it is written. */
static bool eval_key(const struct template_member *member,
                     const struct kyverno_path *path,
                     const struct fx_jmespath_scope *scope, json_t **ret_key,
                     struct fx_text *ret_name, struct fx_err *err) {
    *ret_key = NULL;
    *ret_name = member->name;
    if (member->key == NULL) {
        return true;
    }
    if (!fx_kyverno_text_eval(member->key, path, scope, ret_key, err)) {
        return false;
    }
    if (json_is_string(*ret_key)) {
        *ret_name = fx_tree_text(*ret_key);
    }
    return json_is_string(*ret_key) || json_is_null(*ret_key) ||
           fx_fail(err, FX_EMUTATE, "the variable of a key must be a text: %.*s",
                   FX_TEXT_ARG(member->name));
}

static bool eval_member(const struct template_member *member,
                        const struct kyverno_path *path,
                        const struct fx_jmespath_scope *scope, json_t *map,
                        struct fx_err *err) {
    const struct kyverno_path below = {.above = path, .key = member->name};
    json_t *key;
    struct fx_text name;
    json_t *value = NULL;
    bool ok = eval_key(member, &below, scope, &key, &name, err) &&
              fx_kyverno_template_eval(member->value, &below, scope, &value, err);
    if (ok) {
        ok = fx_tree_set_take(map, name, value) || fx_fail_nomem(err);
    }
    json_decref(key);
    return ok;
}

static bool eval_element(const struct kyverno_template *compiled, size_t i,
                         const struct kyverno_path *path,
                         const struct fx_jmespath_scope *scope, json_t *list,
                         struct fx_err *err) {
    const struct kyverno_path below = {.above = path, .index = i};
    json_t *value;
    return fx_kyverno_template_eval(compiled->members[i].value, &below, scope, &value,
                                    err) &&
           (fx_tree_append_take(list, value) || fx_fail_nomem(err));
}

static bool eval_container(const struct kyverno_template *compiled,
                           const struct kyverno_path *path,
                           const struct fx_jmespath_scope *scope, json_t **ret_tree,
                           struct fx_err *err) {
    const bool is_map = compiled->type == TEMPLATE_MAP;
    json_t *tree = is_map ? json_object() : json_array();
    bool ok = tree != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < compiled->n_members; i++) {
        ok = is_map ? eval_member(&compiled->members[i], path, scope, tree, err)
                    : eval_element(compiled, i, path, scope, tree, err);
    }
    *ret_tree = fx_tree_keep_if(ok, tree);
    return ok;
}

bool fx_kyverno_template_eval(const struct kyverno_template *compiled,
                              const struct kyverno_path *path,
                              const struct fx_jmespath_scope *scope, json_t **ret_tree,
                              struct fx_err *err) {
    *ret_tree = NULL;
    if (!fx_spend(1)) {
        return fx_fail_exceeded(err);
    }
    if (compiled->type == TEMPLATE_CONSTANT) {
        *ret_tree = json_incref(compiled->constant);
        return true;
    }
    return compiled->type == TEMPLATE_TEXT
               ? fx_kyverno_text_eval(compiled->text, path, scope, ret_tree, err)
               : eval_container(compiled, path, scope, ret_tree, err);
}
