/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/testing.h - what the tests of this room share: tables of
 * expressions, with the printed value and the cost of each.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_TESTING_H
#define FX_LOCATION_CEL_LIBRARY_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "location/cel/functions.h"
#include "location/cel_library/library.h"
#include "value/number.h"

/* An expression and its value: a string as it is, an error as "! message". */
struct library_case {
    const char *expression, *expect;
    uint64_t cost; /* 0: not checked */
};

static inline void print_value(struct fx_buf *buf, struct fx_cel_value value);

static inline void print_list(struct fx_buf *buf, struct fx_cel_value list) {
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < fx_cel_list_size(list); i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        print_value(buf, fx_cel_list_at(list, i));
    }
    fx_buf_char(buf, ']');
}

static inline void print_map(struct fx_buf *buf, struct fx_cel_value map) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    fx_cel_map_walk_start(&walk, map);
    fx_buf_char(buf, '{');
    for (size_t i = 0; fx_cel_map_walk_next(&walk, &entry); i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        print_value(buf, entry.key);
        fx_buf_str(buf, ": ");
        print_value(buf, entry.value);
    }
    fx_buf_char(buf, '}');
}

static inline void print_double(struct fx_buf *buf, double real) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(buf, text, fx_number_print_go(real, false, text));
}

static inline void print_value(struct fx_buf *buf, struct fx_cel_value value) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_ERROR: fx_buf_printf(buf, "! %s", value.error); break;
    case FX_CEL_BOOL: fx_buf_str(buf, value.boolean ? "true" : "false"); break;
    case FX_CEL_INT: fx_buf_integer(buf, value.integer); break;
    case FX_CEL_DOUBLE: print_double(buf, value.real); break;
    case FX_CEL_STRING: fx_buf_text(buf, value.text); break;
    case FX_CEL_LIST: print_list(buf, value); break;
    case FX_CEL_MAP: print_map(buf, value); break;
    case FX_CEL_OPAQUE: value.opaque.ops->print(value.opaque.data, buf); break;
    case FX_CEL_OPTIONAL:
        fx_buf_str(buf, "optional ");
        if (value.inner != NULL) {
            print_value(buf, *value.inner);
        }
        break;
    case FX_CEL_UINT:
        fx_buf_number(buf, value.uinteger);
        fx_buf_char(buf, 'u');
        break;
    case FX_CEL_DURATION: fx_cel_print_duration(buf, value.duration); break;
    case FX_CEL_TIMESTAMP: fx_cel_print_timestamp(buf, value); break;
    case FX_CEL_UNSET:
    case FX_CEL_NULL:
    case FX_CEL_BYTES:
    case FX_CEL_TYPE:
    case FX_CEL_STRUCT: fx_buf_str(buf, fx_cel_type_name(value)); break;
    }
}

static inline struct fx_cel_program *compile(const struct fx_cel_env *env,
                                             const char *expression) {
    struct fx_cel_program *program = NULL;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    fx_arena_init(&arena, (size_t)1 << 20);
    struct fx_cel_faults faults = {.arena = &arena};
    if (!fx_cel_compile(env, fx_text_of(expression), NULL, &program, &faults, &stage,
                        &err)) {
        fail_msg("%s: %s", expression, faults.n > 0 ? faults.items[0].message : err.msg);
    }
    fx_arena_finish(&arena);
    return program;
}

static inline void check_value(const struct library_case *row,
                               struct fx_cel_value value) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "");
    print_value(&buf, value);
    if (strcmp(buf.data, row->expect) != 0) {
        fail_msg("%s: expected %s, got %s", row->expression, row->expect, buf.data);
    }
    fx_buf_finish(&buf);
}

/* Evaluates with an arena of more and more memory, until there is enough: then the value
 * is right. */
static inline void check_memory(const struct fx_cel_program *program,
                                const struct fx_cel_run *like,
                                const struct library_case *row) {
    bool failed = true;
    for (size_t max = 0; failed; max += 24) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        struct fx_cel_run run = *like;
        fx_arena_init(&arena, max);
        run.arena = &arena;
        const struct fx_cel_value value = fx_cel_eval(program, &run, &err);
        failed = fx_cel_is_error(value) && (value.flags & FX_CEL_FATAL) != 0 &&
                 err.code == FX_ENOMEM;
        if (!failed) {
            check_value(row, value);
        }
        fx_arena_finish(&arena);
    }
}

/* Checks a case with these variables. */
static inline void check_case(const struct fx_cel_env *env, struct fx_cel_value *values,
                              const struct library_case *row) {
    struct fx_cel_program *program = compile(env, row->expression);
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, (size_t)1 << 20);
    struct fx_cel_run run = {
        .arena = &arena, .variables = values, .cost_limit = FX_CEL_COST_LIMIT};
    const struct fx_cel_run like = run;
    check_value(row, fx_cel_eval(program, &run, &err));
    if (row->cost != 0 && run.cost != row->cost) {
        fail_msg("%s: expected cost %llu, got %llu", row->expression,
                 (unsigned long long)row->cost, (unsigned long long)run.cost);
    }
    check_memory(program, &like, row);
    fx_arena_finish(&arena);
    fx_cel_destroy(program);
}

/* Checks a table of expressions without variables, with these libraries. */
static inline void check_cases_with(const struct fx_cel_overload *const *libraries,
                                    const struct library_case *cases, size_t n) {
    const struct fx_cel_env env = {.libraries = libraries};
    for (size_t i = 0; i < n; i++) {
        check_case(&env, NULL, &cases[i]);
    }
}

static inline void check_cases(const struct library_case *cases, size_t n) {
    check_cases_with(fx_cel_mutation_libraries, cases, n);
}

#endif
