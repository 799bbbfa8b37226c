/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/gotemplate.c - the public functions: compile and execute.
 */
#include "location/gotemplate/gotemplate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "location/gotemplate/exec.h"
#include "location/gotemplate/parser.h"

#define SMALL_RUN_BYTES 8192 /* an execution that needs no more does not allocate */
#define NAMED_BYTES     200  /* the most bytes of source text in a message */

/* ---- compiling ------------------------------------------------------------------- */

static bool check_text(struct fx_text text, struct fx_err *err) {
    if (text.len > FX_LIMIT_TEMPLATE_SOURCE_BYTES) {
        return fx_fail(err, FX_ELIMIT, "template is longer than %u bytes",
                       FX_LIMIT_TEMPLATE_SOURCE_BYTES);
    }
    return fx_text_is_utf8(text) ||
           fx_fail(err, FX_ESYNTAX, "template is not valid UTF-8");
}

static bool copy_text(struct fx_gotemplate *template, struct fx_text text,
                      struct fx_text *ret_copy) {
    char *copy = fx_arena_copy(&template->arena, text);
    *ret_copy = (struct fx_text){copy, text.len};
    return copy != NULL;
}

bool fx_gotemplate_compile(struct fx_text name, struct fx_text text,
                           const struct fx_gotemplate_library *functions,
                           struct fx_gotemplate **ret_template, struct fx_err *err) {
    if (!check_text(text, err)) {
        return false;
    }
    struct fx_gotemplate *template = calloc(1, sizeof *template);
    if (template == NULL) {
        return fx_fail_nomem(err);
    }
    fx_arena_init(&template->arena, FX_LIMIT_TEMPLATE_BYTES);
    const bool copied = copy_text(template, name, &template->name) &&
                        copy_text(template, text, &template->source);
    if (!fx_spend(text.len)) {
        fx_gotemplate_destroy(template);
        return fx_fail_exceeded(err);
    }
    if (!copied || !program_parse(template, functions, err)) {
        fx_gotemplate_destroy(template);
        return copied ? false : fx_fail_nomem(err);
    }
    *ret_template = template;
    return true;
}

void fx_gotemplate_destroy(struct fx_gotemplate *template) {
    if (template == NULL) {
        return;
    }
    fx_arena_finish(&template->arena);
    free(template);
}

/* ---- executing ------------------------------------------------------------------- */

static bool make_context(struct template_run *run,
                         const struct fx_gotemplate_context *from,
                         struct value *ret_value) {
    struct context *context = run_alloc(run, sizeof *context);
    struct context_field *fields =
        context == NULL ? NULL : run_alloc(run, from->n_fields * sizeof *fields);
    if (fields == NULL) {
        return false;
    }
    for (size_t i = 0; i < from->n_fields; i++) {
        const struct fx_gotemplate_field *field = &from->fields[i];
        fields[i] = (struct context_field){field->name, value_nil()};
        if (field->value != NULL &&
            !value_of_json(run, field->value, field->integers, &fields[i].value)) {
            return false;
        }
    }
    *context = (struct context){from->n_fields, fields};
    *ret_value = (struct value){.kind = VALUE_STRUCT, .context = context};
    return true;
}

struct position {
    size_t line, column; /* line from 1, column from 0, as in Go */
};

static struct position position_of(struct fx_text source, size_t off) {
    struct position position = {1, off};
    for (size_t i = 0; i < off; i++) {
        if (source.data[i] == '\n') {
            position = (struct position){position.line + 1, off - i - 1};
        }
    }
    return position;
}

/* Prefixes the message: `template: name:1:3: executing "name" at <.x>: `. */
static void name_place(const struct exec *exec, struct fx_err *err) {
    const struct fx_text source = exec->program->source;
    const struct position position = position_of(source, exec->at.off);
    const char *text = source.data + exec->at.off;
    const size_t len = exec->at.len <= NAMED_BYTES
                           ? exec->at.len
                           : fx_text_rune_floor(text, NAMED_BYTES);
    const bool is_call = fx_text_starts((struct fx_text){text, len}, FX_TEXT("template"));
    err->off = exec->at.off;
    err->len = exec->at.len;
    (void)fx_err_prefix(err, "template: %.*s:%zu:%zu: executing \"%.*s\" at <%s%.*s%s>: ",
                        FX_TEXT_ARG(exec->program->name), position.line, position.column,
                        FX_TEXT_ARG(exec->definition->name), is_call ? "{{" : "",
                        (int)len, text, is_call ? "}}" : "");
}

/* Truncates the buffer to `len` bytes, and restores its failure. */
static void cut_output(struct fx_buf *buf, size_t len, bool failed) {
    buf->len = len;
    buf->failed = failed;
    if (buf->data != NULL) {
        buf->data[len] = '\0';
    }
}

static bool run_program(struct exec *exec, const struct fx_gotemplate_context *context) {
    struct value root = {0};
    return make_context(&exec->run, context, &root) && exec_program(exec, &root);
}

bool fx_gotemplate_execute(const struct fx_gotemplate *template,
                           const struct fx_gotemplate_context *context,
                           struct fx_buf *ret_text, struct fx_err *err) {
    union {
        max_align_t align;
        char bytes[SMALL_RUN_BYTES];
    } small;
    struct exec exec = {
        .program = template,
        .definition = template->root,
        .output = ret_text,
    };
    run_init(&exec.run, &small, sizeof small, err);
    const size_t len = ret_text->len;
    const size_t max = ret_text->max;
    const bool failed = ret_text->failed;
    if (max == 0 || max > len + FX_LIMIT_TEMPLATE_OUTPUT_BYTES) {
        ret_text->max = len + FX_LIMIT_TEMPLATE_OUTPUT_BYTES;
    }
    const bool ok = run_program(&exec, context);
    ret_text->max = max;
    if (!ok) {
        cut_output(ret_text, len, failed);
        if (err->code != FX_ENOMEM && err->code != FX_EDEADLINE) {
            name_place(&exec, err);
        }
    }
    run_finish(&exec.run);
    return ok;
}
