/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/compilations.c - what it costs to compile a CEL expression, valid or not:
 * long, deep, of many calls, of many faults.
 */
#include "meter.h"

#include <stdio.h>

#include "base/limits.h"
#include "location/cel_library/library.h"

/* The text before all, the text that is repeated, and the text after all. */
static const struct {
    const char *name, *before, *middle, *behind;
} shapes[] = {
    {"list", "[1", ",1", "]"},
    {"list of texts", "['a'", ",'b'", "]"},
    {"list of mixed types", "[1", ",'b'", "]"},
    {"map", "{'a':1", ",'b':2", "}"},
    {"object", "Object{a:1", ",b:2", "}"},
    {"sum", "object.n", "+object.n", ""},
    {"sum of constants", "1", "+1", ""},
    {"concatenated constants", "'a'", "+'a'", ""},
    {"conjunction", "object.n", "&&object.n", ""},
    {"comparisons", "1<2", "==(1<2)", ""},
    {"conditions", "true", "?1:true", "?1:2"},
    {"negations", "", "!", "true"},
    {"minuses", "", "-", "object.n"},
    {"parentheses", "", "(", "1"},
    {"lists in lists", "", "[", "1"},
    {"fields", "object", ".a", ""},
    {"optional fields", "object", ".?a", ""},
    {"indexes", "object", "[0]", ""},
    {"methods", "'a'", ".trim()", ""},
    {"calls", "", "int(", "1"},
    {"comprehensions", "[1]", ".map(x,x)", ""},
    {"nested comprehensions", "", "[1].map(x,", "1"},
    {"constant patterns", "true", "&&'a'.matches('a+b')", ""},
    {"constant formats", "true", "&&'%s'.format(['a'])=='b'", ""},
    {"constant membership", "object.n in [1", ",2", "]"},
    {"one long text", "'", "ab\\n", "'"},
    {"one long name", "object.", "a", ""},
    {"one long number", "1", "0", ""},
    {"invalid characters", "", "#", ""},
    {"missing operators", "a", " b", ""},
    {"unknown names", "a", "+b", ""},
    {"unknown functions", "f(1)", "+f(1)", ""},
    {"wrong types", "1+'a'", "+(1+'a')", ""},
    {"lines", "1", "\n+1", ""},
    {"lines with faults", "a", "\n+b", ""},
};

static bool describe(size_t index, struct meter_case *ret_case) {
    if (index >= FX_COUNT(shapes)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "compile: %s",
                   shapes[index].name);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "one expression");
    return true;
}

static void write_text(size_t index, size_t size, struct fx_buf *buf) {
    const struct fx_text middle = fx_text_of(shapes[index].middle);
    fx_buf_str(buf, shapes[index].before);
    while (buf->len < size && !buf->failed) {
        fx_buf_text(buf, middle);
    }
    fx_buf_str(buf, shapes[index].behind);
}

/* With the message, which has a line for each fault. */
static bool compile(struct fx_text text, struct fx_arena *arena, struct fx_buf *message) {
    static const struct fx_cel_variable object = {"object", &fx_cel_dyn};
    static const struct fx_cel_env env = {.variables = &object,
                                          .n_variables = 1,
                                          .libraries = fx_cel_mutation_libraries,
                                          .has_objects = true};
    struct fx_cel_program *program = NULL;
    struct fx_cel_faults faults = {.arena = arena};
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_cel_compile(&env, text, NULL, &program, &faults, &stage, &err);
    if (!ok) {
        fx_cel_faults_print(&faults, text, message);
    }
    fx_cel_destroy(program);
    return ok;
}

static void run(size_t index, size_t size) {
    struct fx_arena arena;
    struct fx_buf text;
    struct fx_buf message;
    fx_buf_init(&text, 0);
    fx_buf_init(&message, 0);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    write_text(index, size, &text);
    meter_start();
    meter_stop(compile(fx_buf_view(&text), &arena, &message));
    fx_arena_finish(&arena);
    fx_buf_finish(&message);
    fx_buf_finish(&text);
}

const struct meter_set meter_compilations = {"compilations", describe, run};
