/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/macro.c - the macros (spec/cel.md section 7), expanded as cel-go expands
 * them. New nodes are at the opening parenthesis of the macro.
 */
#include "location/cel/parser.h"

/* Names that no expression can use. */
#define RESULT_NAME FX_TEXT("@result")
#define UNUSED_NAME FX_TEXT("#unused")
#define SORT_NAME   FX_TEXT("@__sortBy_input__")

/* A call of a macro. */
struct macro_use {
    struct cel_parser *parser;
    uint32_t at;
    struct fx_cel_node *target;
    struct fx_cel_node *const *args;
    size_t n_args;
};

typedef struct fx_cel_node *expand_function(const struct macro_use *use);

static struct fx_cel_node *new_result(const struct macro_use *use) {
    return fx_cel_new_name(use->parser, use->at, RESULT_NAME);
}

static struct fx_cel_node *new_bool(const struct macro_use *use, bool boolean) {
    return fx_cel_new_literal(use->parser, use->at, fx_cel_make_bool(boolean));
}

static struct fx_cel_node *new_int(const struct macro_use *use, int64_t integer) {
    return fx_cel_new_literal(use->parser, use->at, fx_cel_make_int(integer));
}

/* A list of one node, or an empty one. */
static struct fx_cel_node *new_list(const struct macro_use *use,
                                    struct fx_cel_node *item) {
    struct cel_nodes items = {0};
    if (item != NULL) {
        fx_cel_add_node(use->parser, &items, (struct cel_operand){.node = item}, false);
    }
    return fx_cel_new_list_node(use->parser, use->at, &items);
}

static struct fx_cel_node *new_method(const struct macro_use *use, const char *function,
                                      struct fx_cel_node *target) {
    const struct cel_nodes none = {0};
    return fx_cel_new_call(use->parser, use->at, fx_text_of(function), target, &none);
}

static struct fx_cel_local *new_local(const struct macro_use *use, struct fx_text name) {
    struct fx_cel_local *local = fx_arena_alloc(use->parser->arena, sizeof *local);
    if (local == NULL) {
        fx_cel_stop_without_memory(use->parser);
        return NULL;
    }
    local->name = name;
    local->number = use->parser->n_locals++;
    return local;
}

/* A fold over the target, with the variables of these names; the second may be empty. */
static struct fx_cel_node *new_fold(const struct macro_use *use, enum fx_cel_macro macro,
                                    struct fx_text item, struct fx_text item2) {
    struct fx_cel_node *fold = fx_cel_new_node(use->parser, FX_CEL_NODE_FOLD, use->at);
    fold->fold.macro = macro;
    fold->fold.item = new_local(use, item);
    fold->fold.item2 = item2.len > 0 ? new_local(use, item2) : NULL;
    fold->fold.result_so_far = new_local(use, RESULT_NAME);
    fold->fold.range = use->target;
    fold->fold.condition = new_bool(use, true);
    fold->fold.result = new_result(use);
    return fold;
}

/* ---- variables --------------------------------------------------------------------- */

/* The name of a variable: an identifier. */
static bool read_name(const struct macro_use *use, size_t arg, const char *fault,
                      struct fx_text *ret_name) {
    const struct fx_cel_node *node = use->args[arg];
    if (node->type != FX_CEL_NODE_NAME) {
        (void)fx_cel_refuse(use->parser, node->at, fault);
        return false;
    }
    *ret_name = node->name.name;
    if (node->name.is_absolute) { /* the variable's name has the dot; none can mean it */
        *ret_name = (struct fx_text){"", 0};
        const char *text =
            fx_arena_printf(use->parser->arena, ".%.*s", FX_TEXT_ARG(node->name.name));
        if (text == NULL) {
            fx_cel_stop_without_memory(use->parser);
            return false;
        }
        *ret_name = fx_text_of(text);
    }
    return true;
}

/* Refuses the variable `name`, argument `i`, if it is the accumulator of macros. */
static bool check_item(const struct macro_use *use, size_t i, struct fx_text name) {
    if (fx_text_is(name, "__result__")) {
        (void)fx_cel_refuse(use->parser, use->args[i]->at,
                            "iteration variable overwrites accumulator variable");
        return false;
    }
    return true;
}

static bool read_item(const struct macro_use *use, const char *fault,
                      struct fx_text *ret_name) {
    return read_name(use, 0, fault, ret_name) && check_item(use, 0, *ret_name);
}

/* The names of the two-variable forms. */
static bool read_two(const struct macro_use *use, struct fx_text names[2]) {
    static const char fault[] = "argument must be a simple name";
    if (!read_name(use, 0, fault, &names[0]) || !read_name(use, 1, fault, &names[1]) ||
        !check_item(use, 0, names[0]) || !check_item(use, 1, names[1])) {
        return false;
    }
    if (fx_text_equal(names[0], names[1])) {
        if (!use->parser->stopped) {
            fx_cel_faults_add(use->parser->faults, use->args[1]->at,
                              "duplicate variable name: %.*s", FX_TEXT_ARG(names[1]));
        }
        return false;
    }
    return true;
}

static struct fx_cel_node *new_unknown(const struct macro_use *use) {
    return fx_cel_new_unknown(use->parser, use->at);
}

/* ---- has --------------------------------------------------------------------------- */

static struct fx_cel_node *expand_has(const struct macro_use *use) {
    const struct fx_cel_node *arg = use->args[0];
    if (arg->type != FX_CEL_NODE_SELECT) {
        (void)fx_cel_refuse(use->parser, arg->at, "invalid argument to has() macro");
        return new_unknown(use);
    }
    struct fx_cel_node *test = fx_cel_new_node(use->parser, FX_CEL_NODE_SELECT, use->at);
    test->select.operand = arg->select.operand;
    test->select.field = arg->select.field;
    test->select.is_test = true;
    return test;
}

/* ---- all, exists, exists_one ------------------------------------------------------- */

static struct fx_cel_node *not_strictly_false(const struct macro_use *use,
                                              struct fx_cel_node *node) {
    return fx_cel_new_call_of(use->parser, use->at, "@not_strictly_false", 1, node);
}

static void fill_all(const struct macro_use *use, struct fx_cel_node *fold,
                     struct fx_cel_node *test) {
    fold->fold.start = new_bool(use, true);
    fold->fold.condition = not_strictly_false(use, new_result(use));
    fold->fold.step =
        fx_cel_new_call_of(use->parser, use->at, "_&&_", 2, new_result(use), test);
}

static void fill_exists(const struct macro_use *use, struct fx_cel_node *fold,
                        struct fx_cel_node *test) {
    fold->fold.start = new_bool(use, false);
    fold->fold.condition = not_strictly_false(
        use, fx_cel_new_call_of(use->parser, use->at, "!_", 1, new_result(use)));
    fold->fold.step =
        fx_cel_new_call_of(use->parser, use->at, "_||_", 2, new_result(use), test);
}

static struct fx_cel_node *choose(const struct macro_use *use, struct fx_cel_node *test,
                                  struct fx_cel_node *step) {
    return fx_cel_new_call_of(use->parser, use->at, "_?_:_", 3, test, step,
                              new_result(use));
}

static void fill_exists_one(const struct macro_use *use, struct fx_cel_node *fold,
                            struct fx_cel_node *test) {
    fold->fold.start = new_int(use, 0);
    fold->fold.step = choose(use, test,
                             fx_cel_new_call_of(use->parser, use->at, "_+_", 2,
                                                new_result(use), new_int(use, 1)));
    fold->fold.result = fx_cel_new_call_of(use->parser, use->at, "_==_", 2,
                                           new_result(use), new_int(use, 1));
}

static struct fx_cel_node *expand_quantifier(const struct macro_use *use,
                                             enum fx_cel_macro macro) {
    struct fx_text names[2] = {{"", 0}, {"", 0}};
    const bool is_two = use->n_args == 3;
    if (is_two ? !read_two(use, names)
               : !read_item(use, "argument must be a simple name", &names[0])) {
        return new_unknown(use);
    }
    struct fx_cel_node *fold = new_fold(use, macro, names[0], names[1]);
    struct fx_cel_node *test = use->args[use->n_args - 1];
    if (macro == FX_CEL_MACRO_ALL) {
        fill_all(use, fold, test);
    } else if (macro == FX_CEL_MACRO_EXISTS) {
        fill_exists(use, fold, test);
    } else {
        fill_exists_one(use, fold, test);
    }
    return fold;
}

static struct fx_cel_node *expand_all(const struct macro_use *use) {
    return expand_quantifier(use, FX_CEL_MACRO_ALL);
}

static struct fx_cel_node *expand_exists(const struct macro_use *use) {
    return expand_quantifier(use, FX_CEL_MACRO_EXISTS);
}

static struct fx_cel_node *expand_exists_one(const struct macro_use *use) {
    return expand_quantifier(use, FX_CEL_MACRO_EXISTS_ONE);
}

/* ---- map, filter, transformList, transformMap -------------------------------------- */

/* Adds [item] to the list so far, if the test holds (NULL: always). */
static void fill_list(const struct macro_use *use, struct fx_cel_node *fold,
                      struct fx_cel_node *test, struct fx_cel_node *item) {
    fold->fold.start = new_list(use, NULL);
    struct fx_cel_node *step = fx_cel_new_call_of(use->parser, use->at, "_+_", 2,
                                                  new_result(use), new_list(use, item));
    fold->fold.step = test == NULL ? step : choose(use, test, step);
}

static struct fx_cel_node *expand_map(const struct macro_use *use) {
    struct fx_text name;
    if (!read_item(use, "argument is not an identifier", &name)) {
        return new_unknown(use);
    }
    struct fx_cel_node *fold = new_fold(use, FX_CEL_MACRO_MAP, name, FX_TEXT(""));
    fill_list(use, fold, use->n_args == 3 ? use->args[1] : NULL,
              use->args[use->n_args - 1]);
    return fold;
}

static struct fx_cel_node *expand_filter(const struct macro_use *use) {
    struct fx_text name;
    if (!read_item(use, "argument is not an identifier", &name)) {
        return new_unknown(use);
    }
    struct fx_cel_node *fold = new_fold(use, FX_CEL_MACRO_FILTER, name, FX_TEXT(""));
    fill_list(use, fold, use->args[1], use->args[0]);
    return fold;
}

static struct fx_cel_node *expand_transform_list(const struct macro_use *use) {
    struct fx_text names[2];
    if (!read_two(use, names)) {
        return new_unknown(use);
    }
    struct fx_cel_node *fold = new_fold(use, FX_CEL_MACRO_MAP, names[0], names[1]);
    fill_list(use, fold, use->n_args == 4 ? use->args[2] : NULL,
              use->args[use->n_args - 1]);
    return fold;
}

/* The step inserts one entry: the key and a value, or the entries of a map. */
static struct fx_cel_node *expand_to_map(const struct macro_use *use,
                                         enum fx_cel_macro macro) {
    struct fx_text names[2];
    if (!read_two(use, names)) {
        return new_unknown(use);
    }
    struct fx_cel_node *fold = new_fold(use, macro, names[0], names[1]);
    struct fx_cel_node *value = use->args[use->n_args - 1];
    fold->fold.start = fx_cel_new_node(use->parser, FX_CEL_NODE_MAP, use->at);
    struct fx_cel_node *step =
        macro == FX_CEL_MACRO_TRANSFORM_MAP
            ? fx_cel_new_call_of(use->parser, use->at, "cel.@mapInsert", 3,
                                 new_result(use),
                                 fx_cel_new_name(use->parser, use->at, names[0]), value)
            : fx_cel_new_call_of(use->parser, use->at, "cel.@mapInsert", 2,
                                 new_result(use), value);
    fold->fold.step = use->n_args == 4 ? choose(use, use->args[2], step) : step;
    return fold;
}

static struct fx_cel_node *expand_transform_map(const struct macro_use *use) {
    return expand_to_map(use, FX_CEL_MACRO_TRANSFORM_MAP);
}

static struct fx_cel_node *expand_transform_map_entry(const struct macro_use *use) {
    return expand_to_map(use, FX_CEL_MACRO_TRANSFORM_MAP_ENTRY);
}

/* ---- macros that bind a name ------------------------------------------------------- */

/* A fold over an empty list: `name` is `value` in `body`. */
static struct fx_cel_node *bind(const struct macro_use *use, struct fx_text name,
                                struct fx_cel_node *value, struct fx_cel_node *body) {
    struct fx_cel_node *fold = fx_cel_new_node(use->parser, FX_CEL_NODE_FOLD, use->at);
    fold->fold.macro = FX_CEL_MACRO_BIND;
    fold->fold.item = new_local(use, UNUSED_NAME);
    fold->fold.result_so_far = new_local(use, name);
    fold->fold.range = new_list(use, NULL);
    fold->fold.start = value;
    fold->fold.condition = new_bool(use, false);
    fold->fold.step = fx_cel_new_name(use->parser, use->at, name);
    fold->fold.result = body;
    return fold;
}

/* target.hasValue() ? body with the value : optional.none() */
static struct fx_cel_node *expand_optional(const struct macro_use *use, const char *fault,
                                           bool wraps) {
    struct fx_text name;
    if (!read_name(use, 0, fault, &name)) {
        return new_unknown(use);
    }
    struct fx_cel_node *has = new_method(use, "hasValue", use->target);
    struct fx_cel_node *value =
        new_method(use, "value", fx_cel_copy(use->parser, use->target));
    struct fx_cel_node *body = bind(use, name, value, use->args[1]);
    if (wraps) {
        body = fx_cel_new_call_of(use->parser, use->at, "optional.of", 1, body);
    }
    return fx_cel_new_call_of(
        use->parser, use->at, "_?_:_", 3, has, body,
        fx_cel_new_call_of(use->parser, use->at, "optional.none", 0));
}

static struct fx_cel_node *expand_opt_map(const struct macro_use *use) {
    return expand_optional(use, "optMap() variable name must be a simple identifier",
                           true);
}

static struct fx_cel_node *expand_opt_flat_map(const struct macro_use *use) {
    return expand_optional(use, "optFlatMap() variable name must be a simple identifier",
                           false);
}

/* The target is bound to a name, which is sorted by the keys that map() gives. */
static struct fx_cel_node *expand_sort_by(const struct macro_use *use) {
    const struct fx_cel_node *target = use->target;
    if (target->type == FX_CEL_NODE_LITERAL || target->type == FX_CEL_NODE_MAP ||
        target->type == FX_CEL_NODE_STRUCT) {
        (void)fx_cel_refuse(use->parser, target->at,
                            "sortBy can only be applied to a list, identifier, "
                            "comprehension, call or select expression");
        return new_unknown(use);
    }
    struct macro_use map = *use;
    map.target = fx_cel_new_name(use->parser, use->at, SORT_NAME);
    struct cel_nodes keys = {0};
    const struct cel_operand key = {.node = expand_map(&map)};
    fx_cel_add_node(use->parser, &keys, key, false);
    struct fx_cel_node *sorted =
        fx_cel_new_call(use->parser, use->at, FX_TEXT("@sortByAssociatedKeys"),
                        fx_cel_new_name(use->parser, use->at, SORT_NAME), &keys);
    return bind(use, SORT_NAME, use->target, sorted);
}

/* ---- all of them ------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t n_args;
    bool is_member;
    expand_function *expand;
} macros[] = {
    {"has", 1, false, expand_has},
    {"all", 2, true, expand_all},
    {"all", 3, true, expand_all},
    {"exists", 2, true, expand_exists},
    {"exists", 3, true, expand_exists},
    {"exists_one", 2, true, expand_exists_one},
    {"exists_one", 3, true, expand_exists_one},
    {"existsOne", 3, true, expand_exists_one},
    {"map", 2, true, expand_map},
    {"map", 3, true, expand_map},
    {"filter", 2, true, expand_filter},
    {"transformList", 3, true, expand_transform_list},
    {"transformList", 4, true, expand_transform_list},
    {"transformMap", 3, true, expand_transform_map},
    {"transformMap", 4, true, expand_transform_map},
    {"transformMapEntry", 3, true, expand_transform_map_entry},
    {"transformMapEntry", 4, true, expand_transform_map_entry},
    {"optMap", 2, true, expand_opt_map},
    {"optFlatMap", 2, true, expand_opt_flat_map},
    {"sortBy", 2, true, expand_sort_by},
};

struct fx_cel_node *fx_cel_call_or_macro(struct cel_parser *parser, uint32_t at,
                                         struct fx_text function,
                                         struct fx_cel_node *target,
                                         const struct cel_nodes *args) {
    const struct macro_use use = {.parser = parser,
                                  .at = at,
                                  .target = target,
                                  .args = args->items,
                                  .n_args = args->n};
    for (size_t i = 0; i < FX_COUNT(macros) && !parser->stopped; i++) {
        if (macros[i].n_args == args->n && macros[i].is_member == (target != NULL) &&
            fx_text_is(function, macros[i].name)) {
            return macros[i].expand(&use);
        }
    }
    return fx_cel_new_call(parser, at, function, target, args);
}
