/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/random_testing.h - for tests: expressions made at random that pass the
 * checker, over the variables and functions that it is given. The same number gives the
 * same expression.
 *
 * An expression of a type is a literal, a variable, a macro, or a call of an overload
 * whose result may have that type, with arguments of its types. So a function that is
 * added to a library is in the expressions, too.
 */
#ifndef FX_LOCATION_CEL_RANDOM_TESTING_H
#define FX_LOCATION_CEL_RANDOM_TESTING_H

#include "location/cel/random_values_testing.h"

/* ---- calls ------------------------------------------------------------------------- */

/* Strings that a function reads in a form of its own: one in `n` is any string. */
static const struct {
    const char *function;
    unsigned argument;
    const char *texts[4];
} random_forms[] = {
    {"timestamp", 0, {"'2020-02-29T23:59:59.5Z'", "'1969-12-31T00:00:00-08:00'"}},
    {"duration", 0, {"'90m'", "'-0.5s'", "'1us'", "'2562047h'"}},
    {"int", 0, {"'12'", "'-9'"}},
    {"uint", 0, {"'12'", "'0'"}},
    {"double", 0, {"'1.5'", "'NaN'", "'-inf'", "'1e3'"}},
    {"bool", 0, {"'true'", "'F'"}},
    {"string", 0, {"'x'"}},
    {"matches", 1, {"'^a+'", "'[[:alpha:]]$'", "'(?i)B|c'", "''"}},
    {"find", 1, {"'b+'", "'\\\\w+'", "'x*'"}},
    {"findAll", 1, {"'[ab]'", "'\\\\d'", "'x*'"}},
    {"quantity", 0, {"'1Ki'", "'-3'", "'1e3'", "'0.5m'"}},
    {"url", 0, {"'http://[::1]:80/x'", "'/p'"}},
    {"ip", 0, {"'1.2.3.4'", "'2001:db8::1'"}},
    {"ip.isCanonical", 0, {"'2001:DB8::1'", "'1.2.3.4'"}},
    {"cidr", 0, {"'1.2.0.0/16'", "'::/0'"}},
    {"containsIP", 1, {"'10.1.2.3'", "'::1'"}},
    {"containsCIDR", 1, {"'10.1.0.0/16'", "'::/1'"}},
    {"semver", 0, {"'1.0.0'", "'1.2.3+b'"}},
    {"format.named", 0, {"'uuid'", "'dns1123Label'", "'x'"}},
    {"get…", 1, {"'UTC'", "'+05:30'", "'-8:00'", "'Europe/Berlin'"}},
};

/* Writes a string in the form of the function, most times if there is one. What the
 * checker or the folding would refuse is written so that it is not constant. */
static inline bool random_write_form(struct random_expression *random,
                                     const struct fx_cel_overload *overload,
                                     unsigned argument, unsigned depth) {
    size_t n = 0;
    for (size_t i = 0; i < FX_COUNT(random_forms); i++) {
        const bool is_zone = strcmp(random_forms[i].function, "get…") == 0 &&
                             strncmp(overload->function, "get", 3) == 0;
        if (random_forms[i].argument != argument ||
            (!is_zone && strcmp(random_forms[i].function, overload->function) != 0)) {
            continue;
        }
        while (n < FX_COUNT(random_forms[i].texts) && random_forms[i].texts[n] != NULL) {
            n++;
        }
        if (random_one_in(random, 4)) {
            fx_buf_char(random->out, '(');
            random_write(random, &fx_cel_string, depth);
            fx_buf_str(random->out, " + '')");
        } else {
            fx_buf_str(random->out, random_forms[i].texts[random_below(random, n)]);
        }
        return true;
    }
    return false;
}

/* Do all overloads of the function with so many arguments have the same result, so that
 * an argument may be dyn without a change of the result's type? */
static inline bool random_takes_dyn(const struct random_expression *random,
                                    const struct fx_cel_overload *overload) {
    for (size_t i = 0; random->libraries[i] != NULL; i++) {
        for (const struct fx_cel_overload *other = random->libraries[i];
             other->function != NULL; other++) {
            if (other->n_args == overload->n_args &&
                other->is_member == overload->is_member &&
                strcmp(other->function, overload->function) == 0 &&
                (random_has_parameters(other->result) ||
                 !fx_cel_type_equal(other->result, overload->result))) {
                return false;
            }
        }
    }
    return true;
}

static inline void random_write_argument(struct random_expression *random,
                                         const struct fx_cel_overload *overload,
                                         unsigned argument,
                                         struct random_binding *binding, unsigned depth) {
    const struct fx_cel_type *type =
        random_substitute(random, binding, overload->args[argument]);
    if (type->kind == FX_CEL_TYPE_STRING &&
        random_write_form(random, overload, argument, depth)) {
        return;
    }
    if (type->kind == FX_CEL_TYPE_INT && argument == 1 &&
        strcmp(overload->function, "_[_]") == 0 && !random_one_in(random, 4)) {
        fx_buf_char(random->out, '0'); /* most lists have few elements */
        return;
    }
    if (random->has_dyn && random_one_in(random, 8) &&
        random_takes_dyn(random, overload)) {
        random_write(random, &fx_cel_dyn, depth);
        return;
    }
    /* A constant that is converted is folded, and may be refused. */
    if (overload->folds && type->kind != FX_CEL_TYPE_STRING) {
        fx_buf_str(random->out, "[");
        random_write(random, type, depth);
        fx_buf_str(random->out, "][0]");
        return;
    }
    random_write(random, type, depth);
}

/* Writes an operator from its name, in which `_` stands for an operand. */
static inline void random_write_operator(struct random_expression *random,
                                         const struct fx_cel_overload *overload,
                                         struct random_binding *binding, unsigned depth) {
    unsigned argument = 0;
    fx_buf_char(random->out, '(');
    for (const char *c = overload->function; *c != '\0'; c++) {
        if (*c == '_') {
            /* A sign and a number would be one literal. */
            const bool is_sign = overload->n_args == 1;
            fx_buf_str(random->out, is_sign ? "(" : "");
            random_write_argument(random, overload, argument++, binding, depth);
            fx_buf_str(random->out, is_sign ? ")" : "");
        } else if (*c == '[' || *c == ']') {
            fx_buf_char(random->out, *c);
        } else if (*c == '?' && c[1] == '_' && c > overload->function && c[-1] == '[') {
            fx_buf_char(random->out, '?');
        } else {
            const bool starts = c > overload->function && c[-1] == '_';
            fx_buf_str(random->out, starts ? " " : "");
            fx_buf_char(random->out, *c);
            fx_buf_str(random->out, starts && c[1] == '_' ? " " : "");
            fx_buf_str(random->out, !starts && c[1] == '_' && argument > 0 ? " " : "");
        }
    }
    fx_buf_char(random->out, ')');
}

static inline void random_write_call(struct random_expression *random,
                                     const struct fx_cel_overload *overload,
                                     struct random_binding *binding, unsigned depth) {
    unsigned argument = 0;
    if (strchr(overload->function, '_') != NULL && overload->function[0] != '@') {
        random_write_operator(random, overload, binding, depth);
        return;
    }
    if (strcmp(overload->function, "@in") == 0) {
        fx_buf_char(random->out, '(');
        random_write_argument(random, overload, 0, binding, depth);
        fx_buf_str(random->out, " in ");
        random_write_argument(random, overload, 1, binding, depth);
        fx_buf_char(random->out, ')');
        return;
    }
    if (overload->is_member) {
        random_write_argument(random, overload, argument++, binding, depth);
        fx_buf_char(random->out, '.');
    }
    fx_buf_printf(random->out, "%s(", overload->function);
    for (const unsigned first = argument; argument < overload->n_args; argument++) {
        fx_buf_str(random->out, argument > first ? ", " : "");
        random_write_argument(random, overload, argument, binding, depth);
    }
    fx_buf_char(random->out, ')');
}

/* May the overload be called for this type? Functions that no expression can name may
 * not, nor those whose text is checked (format), nor what needs an authorizer. */
static inline bool random_is_callable(struct random_expression *random,
                                      const struct fx_cel_overload *overload,
                                      const struct fx_cel_type *type,
                                      struct random_binding *binding) {
    const char *name = overload->function;
    if ((name[0] == '@' && strcmp(name, "@in") != 0) || strchr(name, '@') > name ||
        strcmp(name, "_?._") == 0 || strcmp(name, "format") == 0 ||
        strcmp(name, "optional.none") == 0 ||
        (strcmp(name, "dyn") == 0 && type->kind != FX_CEL_TYPE_DYN) ||
        !random_unify(binding, overload->result, type)) {
        return false;
    }
    if (binding->types[1] != NULL && !random_is_key(binding->types[1])) {
        return false;
    }
    for (size_t i = 0; i < overload->n_args; i++) {
        if (!random_is_possible(random, overload->args[i]) ||
            random_nests(binding, overload->args[i])) {
            return false;
        }
    }
    return true;
}

/* Chooses an overload whose result may have the type. False: there is none. */
static inline bool random_choose(struct random_expression *random,
                                 const struct fx_cel_type *type,
                                 const struct fx_cel_overload **ret_overload,
                                 struct random_binding *ret_binding) {
    unsigned n = 0;
    for (size_t i = 0; random->libraries[i] != NULL; i++) {
        for (const struct fx_cel_overload *overload = random->libraries[i];
             overload->function != NULL; overload++) {
            struct random_binding binding = {{NULL, NULL, NULL}};
            if (random_is_callable(random, overload, type, &binding) &&
                random_one_in(random, ++n)) {
                *ret_overload = overload;
                *ret_binding = binding;
            }
        }
    }
    return n > 0;
}

/* ---- macros ------------------------------------------------------------------------ */

/* Declares a variable of a macro. */
static inline const char *random_declare(struct random_expression *random,
                                         const struct fx_cel_type *type) {
    const char *name = fx_arena_printf(random->arena, "v%u", random->n_names++);
    if (name == NULL || random->n_scope >= RANDOM_SCOPE) {
        return "v";
    }
    random->scope[random->n_scope++] =
        (struct random_variable){.name = name, .type = type};
    return name;
}

/* Writes the range of a macro and the start of its call, and declares its variables: the
 * element, or the key; of two, the index or key and the value. */
static inline void random_start_macro(struct random_expression *random, const char *macro,
                                      bool is_two, const struct fx_cel_type *range,
                                      unsigned depth) {
    const struct fx_cel_type *first = &fx_cel_dyn;
    const struct fx_cel_type *second = &fx_cel_dyn;
    if (range->kind == FX_CEL_TYPE_LIST) {
        first = is_two ? &fx_cel_int : range->params[0];
        second = range->params[0];
    } else if (range->kind == FX_CEL_TYPE_MAP) {
        first = range->params[0];
        second = range->params[1];
    }
    random_write(random, range, depth);
    fx_buf_printf(random->out, ".%s(%s, ", macro, random_declare(random, first));
    if (is_two) {
        fx_buf_printf(random->out, "%s, ", random_declare(random, second));
    }
}

static inline const struct fx_cel_type *random_range(struct random_expression *random) {
    if (random->has_dyn && random_one_in(random, 4)) {
        return &fx_cel_dyn;
    }
    const struct fx_cel_type *inner = random_type(random, 1);
    const struct fx_cel_type *range =
        random_one_in(random, 3)
            ? fx_cel_map_of(random->arena, random_key_type(random), inner)
            : fx_cel_list_of(random->arena, inner);
    return range != NULL ? range : &fx_cel_list_string;
}

static inline void random_write_test(struct random_expression *random, unsigned depth) {
    static const char *const one[] = {"all", "exists", "exists_one"};
    static const char *const two[] = {"all", "exists", "existsOne", "exists_one"};
    const bool is_two = random_one_in(random, 3);
    const char *macro = is_two ? RANDOM_PICK(random, two) : RANDOM_PICK(random, one);
    random_start_macro(random, macro, is_two, random_range(random), depth);
    random_write(random, &fx_cel_bool, depth);
    fx_buf_char(random->out, ')');
}

static inline void random_write_list_macro(struct random_expression *random,
                                           const struct fx_cel_type *type,
                                           unsigned depth) {
    const unsigned which = random_below(random, 4);
    if (which == 0) {
        random_start_macro(random, "filter", false, type, depth);
        random_write(random, &fx_cel_bool, depth);
    } else if (which == 1) {
        random_start_macro(random, "sortBy", false, type, depth);
        random_write(random, random_ordered_type(random), depth);
    } else {
        const bool is_two = which == 2;
        random_start_macro(random, is_two ? "transformList" : "map", is_two,
                           random_range(random), depth);
        if (random_one_in(random, 2)) {
            random_write(random, &fx_cel_bool, depth);
            fx_buf_str(random->out, ", ");
        }
        random_write(random, type->params[0], depth);
    }
    fx_buf_char(random->out, ')');
}

/* A map of entries, or of values for the keys of the range. */
static inline void random_write_map_macro(struct random_expression *random,
                                          const struct fx_cel_type *type,
                                          unsigned depth) {
    const bool is_entry = random_one_in(random, 2);
    const bool is_list = is_entry || (type->params[0]->kind == FX_CEL_TYPE_INT &&
                                      random_one_in(random, 2));
    const struct fx_cel_type *inner = random_type(random, 1);
    const struct fx_cel_type *range =
        is_list ? fx_cel_list_of(random->arena, inner)
                : fx_cel_map_of(random->arena, type->params[0], inner);
    random_start_macro(random, is_entry ? "transformMapEntry" : "transformMap", true,
                       range != NULL ? range : type, depth);
    if (random_one_in(random, 2)) {
        random_write(random, &fx_cel_bool, depth);
        fx_buf_str(random->out, ", ");
    }
    if (is_entry) {
        random_write_map(random, type, depth);
    } else {
        random_write(random, type->params[1], depth);
    }
    fx_buf_char(random->out, ')');
}

static inline void random_write_optional_macro(struct random_expression *random,
                                               const struct fx_cel_type *type,
                                               unsigned depth) {
    const bool is_flat = random_one_in(random, 2);
    const struct fx_cel_type *inner = random_inner_type(random);
    const struct fx_cel_type *optional = fx_cel_optional_of(random->arena, inner);
    random_write(random, optional != NULL ? optional : type, depth);
    fx_buf_printf(random->out, ".%s(%s, ", is_flat ? "optFlatMap" : "optMap",
                  random_declare(random, inner));
    random_write(random, is_flat ? type : type->params[0], depth);
    fx_buf_char(random->out, ')');
}

/* has() and the fields of a map. */
static inline void random_write_field(struct random_expression *random,
                                      const struct fx_cel_type *type, bool is_test,
                                      unsigned depth) {
    static const char *const fields[] = {"a", "b", "if"};
    const struct fx_cel_type *map = fx_cel_map_of(random->arena, &fx_cel_string, type);
    const char *field = RANDOM_PICK(random, fields);
    fx_buf_str(random->out, is_test ? "has(" : "");
    if (map != NULL && random_one_in(random, 3)) {
        random_write(random, map, depth);
    } else {
        fx_buf_printf(random->out, "{'%s': ", field);
        random_write(random, type, depth);
        fx_buf_char(random->out, '}');
    }
    fx_buf_printf(random->out, ".%s%s", field, is_test ? ")" : "");
}

static inline bool random_has_variable(const struct random_expression *random,
                                       const struct fx_cel_type *type) {
    for (size_t i = 0; i < random->n_scope; i++) {
        if (fx_cel_type_equal(random->scope[i].type, type)) {
            return true;
        }
    }
    return false;
}

/* What is read from a variable of type dyn. False: there is none. */
static inline bool random_write_path(struct random_expression *random, bool is_test) {
    static const char *const paths[] = {".a",  ".b",     ".a.if", ".a['if'][1]", "['b']",
                                        "[0]", ".no.no", "[5].k", ".a.if.filter"};
    static const char *const optionals[] = {".?a.if[0].orValue(dyn(1))",
                                            "[?'b'].hasValue()",
                                            "[?9].or(optional.of(dyn(1))).value()",
                                            ".?no.no.optMap(v, v).orValue(dyn(null))"};
    static const char *const tests[] = {".a", ".no", ".a.if", ".a.no", ".b.x", "[0].k"};
    if (!random_has_variable(random, &fx_cel_dyn)) {
        return false;
    }
    fx_buf_str(random->out, is_test ? "has(" : "dyn(");
    (void)random_write_variable(random, &fx_cel_dyn);
    fx_buf_str(random->out, is_test                    ? RANDOM_PICK(random, tests)
                            : random_one_in(random, 3) ? RANDOM_PICK(random, optionals)
                                                       : RANDOM_PICK(random, paths));
    fx_buf_char(random->out, ')');
    return true;
}

/* `format()` with as many values as verbs. A literal list is checked element by element,
 * and may have no optional ones. */
static inline void random_write_format(struct random_expression *random, unsigned depth) {
    static const struct {
        const char *text;
        const struct fx_cel_type *type;
    } formats[] = {
        {"'%s, %s'", &fx_cel_string},    {"'%d%%%x'", &fx_cel_int},
        {"'%.3f %e'", &fx_cel_double},   {"'%b|%s'", &fx_cel_bool},
        {"'%X %s'", &fx_cel_bytes},      {"'%o%X'", &fx_cel_uint},
        {"'%s%s'", &fx_cel_list_string}, {"'%s %s'", &fx_cel_duration},
    };
    const size_t i = random_below(random, FX_COUNT(formats));
    const bool is_list = formats[i].type->kind == FX_CEL_TYPE_LIST;
    const char *open = is_list ? "[" : "(";
    const char *end = is_list ? "].flatten()" : ")";
    fx_buf_printf(random->out, "%s.format([%s", formats[i].text, open);
    random_write(random, formats[i].type, depth);
    fx_buf_printf(random->out, "%s, %s", end, open);
    random_write(random, formats[i].type, depth);
    fx_buf_printf(random->out, "%s])", end);
}

/* Writes a macro, or what is not a call of the tables. False: none has the type. */
static inline bool random_write_special(struct random_expression *random,
                                        const struct fx_cel_type *type, unsigned depth) {
    if (type->kind == FX_CEL_TYPE_DYN) {
        return random_write_path(random, false);
    }
    if (random->has_dyn && type->kind == FX_CEL_TYPE_BOOL && random_one_in(random, 8)) {
        return random_write_path(random, true);
    }
    if (random_one_in(random, 8)) {
        random_write_field(random, type, false, depth);
    } else if (type->kind == FX_CEL_TYPE_BOOL && random_one_in(random, 5)) {
        random_write_field(random, random_type(random, 0), true, depth);
    } else if (type->kind == FX_CEL_TYPE_BOOL) {
        random_write_test(random, depth);
    } else if (type->kind == FX_CEL_TYPE_LIST) {
        random_write_list_macro(random, type, depth);
    } else if (type->kind == FX_CEL_TYPE_MAP) {
        random_write_map_macro(random, type, depth);
    } else if (type->kind == FX_CEL_TYPE_OPTIONAL) {
        random_write_optional_macro(random, type, depth);
    } else if (type->kind == FX_CEL_TYPE_STRING) {
        random_write_format(random, depth);
    } else {
        return false;
    }
    return true;
}

/* ---- expressions ------------------------------------------------------------------- */

/* Appends an expression of the type to random->out. */
static inline void random_write(struct random_expression *random,
                                const struct fx_cel_type *type, unsigned depth) {
    const size_t n_scope = random->n_scope;
    const struct fx_cel_overload *overload = NULL;
    struct random_binding binding;
    if (depth == 0 || random->n_calls >= RANDOM_CALLS || random_one_in(random, 6)) {
        random_write_leaf(random, type, depth);
        return;
    }
    random->n_calls++;
    const bool is_special =
        random_one_in(random, 3) && random_write_special(random, type, depth - 1);
    random->n_scope = n_scope; /* the variables of a macro end with it */
    if (is_special) {
        return;
    }
    if (random_choose(random, type, &overload, &binding)) {
        random_write_call(random, overload, &binding, depth - 1);
    } else {
        random_write_leaf(random, type, depth);
    }
}

/* Writes an expression of a random type into the buffer, and returns its type. */
static inline const struct fx_cel_type *
random_write_expression(struct random_expression *random, unsigned depth,
                        struct fx_buf *out) {
    const struct fx_cel_type *type = random_type(random, 2);
    random->out = out;
    random->n_calls = 0;
    random->n_names = 0;
    random_write(random, type, depth);
    return type;
}

#endif
