/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reads_chain.c - the path and the value of a chain of fields,
 * and the values of nodes.
 */
#include "mutators/admission_policy/reads_chain.h"

#include "base/budget.h"
#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/convert.h"
#include "value/tree.h"

#define MOST_BOUND 16u /* names of loops that one node may read */

/* ---- values of nodes --------------------------------------------------------------- */

const json_t *fx_map_reads_keep(struct map_reads *reads, json_t *value_take) {
    if (value_take == NULL ||
        !FX_ARENA_GROW(reads->arena, reads->kept, reads->n_kept, reads->cap_kept)) {
        reads->failed = true;
        json_decref(value_take);
        return NULL;
    }
    reads->kept[reads->n_kept++] = value_take;
    return value_take;
}

void fx_map_reads_finish(struct map_reads *reads) {
    for (size_t i = 0; i < reads->n_kept; i++) {
        json_decref(reads->kept[i]);
    }
    reads->n_kept = 0;
}

/* Names of outer loops beyond MOST_BOUND are not known. */
static const struct map_read_local *find_local(const struct map_reads *reads,
                                               const struct fx_cel_local *local) {
    const struct map_read_local *found = reads->locals;
    for (size_t i = 0; i < MOST_BOUND && found != NULL; i++, found = found->outer) {
        if (found->local == local) {
            return found;
        }
    }
    return NULL;
}

/* The loops within the node that is to be evaluated. */
struct inner_fold {
    const struct fx_cel_node *fold;
    const struct inner_fold *outer;
};

static bool declares(const struct inner_fold *folds, const struct fx_cel_local *local) {
    for (; folds != NULL; folds = folds->outer) {
        if (folds->fold->fold.item == local || folds->fold->fold.item2 == local ||
            folds->fold->fold.result_so_far == local) {
            return true;
        }
    }
    return false;
}

static bool is_known(const struct map_reads *reads, const struct fx_cel_node *node,
                     const struct inner_fold *folds);

static bool are_known(const struct map_reads *reads, struct fx_cel_node *const *nodes,
                      size_t n, const struct inner_fold *folds) {
    for (size_t i = 0; i < n; i++) {
        if (!is_known(reads, nodes[i], folds)) {
            return false;
        }
    }
    return true;
}

static bool is_known_map(const struct map_reads *reads, const struct fx_cel_node *node,
                         const struct inner_fold *folds) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (!is_known(reads, node->map.entries[i].key, folds) ||
            !is_known(reads, node->map.entries[i].value, folds)) {
            return false;
        }
    }
    return true;
}

/* Can the node be evaluated: are all names of loops around it known? Its depth is limited
 * (FX_LIMIT_CEL_DEPTH). */
static bool is_known(const struct map_reads *reads, const struct fx_cel_node *node,
                     const struct inner_fold *folds) {
    if (node == NULL) {
        return true;
    }
    if (!fx_spend(1)) {
        return false;
    }
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: return true;
    case FX_CEL_NODE_NAME: {
        const struct fx_cel_local *local = node->name.local;
        const struct map_read_local *bound =
            local == NULL ? NULL : find_local(reads, local);
        return local == NULL || (bound != NULL && bound->item != NULL) ||
               declares(folds, local);
    }
    case FX_CEL_NODE_SELECT: return is_known(reads, node->select.operand, folds);
    case FX_CEL_NODE_CALL:
        return is_known(reads, node->call.target, folds) &&
               are_known(reads, node->call.args, node->call.n_args, folds);
    case FX_CEL_NODE_LIST: return are_known(reads, node->list.items, node->list.n, folds);
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: return is_known_map(reads, node, folds);
    case FX_CEL_NODE_FOLD: break;
    }
    const struct inner_fold inner = {node, folds};
    return is_known(reads, node->fold.range, folds) &&
           is_known(reads, node->fold.start, folds) &&
           is_known(reads, node->fold.condition, &inner) &&
           is_known(reads, node->fold.step, &inner) &&
           is_known(reads, node->fold.result, &inner);
}

static struct fx_cel_value evaluate(struct map_reads *reads,
                                    const struct fx_cel_node *node) {
    struct fx_cel_bound bound[MOST_BOUND];
    const struct map_read_local *local = reads->locals;
    struct fx_err err = FX_ERR_INIT;
    size_t n = 0;
    for (size_t i = 0; i < MOST_BOUND && local != NULL; i++, local = local->outer) {
        if (local->item != NULL) {
            bound[n++] =
                (struct fx_cel_bound){local->local, fx_cel_make_node(local->item)};
        }
    }
    const struct fx_cel_value value =
        fx_map_evaluate_part(reads->activation, reads->expression, node, bound, n, &err);
    reads->failed = reads->failed || err.code == FX_ENOMEM;
    return value;
}

/* The value as a tree; NULL if JSON does not have it. */
static const json_t *convert(struct map_reads *reads, struct fx_cel_value value) {
    struct fx_map_refusal refusal = {.code = 0};
    struct fx_err err = FX_ERR_INIT;
    if (value.kind == FX_CEL_OPTIONAL && value.inner == NULL) {
        return NULL;
    }
    fx_buf_init(&refusal.message, 0);
    json_t *node = fx_map_convert_value(value, &refusal, &err);
    fx_buf_finish(&refusal.message);
    reads->failed = reads->failed || err.code == FX_ENOMEM;
    return node == NULL ? NULL : fx_map_reads_keep(reads, node);
}

const json_t *fx_map_reads_value(struct map_reads *reads,
                                 const struct fx_cel_node *node) {
    if (!is_known(reads, node, NULL)) {
        return NULL;
    }
    const struct fx_cel_value value = evaluate(reads, node);
    return fx_cel_is_error(value) ? NULL : convert(reads, value);
}

/* ---- Secrets ----------------------------------------------------------------------- */

bool fx_map_reads_hides(const struct map_reads *reads) {
    struct fx_subject subject;
    fx_subject_read(reads->activation->object, &subject);
    return subject.group.len == 0 && fx_text_is(subject.kind, "Secret");
}

/* Annotations may have a copy of the whole object. */
static bool is_public(const struct map_chain *chain) {
    static const char *const keys[] = {"apiVersion", "kind", "type", "immutable"};
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if (fx_text_is(chain->keys[0], keys[i])) {
            return true;
        }
    }
    return fx_text_is(chain->keys[0], "metadata") && chain->n_steps > 1 &&
           !fx_text_is(chain->keys[1], "annotations");
}

/* ---- the beginning of a chain ------------------------------------------------------ */

static bool begin_local(struct map_reads *reads, const struct fx_cel_node *name,
                        struct map_chain *chain) {
    const struct map_read_local *local = find_local(reads, name->name.local);
    if (local == NULL) {
        return false;
    }
    chain->slot = MAP_SLOTS;
    chain->value = local->item;
    chain->is_unknown = local->item == NULL || local->is_counter;
    chain->is_secret = local->is_secret;
    chain->variable = local->variable;
    fx_buf_text(&chain->path, local->path);
    return true;
}

static bool begin(struct map_reads *reads, const struct fx_cel_node *name,
                  struct map_chain *chain) {
    if (name->name.type != NULL) {
        return false;
    }
    if (name->name.local != NULL) {
        return begin_local(reads, name, chain);
    }
    chain->slot = name->name.variable;
    fx_buf_text(&chain->path, name->name.name);
    switch (name->name.variable) {
    case MAP_SLOT_OBJECT:
    case MAP_SLOT_OLD_OBJECT:
    case MAP_SLOT_REQUEST:
    case MAP_SLOT_NAMESPACE_OBJECT:
    case MAP_SLOT_PARAMS: chain->value = fx_map_reads_value(reads, name); return true;
    case MAP_SLOT_VARIABLES: return true;
    default: return false;
    }
}

/* ---- its steps --------------------------------------------------------------------- */

static bool is_plain(struct fx_text key) {
    bool plain = key.len > 0 && !fx_is_digit(key.data[0]);
    for (size_t i = 0; i < key.len; i++) {
        plain = plain && (fx_is_letter(key.data[i]) || fx_is_digit(key.data[i]) ||
                          key.data[i] == '_');
    }
    return plain;
}

static void note_step(struct map_chain *chain, struct fx_text key) {
    if (chain->n_steps < FX_COUNT(chain->keys)) {
        chain->keys[chain->n_steps] = key;
    }
    chain->n_steps++;
}

static void step_key(struct map_chain *chain, struct fx_text key) {
    note_step(chain, key);
    chain->value = fx_tree_view_text(chain->value, key);
    fx_buf_printf(&chain->path, is_plain(key) ? ".%.*s" : "[\"%.*s\"]", FX_TEXT_ARG(key));
}

static void step_index(struct map_chain *chain, json_int_t index) {
    note_step(chain, (struct fx_text){0});
    chain->value = index < 0 ? NULL : json_array_get(chain->value, (size_t)index);
    fx_buf_printf(&chain->path, "[%" JSON_INTEGER_FORMAT "]", index);
}

/* Adds a step whose key is computed. False if it cannot be. */
static bool step_computed(struct map_reads *reads, const struct fx_cel_node *key,
                          struct map_chain *chain) {
    const json_t *value = fx_map_reads_value(reads, key);
    if (json_is_string(value)) {
        step_key(chain, fx_tree_text(value));
    } else if (json_is_integer(value)) {
        step_index(chain, json_integer_value(value));
    } else {
        return false;
    }
    if (key->type != FX_CEL_NODE_LITERAL) {
        fx_map_reads_collect(reads, key);
    }
    return true;
}

static const struct map_variable *find_variable(const struct map_policy *policy,
                                                struct fx_text name) {
    for (size_t i = 0; i < policy->n_variables && fx_spend(1); i++) {
        if (fx_text_is(name, policy->variables[i].name)) {
            return &policy->variables[i];
        }
    }
    return NULL;
}

/* The value of `variables.x`. */
static bool step_variable(struct map_reads *reads, const struct fx_cel_node *select,
                          struct map_chain *chain) {
    step_key(chain, select->select.field);
    chain->variable = find_variable(reads->activation->policy, select->select.field);
    if (chain->variable == NULL || !is_known(reads, select, NULL)) {
        return false;
    }
    const struct fx_cel_value value = evaluate(reads, select);
    if (fx_cel_is_error(value)) {
        const char *fault = fx_map_reads_hides(reads) ? NULL : value.error;
        chain->fault = fx_text_of(fault == NULL ? "(it fails)" : fault);
    } else {
        chain->value = convert(reads, value);
        chain->fault = chain->value == NULL && value.kind != FX_CEL_OPTIONAL
                           ? fx_text_of(fx_cel_type_name(value))
                           : chain->fault;
    }
    return true;
}

static bool read(struct map_reads *reads, const struct fx_cel_node *node,
                 struct map_chain *chain);

/* An index, and an optional step, are calls of two arguments. */
static bool read_index(struct map_reads *reads, const struct fx_cel_node *node,
                       struct map_chain *chain) {
    return (fx_map_is_global_call(node, "_[_]", 2) ||
            fx_map_is_global_call(node, "_[?_]", 2) ||
            fx_map_is_global_call(node, "_?._", 2)) &&
           read(reads, node->call.args[0], chain) &&
           (chain->slot != MAP_SLOT_VARIABLES || chain->n_steps > 0) &&
           step_computed(reads, node->call.args[1], chain);
}

static bool read_select(struct map_reads *reads, const struct fx_cel_node *node,
                        struct map_chain *chain) {
    if (!read(reads, node->select.operand, chain)) {
        return false;
    }
    if (chain->slot == MAP_SLOT_VARIABLES && chain->n_steps == 0) {
        return step_variable(reads, node, chain);
    }
    step_key(chain, node->select.field);
    return true;
}

static bool read(struct map_reads *reads, const struct fx_cel_node *node,
                 struct map_chain *chain) {
    if (!fx_spend(1)) {
        return false;
    }
    return node->type == FX_CEL_NODE_NAME     ? begin(reads, node, chain)
           : node->type == FX_CEL_NODE_SELECT ? read_select(reads, node, chain)
           : node->type == FX_CEL_NODE_CALL   ? read_index(reads, node, chain)
                                              : false;
}

bool fx_map_chain_read(struct map_reads *reads, const struct fx_cel_node *node,
                       struct map_chain *ret_chain) {
    struct map_chain *chain = ret_chain;
    *chain = (struct map_chain){.slot = MAP_SLOTS};
    fx_buf_init(&chain->path, 0);
    if (!read(reads, node, chain)) {
        return false;
    }
    if ((chain->slot == MAP_SLOT_OBJECT || chain->slot == MAP_SLOT_OLD_OBJECT) &&
        fx_map_reads_hides(reads)) {
        chain->is_secret = !is_public(chain);
    }
    return chain->slot != MAP_SLOT_VARIABLES || chain->n_steps > 0;
}

void fx_map_chain_finish(struct map_chain *chain) {
    fx_buf_finish(&chain->path);
}
