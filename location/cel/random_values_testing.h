/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/random_values_testing.h - for tests: what random expressions
 * (random_testing.h) are made of: chance, types, literals and variables.
 */
#ifndef FX_LOCATION_CEL_RANDOM_VALUES_TESTING_H
#define FX_LOCATION_CEL_RANDOM_VALUES_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/function.h"
#include "location/cel/type.h"

#define RANDOM_SCOPE 24u /* variables that are in scope at once */
#define RANDOM_CALLS 60u /* calls and macros of one expression, about */

struct random_variable {
    const char *name;
    const struct fx_cel_type *type;
};

/* The caller sets the first members. */
struct random_expression {
    struct fx_arena *arena; /* of types and names */
    const struct fx_cel_overload *const *libraries;
    uint64_t number; /* decides everything */
    /* Arguments may be of type dyn, so that overloads are chosen at run time, and may
     * fail then. */
    bool has_dyn;

    struct random_variable scope[RANDOM_SCOPE]; /* the caller's, then those of macros */
    size_t n_scope;

    unsigned n_names; /* of variables of macros so far */
    unsigned n_calls;
    struct fx_buf *out;
};

/* ---- chance ------------------------------------------------------------------------ */

/* SplitMix64; a number below `n`. */
static inline unsigned random_below(struct random_expression *random, size_t n) {
    random->number += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = random->number;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((z ^ (z >> 31)) % n);
}

static inline bool random_one_in(struct random_expression *random, unsigned n) {
    return random_below(random, n) == 0;
}

#define RANDOM_PICK(random, array) ((array)[random_below((random), FX_COUNT(array))])

/* ---- types ------------------------------------------------------------------------- */

/* What the parameters T, K and V of an overload stand for; NULL: anything. */
struct random_binding {
    const struct fx_cel_type *types[3];
};

static inline size_t random_parameter_index(const struct fx_cel_type *parameter) {
    return parameter->name[0] == 'T' ? 0 : parameter->name[0] == 'K' ? 1 : 2;
}

static inline const struct fx_cel_type **
random_parameter(struct random_binding *binding, const struct fx_cel_type *parameter) {
    return &binding->types[random_parameter_index(parameter)];
}

/* Can the declared type be this one? Binds parameters. */
static inline bool random_unify(struct random_binding *binding,
                                const struct fx_cel_type *declared,
                                const struct fx_cel_type *wanted) {
    if (declared->kind == FX_CEL_TYPE_PARAMETER) {
        const struct fx_cel_type **bound = random_parameter(binding, declared);
        if (*bound == NULL) {
            *bound = wanted;
            return true;
        }
        return fx_cel_type_equal(*bound, wanted);
    }
    if (declared->kind != wanted->kind) {
        return false;
    }
    if (declared->kind == FX_CEL_TYPE_OPAQUE || declared->kind == FX_CEL_TYPE_STRUCT) {
        return strcmp(declared->name, wanted->name) == 0;
    }
    for (size_t i = 0; i < 2; i++) {
        if (declared->params[i] != NULL &&
            (wanted->params[i] == NULL ||
             !random_unify(binding, declared->params[i], wanted->params[i]))) {
            return false;
        }
    }
    return true;
}

static inline bool random_has_parameters(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_PARAMETER ||
           (type->params[0] != NULL && random_has_parameters(type->params[0])) ||
           (type->params[1] != NULL && random_has_parameters(type->params[1]));
}

static inline const struct fx_cel_type *
random_key_type(struct random_expression *random) {
    static const struct fx_cel_type *const types[] = {
        &fx_cel_string, &fx_cel_string, &fx_cel_int, &fx_cel_uint, &fx_cel_bool};
    return RANDOM_PICK(random, types);
}

/* A type whose values have an order. */
static inline const struct fx_cel_type *
random_ordered_type(struct random_expression *random) {
    static const struct fx_cel_type *const types[] = {
        &fx_cel_int,  &fx_cel_string, &fx_cel_uint,      &fx_cel_double,
        &fx_cel_bool, &fx_cel_bytes,  &fx_cel_timestamp, &fx_cel_duration};
    return RANDOM_PICK(random, types);
}

/* Any type, up to so many levels deep, but no optional of an optional: such a value may
 * lose a level when it is the result of `?:`, as in Kubernetes. */
static inline const struct fx_cel_type *random_type(struct random_expression *random,
                                                    unsigned levels) {
    const struct fx_cel_type *type = NULL;
    if (levels > 0 && random_one_in(random, 3)) {
        const struct fx_cel_type *inner = random_type(random, levels - 1);
        const unsigned which = random_below(random, 3);
        if (which == 0) {
            type = fx_cel_map_of(random->arena, random_key_type(random), inner);
        } else if (which == 1 && inner->kind != FX_CEL_TYPE_OPTIONAL) {
            type = fx_cel_optional_of(random->arena, inner);
        } else {
            type = fx_cel_list_of(random->arena, inner);
        }
    }
    return type != NULL ? type : random_ordered_type(random);
}

/* The same, but no optional. */
static inline const struct fx_cel_type *
random_inner_type(struct random_expression *random) {
    const struct fx_cel_type *type = random_type(random, 1);
    return type->kind == FX_CEL_TYPE_OPTIONAL ? type->params[0] : type;
}

/* Would the declared type be an optional of an optional? */
static inline bool random_nests(const struct random_binding *binding,
                                const struct fx_cel_type *declared) {
    const struct fx_cel_type *inner = declared->params[0];
    if (inner == NULL) {
        return false;
    }
    if (declared->kind == FX_CEL_TYPE_OPTIONAL && inner->kind == FX_CEL_TYPE_PARAMETER) {
        const struct fx_cel_type *bound = binding->types[random_parameter_index(inner)];
        return bound != NULL && bound->kind == FX_CEL_TYPE_OPTIONAL;
    }
    return random_nests(binding, inner);
}

/* The declared type with its parameters replaced; free ones become random types. */
static inline const struct fx_cel_type *
random_substitute(struct random_expression *random, struct random_binding *binding,
                  const struct fx_cel_type *declared) {
    if (declared->kind == FX_CEL_TYPE_PARAMETER) {
        const struct fx_cel_type **bound = random_parameter(binding, declared);
        if (*bound == NULL) {
            *bound = declared->name[0] == 'K' ? random_key_type(random)
                                              : random_inner_type(random);
        }
        return *bound;
    }
    if (!random_has_parameters(declared)) {
        return declared;
    }
    struct fx_cel_type *type = fx_arena_alloc(random->arena, sizeof *type);
    if (type == NULL) {
        return declared;
    }
    *type = *declared;
    for (size_t i = 0; i < 2 && declared->params[i] != NULL; i++) {
        type->params[i] = random_substitute(random, binding, declared->params[i]);
    }
    return type;
}

/* Can the keys of a map have this type? */
static inline bool random_is_key(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_STRING || type->kind == FX_CEL_TYPE_INT ||
           type->kind == FX_CEL_TYPE_UINT || type->kind == FX_CEL_TYPE_BOOL;
}

/* ---- literals and variables -------------------------------------------------------- */

/* Writes an expression of the type (random_testing.h). */
static inline void random_write(struct random_expression *random,
                                const struct fx_cel_type *type, unsigned depth);

static inline void random_write_scalar(struct random_expression *random,
                                       enum fx_cel_type_kind kind) {
    static const char *const ints[] = {"0",
                                       "1",
                                       "-1",
                                       "2",
                                       "7",
                                       "42",
                                       "-9",
                                       "1000000",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "0x10"};
    static const char *const uints[] = {"0u", "1u", "3u", "42u", "18446744073709551615u"};
    static const char *const doubles[] = {"0.0", "-0.0",  "1.0",   "-1.5",
                                          "2.5", "1e300", "0.001", "9007199254740993.0"};
    static const char *const strings[] = {"''",
                                          "'a'",
                                          "'b'",
                                          "'abc'",
                                          "'a,b,,c'",
                                          "'\\u00e9\\U0001F600x'",
                                          "'  x\\t'",
                                          "'Aa-Zz'",
                                          "r'\\d+'",
                                          "'\\x00'",
                                          "'https://u@h.io:8/p?q=1'"};
    static const char *const bytes[] = {"b''", "b'a'", "b'\\xff\\x00'", "b'abc'"};
    static const char *const durations[] = {"duration('0s')", "duration('1h30m')",
                                            "duration('-1.5s')", "duration('1000000h')"};
    static const char *const timestamps[] = {
        "timestamp('1970-01-01T00:00:00Z')", "timestamp('2023-12-25T01:02:03.004+05:30')",
        "timestamp('0001-01-01T00:00:00Z')", "timestamp('9999-12-31T23:59:59Z')"};
    const char *text = "null";
    if (kind == FX_CEL_TYPE_BOOL) {
        text = random_one_in(random, 2) ? "true" : "false";
    } else if (kind == FX_CEL_TYPE_INT) {
        text = RANDOM_PICK(random, ints);
    } else if (kind == FX_CEL_TYPE_UINT) {
        text = RANDOM_PICK(random, uints);
    } else if (kind == FX_CEL_TYPE_DOUBLE) {
        text = RANDOM_PICK(random, doubles);
    } else if (kind == FX_CEL_TYPE_STRING) {
        text = RANDOM_PICK(random, strings);
    } else if (kind == FX_CEL_TYPE_BYTES) {
        text = RANDOM_PICK(random, bytes);
    } else if (kind == FX_CEL_TYPE_DURATION) {
        text = RANDOM_PICK(random, durations);
    } else if (kind == FX_CEL_TYPE_TIMESTAMP) {
        text = RANDOM_PICK(random, timestamps);
    }
    fx_buf_str(random->out, text);
}

/* Values of the types of libraries. */
static const struct {
    const char *type, *text;
} random_opaques[] = {
    {"kubernetes.URL", "url('https://example.com:80/p?q=1&q=2')"},
    {"kubernetes.URL", "url('/x/y')"},
    {"kubernetes.Quantity", "quantity('1.5Gi')"},
    {"kubernetes.Quantity", "quantity('-200m')"},
    {"net.IP", "ip('192.168.0.1')"},
    {"net.IP", "ip('::1')"},
    {"net.CIDR", "cidr('10.0.0.0/8')"},
    {"net.CIDR", "cidr('fe80::/10')"},
    {"kubernetes.Semver", "semver('1.2.3-rc.1')"},
    {"kubernetes.Semver", "semver('v2', true)"},
    {"kubernetes.NamedFormat", "format.dns1123Label()"},
    {"kubernetes.NamedFormat", "format.uuid()"},
};

/* A value of an opaque type, or its place in the table; SIZE_MAX: there is none. */
static inline size_t random_opaque(struct random_expression *random,
                                   const struct fx_cel_type *type) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < FX_COUNT(random_opaques); i++) {
        if (strcmp(random_opaques[i].type, type->name) == 0 &&
            (found == SIZE_MAX || random_one_in(random, 2))) {
            found = i;
        }
    }
    return found;
}

/* Is there an expression of this type? */
static inline bool random_is_possible(struct random_expression *random,
                                      const struct fx_cel_type *type) {
    switch (type->kind) {
    case FX_CEL_TYPE_DYN:
    case FX_CEL_TYPE_NULL:
    case FX_CEL_TYPE_BOOL:
    case FX_CEL_TYPE_INT:
    case FX_CEL_TYPE_UINT:
    case FX_CEL_TYPE_DOUBLE:
    case FX_CEL_TYPE_STRING:
    case FX_CEL_TYPE_BYTES:
    case FX_CEL_TYPE_DURATION:
    case FX_CEL_TYPE_TIMESTAMP:
    case FX_CEL_TYPE_PARAMETER: return true;
    case FX_CEL_TYPE_OPAQUE: return random_opaque(random, type) != SIZE_MAX;
    case FX_CEL_TYPE_LIST:
    case FX_CEL_TYPE_OPTIONAL:
        return type->params[0] != NULL && random_is_possible(random, type->params[0]);
    case FX_CEL_TYPE_MAP:
        return type->params[0] != NULL && type->params[1] != NULL &&
               (type->params[0]->kind == FX_CEL_TYPE_PARAMETER ||
                random_is_key(type->params[0])) &&
               random_is_possible(random, type->params[1]);
    case FX_CEL_TYPE_ERROR:
    case FX_CEL_TYPE_TYPE:
    case FX_CEL_TYPE_STRUCT: break;
    }
    return false;
}

static inline void random_write_list(struct random_expression *random,
                                     const struct fx_cel_type *element, unsigned depth) {
    const unsigned n = 1 + random_below(random, 3);
    fx_buf_char(random->out, '[');
    for (unsigned i = 0; i < n; i++) {
        fx_buf_str(random->out, i > 0 ? ", " : "");
        if (depth > 0 && element->kind != FX_CEL_TYPE_OPTIONAL &&
            random_one_in(random, 8)) {
            const struct fx_cel_type *optional =
                fx_cel_optional_of(random->arena, element);
            fx_buf_char(random->out, '?');
            random_write(random, optional, depth - 1);
        } else {
            random_write(random, element, depth);
        }
    }
    fx_buf_char(random->out, ']');
}

static inline void random_write_map(struct random_expression *random,
                                    const struct fx_cel_type *type, unsigned depth) {
    const unsigned n = 1 + random_below(random, 3);
    fx_buf_char(random->out, '{');
    for (unsigned i = 0; i < n; i++) {
        fx_buf_str(random->out, i > 0 ? ", " : "");
        random_write(random, type->params[0], depth > 1 ? 1 : 0);
        fx_buf_str(random->out, ": ");
        random_write(random, type->params[1], depth);
    }
    fx_buf_char(random->out, '}');
}

/* Writes one of the variables of this type. False: there is none. */
static inline bool random_write_variable(struct random_expression *random,
                                         const struct fx_cel_type *type) {
    const char *name = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < random->n_scope; i++) {
        if (fx_cel_type_equal(random->scope[i].type, type) &&
            random_one_in(random, ++n)) {
            name = random->scope[i].name;
        }
    }
    if (name != NULL) {
        fx_buf_str(random->out, name);
    }
    return name != NULL;
}

/* Writes an expression without calls, but for those that make opaque values. */
static inline void random_write_leaf(struct random_expression *random,
                                     const struct fx_cel_type *type, unsigned depth) {
    const unsigned below = depth > 0 ? depth - 1 : 0;
    if (!random_one_in(random, 3) && random_write_variable(random, type)) {
        return;
    }
    if (type->kind == FX_CEL_TYPE_LIST) {
        random_write_list(random, type->params[0], below);
    } else if (type->kind == FX_CEL_TYPE_MAP) {
        random_write_map(random, type, below);
    } else if (type->kind == FX_CEL_TYPE_OPTIONAL) {
        fx_buf_str(random->out, "optional.of(");
        random_write(random, type->params[0], below);
        fx_buf_char(random->out, ')');
    } else if (type->kind == FX_CEL_TYPE_DYN) {
        fx_buf_str(random->out, "dyn(");
        random_write(random, random_type(random, depth > 1), below);
        fx_buf_char(random->out, ')');
    } else if (type->kind == FX_CEL_TYPE_OPAQUE) {
        fx_buf_str(random->out, random_opaques[random_opaque(random, type)].text);
    } else {
        random_write_scalar(random, type->kind);
    }
}

#endif
