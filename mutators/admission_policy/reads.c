/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reads.c - walks an expression, and lists the chains of fields
 * that it reads.
 */
#include "mutators/admission_policy/reads.h"

#include "base/budget.h"
#include "mutators/admission_policy/access.h"
#include "mutators/admission_policy/reads_chain.h"
#include "value/json.h"
#include "value/tree.h"

#define MOST_READS  8u   /* of one list */
#define MOST_TOTAL  40u  /* of all lists */
#define MOST_LEVELS 8u   /* of variables in variables */
#define MOST_BYTES  120u /* of a value; a longer one is cut */

/* ---- the list ---------------------------------------------------------------------- */

static bool has_name(const struct map_read_list *list, struct fx_text name) {
    for (const struct fx_trace_read *read = list->first; read != NULL;
         read = read->next) {
        if (fx_text_equal(read->name, name)) {
            return true;
        }
    }
    return false;
}

static struct fx_text copy(struct map_reads *reads, struct fx_text text) {
    const char *data = fx_arena_copy(reads->arena, text);
    reads->failed = reads->failed || data == NULL;
    return (struct fx_text){data, data == NULL ? 0 : text.len};
}

struct fx_trace_read *fx_map_reads_add(struct map_reads *reads, struct fx_text name,
                                       struct fx_text value) {
    struct map_read_list *list = reads->list;
    if (has_name(list, name)) {
        return NULL;
    }
    if (list->n == MOST_READS || reads->n_total == MOST_TOTAL) {
        list->is_cut = true;
        return NULL;
    }
    struct fx_trace_read *read = fx_arena_alloc(reads->arena, sizeof *read);
    if (read == NULL) {
        reads->failed = true;
        return NULL;
    }
    read->name = copy(reads, name);
    read->value = copy(reads, value);
    if (list->last == NULL) {
        list->first = read;
    } else {
        list->last->next = read;
    }
    list->last = read;
    list->n++;
    reads->n_total++;
    return read;
}

void fx_map_print_value(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "absent");
        return;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    const struct fx_text whole = fx_buf_view(&text);
    const bool is_cut = whole.len > MOST_BYTES;
    const size_t kept = is_cut ? fx_text_rune_floor(whole.data, MOST_BYTES) : whole.len;
    fx_buf_text(buf, (struct fx_text){whole.data, kept});
    fx_buf_str(buf, is_cut ? "…" : "");
    fx_buf_finish_part(buf, &text);
}

void fx_map_print_reads(struct fx_buf *buf, const struct map_read_list *list) {
    for (const struct fx_trace_read *read = list->first; read != NULL;
         read = read->next) {
        fx_buf_str(buf, read == list->first ? "" : ", ");
        fx_buf_text(buf, read->name);
        fx_buf_str(buf, " = ");
        fx_buf_text(buf, read->value);
    }
    fx_buf_str(buf, list->is_cut ? ", …" : "");
}

/* ---- chains ------------------------------------------------------------------------ */

/* The name of the object that has the field; empty if the name of the field tells. */
static void set_owner(struct map_reads *reads, const struct map_chain *chain,
                      struct fx_trace_read *read) {
    const struct fx_unit *unit = reads->own->rule.param_unit;
    const char *namespace_ = NULL;
    struct fx_buf owner;
    fx_buf_init(&owner, 0);
    if (chain->slot == MAP_SLOT_PARAMS && unit != NULL) {
        namespace_ = unit->namespace_ != NULL ? unit->namespace_ : unit->file_namespace;
        fx_buf_text(&owner, unit->named.kind);
        fx_buf_printf(&owner, " %s%s%s", namespace_ == NULL ? "" : namespace_,
                      namespace_ == NULL ? "" : "/", unit->name);
    } else if (chain->slot == MAP_SLOT_NAMESPACE_OBJECT) {
        const json_t *object = reads->activation->request->namespace_object;
        fx_buf_str(&owner, "Namespace ");
        fx_buf_text(&owner,
                    fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name"));
    }
    reads->failed = reads->failed || owner.failed;
    read->owner = copy(reads, fx_buf_view(&owner));
    fx_buf_finish(&owner);
}

/* Adds the read of a chain. Returns NULL as fx_map_reads_add() does. */
static struct fx_trace_read *add_chain(struct map_reads *reads,
                                       const struct map_chain *chain) {
    struct fx_buf value;
    fx_buf_init(&value, 0);
    if (chain->is_secret) {
        fx_buf_str(&value, FX_MAP_NOT_SHOWN);
        reads->list->is_secret = true;
    } else if (chain->fault.len > 0) {
        fx_buf_text(&value, chain->fault);
    } else {
        fx_map_print_value(&value, chain->value);
    }
    reads->failed = reads->failed || value.failed || chain->path.failed;
    struct fx_trace_read *read =
        reads->failed
            ? NULL
            : fx_map_reads_add(reads, fx_buf_view(&chain->path), fx_buf_view(&value));
    fx_buf_finish(&value);
    if (read != NULL) {
        set_owner(reads, chain, read);
    }
    return read;
}

typedef void walk_expression(struct map_reads *reads, const struct fx_cel_node *root,
                             void *user);

/* Collects what the expression of a variable reads. */
static void enter_variable(struct map_reads *reads, const struct map_variable *variable,
                           struct fx_trace_read *read, walk_expression *walk,
                           void *user) {
    struct map_read_list inner = {0};
    struct map_reads outer = *reads;
    if (reads->level == MOST_LEVELS) {
        return;
    }
    reads->level++;
    reads->list = &inner;
    reads->locals = NULL;
    reads->expression = &variable->expression;
    walk(reads, fx_cel_program_root(variable->expression.program), user);
    reads->level = outer.level;
    reads->list = outer.list;
    reads->locals = outer.locals;
    reads->expression = outer.expression;
    read->reads = inner.first;
    reads->list->is_cut |= inner.is_cut;
    if (inner.is_secret || (inner.is_cut && fx_map_reads_hides(reads))) {
        read->value = FX_TEXT(FX_MAP_NOT_SHOWN);
        reads->list->is_secret = true;
    }
}

static void add_read(struct map_reads *reads, const struct map_chain *chain,
                     walk_expression *walk, void *user) {
    struct fx_trace_read *read = add_chain(reads, chain);
    if (read != NULL && chain->variable != NULL) {
        enter_variable(reads, chain->variable, read, walk, user);
    }
}

bool fx_map_reads_enter_variable(struct map_reads *reads, const struct fx_cel_node *node,
                                 walk_expression *walk, void *user) {
    struct map_chain chain;
    const bool is_variable = fx_map_chain_read(reads, node, &chain) &&
                             chain.variable != NULL && chain.n_steps == 1;
    if (is_variable) {
        add_read(reads, &chain, walk, user);
    }
    fx_map_chain_finish(&chain);
    return is_variable;
}

static void collect(struct map_reads *reads, const struct fx_cel_node *root, void *user) {
    (void)user;
    fx_map_reads_collect(reads, root);
}

/* Adds the node if it is a chain. An item of a loop whose value is not known is left out:
 * the whole range has been read. */
static bool collect_chain(struct map_reads *reads, const struct fx_cel_node *node) {
    struct map_chain chain;
    const bool is_chain = fx_map_chain_read(reads, node, &chain);
    if (is_chain && !chain.is_unknown) {
        add_read(reads, &chain, collect, NULL);
    }
    fx_map_chain_finish(&chain);
    return is_chain;
}

/* ---- loops ------------------------------------------------------------------------- */

struct map_read_range fx_map_reads_range(struct map_reads *reads,
                                         const struct fx_cel_node *fold) {
    struct map_read_range range = {.items = fx_map_reads_value(reads, fold->fold.range)};
    struct map_chain chain;
    const struct fx_cel_node *base = fold->fold.range;
    while (base->type == FX_CEL_NODE_FOLD && base->fold.macro == FX_CEL_MACRO_FILTER) {
        base = base->fold.range; /* the same items */
    }
    if (fx_map_is_method(base, "orValue")) {
        base = base->call.target;
    }
    if (fx_map_chain_read(reads, base, &chain)) {
        range.path = copy(reads, fx_buf_view(&chain.path));
        range.is_secret = chain.is_secret;
        range.has_path = true;
        range.variable = chain.variable;
        reads->failed = reads->failed || chain.path.failed;
    } else {
        range.path =
            (fold->fold.item2 != NULL ? fold->fold.item2 : fold->fold.item)->name;
        range.is_secret = fx_map_reads_hides(reads);
    }
    fx_map_chain_finish(&chain);
    range.items = json_is_array(range.items) ? range.items : NULL;
    return range;
}

/* Prints "object.spec.containers[name: web]", or the index of an item without a name. If
 * the range has no path, its name is that of the loop, which is also that of an item. */
static struct fx_text name_item(struct map_reads *reads,
                                const struct map_read_range *range, size_t index) {
    struct fx_buf path;
    const struct fx_text name =
        fx_tree_view_string(json_array_get(range->items, index), "name");
    fx_buf_init(&path, 0);
    fx_buf_text(&path, range->path);
    if (name.len > 0) {
        fx_buf_printf(&path, "[name: %.*s]", FX_TEXT_ARG(name));
    } else if (range->has_path) {
        fx_buf_printf(&path, "[%zu]", index);
    }
    reads->failed = reads->failed || path.failed;
    const struct fx_text text = copy(reads, fx_buf_view(&path));
    fx_buf_finish(&path);
    return text;
}

/* The name of the index, of a loop with two names. */
static const json_t *make_index(struct map_reads *reads, size_t index) {
    return fx_map_reads_keep(reads, json_integer((json_int_t)index));
}

void fx_map_reads_bind(struct map_reads *reads, const struct fx_cel_node *fold,
                       const struct map_read_range *range, size_t index,
                       struct map_read_binding *ret_binding) {
    const json_t *item = json_array_get(range->items, index);
    const bool has_two = fold->fold.item2 != NULL;
    *ret_binding = (struct map_read_binding){
        .index = {.local = has_two ? fold->fold.item : NULL,
                  .item = has_two && item != NULL ? make_index(reads, index) : NULL,
                  .is_counter = true,
                  .outer = reads->locals},
        .item = {.local = has_two ? fold->fold.item2 : fold->fold.item,
                 .item = item,
                 .path = item == NULL ? range->path : name_item(reads, range, index),
                 .is_secret = range->is_secret,
                 .variable = range->variable,
                 .outer = &ret_binding->index},
    };
    reads->locals = &ret_binding->item;
}

void fx_map_reads_unbind(struct map_reads *reads,
                         const struct map_read_binding *binding) {
    reads->locals = binding->index.outer;
}

static void collect_item(struct map_reads *reads, const struct fx_cel_node *fold,
                         const struct map_read_range *range, size_t index) {
    struct map_read_binding binding;
    fx_map_reads_bind(reads, fold, range, index, &binding);
    fx_map_reads_collect(reads, fold->fold.step);
    fx_map_reads_unbind(reads, &binding);
}

/* Lists of objects are read element by element; others as a whole. */
static void collect_loop(struct map_reads *reads, const struct fx_cel_node *fold) {
    const struct map_read_range range = fx_map_reads_range(reads, fold);
    const size_t n = json_array_size(range.items);
    if (!json_is_object(json_array_get(range.items, 0))) {
        fx_map_reads_collect(reads, fold->fold.range);
        collect_item(reads, fold, &range, SIZE_MAX);
        return;
    }
    for (size_t i = 0; i < n && !reads->list->is_cut && fx_spend(1); i++) {
        collect_item(reads, fold, &range, i);
    }
}

/* The name of optMap() stands for the value of its target, whose name it gets. */
void fx_map_reads_bind_target(struct map_reads *reads, const struct fx_cel_node *fold,
                              struct map_read_local *ret_local) {
    const struct fx_cel_node *start = fold->fold.start;
    struct map_chain chain = {.value = NULL};
    *ret_local = (struct map_read_local){.local = fold->fold.result_so_far,
                                         .path = fold->fold.result_so_far->name,
                                         .outer = reads->locals};
    if (fx_map_is_method(start, "value") &&
        fx_map_chain_read(reads, start->call.target, &chain)) {
        ret_local->item = chain.value;
        ret_local->path = copy(reads, fx_buf_view(&chain.path));
        ret_local->is_secret = chain.is_secret;
        ret_local->variable = chain.variable;
    }
    fx_map_chain_finish(&chain);
    reads->locals = ret_local;
}

static void collect_bind(struct map_reads *reads, const struct fx_cel_node *fold) {
    struct map_read_local local;
    fx_map_reads_bind_target(reads, fold, &local);
    if (local.item == NULL) {
        reads->locals = local.outer;
        fx_map_reads_collect(reads, fold->fold.start);
        reads->locals = &local;
    }
    fx_map_reads_collect(reads, fold->fold.result);
    reads->locals = local.outer;
}

/* ---- the walk ---------------------------------------------------------------------- */

const struct fx_cel_node *fx_map_reads_branch(struct map_reads *reads,
                                              const struct fx_cel_node *conditional) {
    const json_t *value = fx_map_reads_value(reads, conditional->call.args[0]);
    return !json_is_boolean(value) ? NULL
                                   : conditional->call.args[json_is_true(value) ? 1 : 2];
}

static void collect_all(struct map_reads *reads, struct fx_cel_node *const *nodes,
                        size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_map_reads_collect(reads, nodes[i]);
    }
}

static void collect_call(struct map_reads *reads, const struct fx_cel_node *node) {
    const struct fx_cel_node *branch =
        fx_map_is_global_call(node, "_?_:_", 3) ? fx_map_reads_branch(reads, node) : NULL;
    if (branch != NULL) {
        fx_map_reads_collect(reads, node->call.args[0]);
        fx_map_reads_collect(reads, branch);
        return;
    }
    fx_map_reads_collect(reads, node->call.target);
    collect_all(reads, node->call.args, node->call.n_args);
}

/* The depth of an expression is limited (FX_LIMIT_CEL_DEPTH). */
void fx_map_reads_collect(struct map_reads *reads, const struct fx_cel_node *node) {
    if (node == NULL || reads->failed || !fx_spend(1) || collect_chain(reads, node)) {
        return;
    }
    switch (node->type) {
    case FX_CEL_NODE_SELECT: fx_map_reads_collect(reads, node->select.operand); break;
    case FX_CEL_NODE_CALL: collect_call(reads, node); break;
    case FX_CEL_NODE_LIST: collect_all(reads, node->list.items, node->list.n); break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT:
        for (size_t i = 0; i < node->map.n; i++) {
            fx_map_reads_collect(reads, node->map.entries[i].key);
            fx_map_reads_collect(reads, node->map.entries[i].value);
        }
        break;
    case FX_CEL_NODE_FOLD:
        if (node->fold.macro == FX_CEL_MACRO_BIND) {
            collect_bind(reads, node);
        } else {
            collect_loop(reads, node);
        }
        break;
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: break;
    }
}
