/* SPDX-License-Identifier: Apache-2.0
 *
 * reads.c - follows an expression on the tree of wanted parts.
 *
 * An expression is at most FX_LIMIT_CEL_DEPTH levels deep, so recursion is bounded.
 */
#include "location/cel/reads.h"

#include "base/budget.h"

/* The places of a local variable, on the stack of the fold that declares it. */
struct reads_local {
    const struct fx_cel_local *local;
    const struct fx_cel_places *places;
    const struct reads_local *outer;
};

struct reads_walk {
    const struct fx_cel_reading *reading;
    const struct reads_local *locals;
    bool failed; /* there was no memory */
};

static void find(struct reads_walk *walk, const struct fx_cel_node *node,
                 struct fx_cel_places *ret);

/* ---- places ------------------------------------------------------------------------ */

void fx_cel_places_all(const struct fx_cel_places *places) {
    for (size_t i = 0; i < places->n; i++) {
        fx_json_cursor_all(places->items[i]);
    }
}

/* A value that does not fit is wanted whole, and so has no place. */
static void add_place(struct fx_cel_places *places, struct fx_json_cursor place) {
    if (places->n < FX_CEL_MOST_PLACES) {
        places->items[places->n++] = place;
    } else {
        fx_json_cursor_all(place);
    }
}

static void add_places(struct fx_cel_places *to, const struct fx_cel_places *places) {
    for (size_t i = 0; i < places->n; i++) {
        add_place(to, places->items[i]);
    }
}

/* Moves each place to the member. */
static void select_member(struct reads_walk *walk, struct fx_cel_places *places,
                          struct fx_text name) {
    for (size_t i = 0; i < places->n; i++) {
        if (!fx_json_cursor_member(&places->items[i], name)) {
            walk->failed = true;
            places->n = 0;
        }
    }
}

/* Moves each place to an element, or to a member that is not known. */
static void select_element(struct fx_cel_places *places) {
    for (size_t i = 0; i < places->n; i++) {
        fx_json_cursor_element(&places->items[i]);
    }
}

/* ---- using a value ------------------------------------------------------------------
 */

/* Makes the value of the node wanted whole. NULL is fine. */
static void use(struct reads_walk *walk, const struct fx_cel_node *node) {
    struct fx_cel_places places = {.n = 0};
    if (node != NULL) {
        find(walk, node, &places);
        fx_cel_places_all(&places);
    }
}

static void use_nodes(struct reads_walk *walk, struct fx_cel_node *const *nodes,
                      size_t n) {
    for (size_t i = 0; i < n; i++) {
        use(walk, nodes[i]);
    }
}

static void use_entries(struct reads_walk *walk, const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        use(walk, node->map.entries[i].key);
        use(walk, node->map.entries[i].value);
    }
}

/* ---- names and fields ---------------------------------------------------------------
 */

static bool is_variable(const struct fx_cel_node *node, size_t number) {
    return node->type == FX_CEL_NODE_NAME && node->name.local == NULL &&
           node->name.type == NULL && number != FX_CEL_NO_VARIABLE &&
           node->name.variable == number;
}

static void find_local(const struct reads_walk *walk, const struct fx_cel_local *local,
                       struct fx_cel_places *ret) {
    const struct reads_local *own = walk->locals;
    while (own != NULL && own->local != local) {
        (void)fx_spend(1);
        own = own->outer;
    }
    if (own != NULL && own->places != NULL) {
        *ret = *own->places;
    }
}

static void find_name(const struct reads_walk *walk, const struct fx_cel_node *node,
                      struct fx_cel_places *ret) {
    const struct fx_json_cursor root = {.part = walk->reading->root};
    if (node->name.local != NULL) {
        find_local(walk, node->name.local, ret);
    } else if (is_variable(node, walk->reading->object)) {
        add_place(ret, root);
    } else if (is_variable(node, walk->reading->composite)) {
        fx_json_cursor_all(root);
    }
}

/* A field of the composite variable. One that is not known may be anything. */
static void find_field(const struct reads_walk *walk, struct fx_text name,
                       struct fx_cel_places *ret) {
    const struct fx_cel_reading *reading = walk->reading;
    for (size_t i = 0; i < reading->n_fields; i++) {
        (void)fx_spend(1);
        if (fx_text_equal(reading->fields[i].name, name)) {
            *ret = reading->fields[i].places;
            return;
        }
    }
    fx_json_cursor_all((struct fx_json_cursor){.part = reading->root});
}

/* has() needs no more than the type of the value. */
static void find_select(struct reads_walk *walk, const struct fx_cel_node *node,
                        struct fx_cel_places *ret) {
    if (is_variable(node->select.operand, walk->reading->composite)) {
        find_field(walk, node->select.field, ret);
    } else {
        find(walk, node->select.operand, ret);
        select_member(walk, ret, node->select.field);
    }
    ret->n = node->select.is_test ? 0 : ret->n;
}

/* ---- calls --------------------------------------------------------------------------
 */

typedef void find_call(struct reads_walk *walk, const struct fx_cel_node *call,
                       struct fx_cel_places *ret);

/* The receiver, or the first argument; NULL if there is none. */
static const struct fx_cel_node *first_of(const struct fx_cel_node *call) {
    return call->call.target != NULL ? call->call.target
           : call->call.n_args > 0   ? call->call.args[0]
                                     : NULL;
}

static void find_first(struct reads_walk *walk, const struct fx_cel_node *call,
                       struct fx_cel_places *ret) {
    if (first_of(call) != NULL) {
        find(walk, first_of(call), ret);
    }
}

/* The value is that of the receiver or of an argument, from number `first` on; for lists,
 * their elements are. */
static void find_among(struct reads_walk *walk, const struct fx_cel_node *call,
                       size_t first, struct fx_cel_places *ret) {
    if (call->call.target != NULL) {
        find(walk, call->call.target, ret);
    }
    for (size_t i = first; i < call->call.n_args; i++) {
        struct fx_cel_places places = {.n = 0};
        find(walk, call->call.args[i], &places);
        add_places(ret, &places);
    }
}

static void find_each(struct reads_walk *walk, const struct fx_cel_node *call,
                      struct fx_cel_places *ret) {
    find_among(walk, call, 0, ret);
}

static void find_branches(struct reads_walk *walk, const struct fx_cel_node *call,
                          struct fx_cel_places *ret) {
    use(walk, call->call.args[0]);
    find_among(walk, call, 1, ret);
}

/* The text that the node is, if it is a constant; else data is NULL. */
static struct fx_text constant_text(const struct fx_cel_node *node) {
    const bool is_text =
        node->type == FX_CEL_NODE_LITERAL && node->literal.kind == FX_CEL_STRING;
    return is_text ? node->literal.text : (struct fx_text){.data = NULL};
}

static void find_index(struct reads_walk *walk, const struct fx_cel_node *call,
                       struct fx_cel_places *ret) {
    const struct fx_text name = constant_text(call->call.args[1]);
    find(walk, call->call.args[0], ret);
    if (name.data != NULL) {
        select_member(walk, ret, name);
    } else {
        use(walk, call->call.args[1]);
        select_element(ret);
    }
}

/* A constant is a member of a map, or an element of a list: strings are always decoded.
 */
static void find_in(struct reads_walk *walk, const struct fx_cel_node *call,
                    struct fx_cel_places *ret) {
    const struct fx_text name = constant_text(call->call.args[0]);
    if (name.data == NULL) {
        use_nodes(walk, call->call.args, call->call.n_args);
        return;
    }
    find(walk, call->call.args[1], ret);
    select_member(walk, ret, name);
    ret->n = 0;
}

static void find_size(struct reads_walk *walk, const struct fx_cel_node *call,
                      struct fx_cel_places *ret) {
    find_first(walk, call, ret);
    select_element(ret);
    ret->n = 0;
}

static void find_presence(struct reads_walk *walk, const struct fx_cel_node *call,
                          struct fx_cel_places *ret) {
    find_first(walk, call, ret);
    ret->n = 0;
}

/* Functions that do not use the whole of each argument. */
static const struct {
    const char *name;
    bool is_member;
    size_t n_args;
    find_call *find;
} part_calls[] = {
    {"_?_:_", false, 3, find_branches},   {"_[_]", false, 2, find_index},
    {"_[?_]", false, 2, find_index},      {"_?._", false, 2, find_index},
    {"_+_", false, 2, find_each},         {"@in", false, 2, find_in},
    {"dyn", false, 1, find_first},        {"size", false, 1, find_size},
    {"size", true, 0, find_size},         {"optional.of", false, 1, find_first},
    {"hasValue", true, 0, find_presence}, {"value", true, 0, find_first},
    {"or", true, 1, find_each},           {"orValue", true, 1, find_each},
};

static void find_result(struct reads_walk *walk, const struct fx_cel_node *call,
                        struct fx_cel_places *ret) {
    for (size_t i = 0; i < FX_COUNT(part_calls); i++) {
        if (part_calls[i].n_args == call->call.n_args &&
            part_calls[i].is_member == (call->call.target != NULL) &&
            fx_text_is(call->call.function, part_calls[i].name)) {
            part_calls[i].find(walk, call, ret);
            return;
        }
    }
    use(walk, call->call.target);
    use_nodes(walk, call->call.args, call->call.n_args);
}

/* ---- folds --------------------------------------------------------------------------
 */

/* The name is the value of `start` in `result`; nothing is iterated. */
static void find_bound(struct reads_walk *walk, const struct fx_cel_node *fold,
                       struct fx_cel_places *ret) {
    struct fx_cel_places start = {.n = 0};
    find(walk, fold->fold.start, &start);
    const struct reads_local bound = {fold->fold.result_so_far, &start, walk->locals};
    walk->locals = &bound;
    find(walk, fold->fold.result, ret);
    walk->locals = bound.outer;
}

/* The step of filter() keeps elements as they are, so only its test uses them. */
static bool is_kept(const struct fx_cel_node *fold) {
    const struct fx_cel_node *step = fold->fold.step;
    return fold->fold.macro == FX_CEL_MACRO_FILTER && step->type == FX_CEL_NODE_CALL &&
           step->call.n_args == 3 && fx_text_is(step->call.function, "_?_:_");
}

/* Of two names, the first is an index or a key. What the fold accumulates is computed.
 * The elements that filter() keeps have the places of the list's. */
static void find_folded(struct reads_walk *walk, const struct fx_cel_node *fold,
                        struct fx_cel_places *ret) {
    struct fx_cel_places range = {.n = 0};
    const struct fx_cel_local *item =
        fold->fold.item2 != NULL ? fold->fold.item2 : fold->fold.item;
    find(walk, fold->fold.range, &range);
    struct fx_cel_places element = range;
    select_element(&element);
    use(walk, fold->fold.start);
    const struct reads_local bound = {item, &element, walk->locals};
    walk->locals = &bound;
    use(walk, fold->fold.condition);
    use(walk, is_kept(fold) ? fold->fold.step->call.args[0] : fold->fold.step);
    use(walk, fold->fold.result);
    walk->locals = bound.outer;
    if (is_kept(fold)) {
        *ret = range;
    }
}

/* ---- all nodes ----------------------------------------------------------------------
 */

static void find(struct reads_walk *walk, const struct fx_cel_node *node,
                 struct fx_cel_places *ret) {
    (void)fx_spend(4);
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: return;
    case FX_CEL_NODE_NAME: find_name(walk, node, ret); return;
    case FX_CEL_NODE_SELECT: find_select(walk, node, ret); return;
    case FX_CEL_NODE_CALL: find_result(walk, node, ret); return;
    case FX_CEL_NODE_LIST: use_nodes(walk, node->list.items, node->list.n); return;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: use_entries(walk, node); return;
    case FX_CEL_NODE_FOLD: break;
    }
    if (node->fold.macro == FX_CEL_MACRO_BIND) {
        find_bound(walk, node, ret);
    } else {
        find_folded(walk, node, ret);
    }
}

bool fx_cel_reads(const struct fx_cel_reading *reading,
                  const struct fx_cel_program *program,
                  struct fx_cel_places *ret_places) {
    struct reads_walk walk = {.reading = reading};
    *ret_places = (struct fx_cel_places){.n = 0};
    find(&walk, fx_cel_program_root(program), ret_places);
    return !walk.failed;
}
