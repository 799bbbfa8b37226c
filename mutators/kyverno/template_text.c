/* SPDX-License-Identifier: Apache-2.0
 *
 * template_text.c - replaces the variables of a text, in rounds: the first one is
 * compiled; text that a value brings is read again in further rounds.
 */
#include "template_text.h"

#include <ctype.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "reference.h"
#include "value/json.h"
#include "value/tree.h"
#include "variable.h"

/* A variable of the first round, and the text before it. */
struct text_part {
    struct fx_text before;
    struct fx_text expression; /* as written */
    struct fx_jmespath *query; /* NULL: it does not compile; `fault` says why */
    char *fault;
    bool is_shallow;
};

struct kyverno_text {
    struct fx_text text; /* all of it */
    bool is_whole;       /* one variable and nothing else */
    struct text_part *parts;
    size_t n_parts;
    struct fx_text after; /* the last variable */
};

/* ---- {{@}}
 * ----------------------------------------------------------------------------- */

static bool is_name(struct fx_text key) {
    bool ok = key.len > 0 && isdigit((unsigned char)key.data[0]) == 0;
    for (size_t i = 0; ok && i < key.len; i++) {
        ok = isalnum((unsigned char)key.data[i]) != 0 || key.data[i] == '_';
    }
    return ok;
}

static void add_step(struct fx_buf *buf, const struct kyverno_path *step) {
    if (step->key.data == NULL) {
        fx_buf_printf(buf, "[%zu]", step->index);
    } else if (is_name(step->key)) {
        fx_buf_char(buf, '.');
        fx_buf_text(buf, step->key);
    } else {
        fx_buf_char(buf, '.');
        fx_json_write_string(buf, step->key, 0);
    }
}

/* Appends the steps of a path below the patch: after the last `foreach`, two steps are
 * left out (the number of the entry and the name of the patch), without one the first
 * two (`mutate` and the name of the patch). Returns how many steps are left out below the
 * one that was looked at last. */
static size_t add_place(struct fx_buf *buf, const struct kyverno_path *path) {
    if (path == NULL) {
        return 2;
    }
    size_t left_out = add_place(buf, path->above);
    if (fx_text_is(path->key, "foreach") && path->key.data != NULL && left_out > 0) {
        return 2;
    }
    if (left_out > 0) {
        return left_out - 1;
    }
    add_step(buf, path);
    return 0;
}

/* The expression for `{{@}}`: the value at this place in the object. */
static char *place_expression(const struct kyverno_template_compile *with,
                              const struct kyverno_path *path) {
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_JMESPATH_BYTES);
    fx_buf_str(&buf, with->has_target ? "target" : "request.object");
    (void)add_place(&buf, path);
    char *copy = buf.failed ? NULL : fx_arena_copy(with->arena, fx_buf_view(&buf));
    fx_buf_finish(&buf);
    return copy;
}

/* ---- compiling
 * ------------------------------------------------------------------------- */

/* Remembers why a part cannot be evaluated. */
static bool keep_fault(const struct kyverno_template_compile *with,
                       struct text_part *part, const struct fx_err *fault) {
    if (fault->code == FX_ENOMEM || fault->code == FX_EDEADLINE) {
        *with->err = *fault;
        return false;
    }
    part->fault = fx_arena_copy(with->arena, fx_text_of(fault->msg));
    return part->fault != NULL || fx_fail_nomem(with->err);
}

static size_t count_variables(struct fx_text text) {
    struct kyverno_variable variable = {.end = 0};
    size_t n = 0;
    while (fx_kyverno_find_variable(text, variable.end, &variable)) {
        n++;
    }
    return n;
}

static bool compile_part(const struct kyverno_template_compile *with,
                         const struct kyverno_variable *variable,
                         const struct kyverno_path *path, struct text_part *ret) {
    struct fx_text expression = variable->expression;
    if (fx_text_is(expression, "@")) {
        const char *place = place_expression(with, path);
        if (place == NULL) {
            return fx_fail_nomem(with->err);
        }
        expression = fx_text_of(place);
    }
    ret->expression = expression;
    ret->is_shallow = variable->is_shallow;
    struct fx_err fault = FX_ERR_INIT;
    return fx_jmespath_compile(expression, &ret->query, &fault) ||
           keep_fault(with, ret, &fault);
}

static bool compile_parts(const struct kyverno_template_compile *with,
                          const struct kyverno_path *path, struct kyverno_text *made) {
    const struct fx_text text = made->text;
    struct kyverno_variable variable = {.end = 0};
    size_t end = 0;
    while (fx_kyverno_find_variable(text, variable.end, &variable)) {
        struct text_part *part = &made->parts[made->n_parts];
        part->before = (struct fx_text){text.data + end, variable.start - end};
        made->n_parts++;
        if (!compile_part(with, &variable, path, part)) {
            return false;
        }
        end = variable.end;
    }
    made->after = fx_text_rest(text, end);
    made->is_whole =
        made->n_parts == 1 && made->parts[0].before.len == 0 && made->after.len == 0;
    return true;
}

/* Makes the text, which is in the arena, with room for its parts. */
static struct kyverno_text *create_text(const struct kyverno_template_compile *with,
                                        struct fx_text text) {
    const size_t n = count_variables(text) + 1;
    struct kyverno_text *made = fx_arena_alloc(with->arena, sizeof *made);
    struct text_part *parts = fx_arena_alloc(with->arena, n * sizeof *parts);
    if (made == NULL || parts == NULL) {
        (void)fx_fail_nomem(with->err);
        return NULL;
    }
    memset(parts, 0, n * sizeof *parts);
    *made = (struct kyverno_text){.text = text, .parts = parts};
    return made;
}

/* A text that always fails, since a reference in it leads nowhere. */
static bool create_fault(const struct kyverno_template_compile *with, struct fx_text text,
                         const struct fx_err *fault, struct kyverno_text **ret_text) {
    struct kyverno_text *made = create_text(with, (struct fx_text){text.data, 0});
    if (made == NULL) {
        return false;
    }
    made->n_parts = 1;
    made->parts[0].expression = text;
    *ret_text = made;
    return keep_fault(with, &made->parts[0], fault);
}

bool fx_kyverno_text_compile(const struct kyverno_template_compile *with,
                             struct fx_text text, const struct kyverno_path *path,
                             struct kyverno_text **ret_text) {
    *ret_text = NULL;
    const bool has_references = fx_text_contains(text, FX_TEXT("$("));
    if (!has_references && !fx_text_contains(text, FX_TEXT("{{"))) {
        return true;
    }
    struct fx_err fault = FX_ERR_INIT;
    struct fx_text resolved = {fx_arena_copy(with->arena, text), text.len};
    if (resolved.data == NULL) {
        return fx_fail_nomem(with->err);
    }
    if (has_references &&
        !fx_kyverno_resolve_references(with, text, path, &resolved, &fault)) {
        return create_fault(with, resolved, &fault, ret_text);
    }
    struct kyverno_text *made = create_text(with, resolved);
    if (made == NULL || !compile_parts(with, path, made)) {
        fx_kyverno_text_finish(made);
        return false;
    }
    *ret_text = made;
    return true;
}

void fx_kyverno_text_finish(struct kyverno_text *text) {
    for (size_t i = 0; text != NULL && i < text->n_parts; i++) {
        fx_jmespath_destroy(text->parts[i].query);
    }
}

bool fx_kyverno_text_visit(const struct kyverno_text *text,
                           bool (*visit)(void *context, const struct fx_jmespath *query),
                           void *context) {
    bool ok = true;
    for (size_t i = 0; ok && i < text->n_parts; i++) {
        ok = text->parts[i].query == NULL || visit(context, text->parts[i].query);
    }
    return ok;
}

/* ---- evaluating
 * ------------------------------------------------------------------------ */

/* Fails with the words of the original. Errors that are no fault of the policy stay. */
static bool fail_variable(struct fx_text expression, const struct kyverno_path *path,
                          const char *why, struct fx_err *err) {
    struct fx_buf message;
    fx_buf_init(&message, FX_ERR_TEXT);
    fx_buf_printf(&message, "failed to resolve %.*s at path ", FX_TEXT_ARG(expression));
    fx_kyverno_path_print(&message, path);
    fx_buf_printf(&message, ": %s", why);
    const bool failed = fx_buf_fail(&message, err, FX_EMUTATE);
    return failed;
}

static bool search(const struct fx_jmespath *query, const struct kyverno_path *path,
                   const struct fx_jmespath_scope *scope, json_t **ret_value,
                   struct fx_err *err) {
    struct fx_err fault = FX_ERR_INIT;
    if (fx_jmespath_search(query, NULL, scope, ret_value, &fault) == FX_JMESPATH_VALUE) {
        return true;
    }
    if (fault.code != FX_EINVALID && fault.code != FX_EMUTATE) {
        *err = fault;
        return false;
    }
    struct fx_buf why;
    fx_buf_init(&why, FX_ERR_TEXT);
    /* Other errors than those of the query are from the scope. */
    fx_buf_printf(&why, "%s%s",
                  fault.code == FX_EINVALID ? "JMESPath query failed: " : "", fault.msg);
    fx_buf_char(&why, '\0');
    const bool ok =
        !why.failed && fail_variable(fx_jmespath_text(query), path, why.data, err);
    const bool failed = why.failed;
    fx_buf_finish(&why);
    return failed ? fx_fail_nomem(err) : ok;
}

static bool eval_part(const struct text_part *part, const struct kyverno_path *path,
                      const struct fx_jmespath_scope *scope, json_t **ret_value,
                      struct fx_err *err) {
    *ret_value = NULL;
    return part->query == NULL ? fail_variable(part->expression, path, part->fault, err)
                               : search(part->query, path, scope, ret_value, err);
}

/* A text under replacement. */
struct text_round {
    struct fx_buf buf;
    bool ends_shallow; /* the last variable was shallow: no further round */
};

/* Appends a text in which no variable is to be found. */
static void add_escaped(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '{' && i + 1 < text.len && text.data[i + 1] == '{' &&
            (i == 0 || text.data[i - 1] != '{')) {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, text.data[i]);
    }
}

/* Appends a value: a string as it is, everything else as JSON. */
static bool splice_take(struct text_round *round, bool is_shallow, json_t *value) {
    round->ends_shallow = is_shallow;
    if (!json_is_string(value)) {
        fx_json_write(&round->buf, value, FX_JSON_SORT_KEYS);
    } else if (is_shallow) {
        add_escaped(&round->buf, fx_tree_text(value));
    } else {
        fx_buf_text(&round->buf, fx_tree_text(value));
    }
    json_decref(value);
    return !round->buf.failed && fx_spend_text(round->buf.len);
}

static bool fail_round(const struct text_round *round, struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
           : round->buf.len < FX_LIMIT_JMESPATH_TEXT_BYTES / 2
               ? fx_fail_nomem(err)
               : fx_fail(err, FX_ELIMIT, "a text with variables is longer than %u bytes",
                         FX_LIMIT_JMESPATH_TEXT_BYTES);
}

static bool eval_first_round(const struct kyverno_text *text,
                             const struct kyverno_path *path,
                             const struct fx_jmespath_scope *scope,
                             struct text_round *round, struct fx_err *err) {
    for (size_t i = 0; i < text->n_parts; i++) {
        const struct text_part *part = &text->parts[i];
        json_t *value;
        fx_buf_text(&round->buf, part->before);
        if (!eval_part(part, path, scope, &value, err)) {
            return false;
        }
        if (!splice_take(round, part->is_shallow, value)) {
            return fail_round(round, err);
        }
    }
    fx_buf_text(&round->buf, text->after);
    return !round->buf.failed || fail_round(round, err);
}

/* Compiles and evaluates a text that a value brought. It is compiled for this round
 * only. */
static bool eval_again(struct fx_text text, const struct kyverno_path *path,
                       const struct fx_jmespath_scope *scope, unsigned rounds,
                       json_t **ret_value, struct fx_err *err);

static bool give_text(struct fx_text text, json_t **ret_value, struct fx_err *err) {
    struct fx_buf plain;
    fx_buf_init(&plain, FX_LIMIT_JMESPATH_TEXT_BYTES);
    fx_kyverno_unescape(&plain, text);
    *ret_value = plain.failed ? NULL : fx_tree_new_string(fx_buf_view(&plain));
    fx_buf_finish(&plain);
    return *ret_value != NULL || fx_fail_nomem(err);
}

static bool eval_rounds(const struct kyverno_text *text, const struct kyverno_path *path,
                        const struct fx_jmespath_scope *scope, unsigned rounds,
                        json_t **ret_value, struct fx_err *err) {
    if (text->is_whole) {
        return eval_part(&text->parts[0], path, scope, ret_value, err);
    }
    struct text_round round = {.ends_shallow = false};
    struct kyverno_variable variable;
    fx_buf_init(&round.buf, FX_LIMIT_JMESPATH_TEXT_BYTES);
    bool ok = eval_first_round(text, path, scope, &round, err);
    if (ok && !round.ends_shallow &&
        fx_kyverno_find_variable(fx_buf_view(&round.buf), 0, &variable)) {
        ok = eval_again(fx_buf_view(&round.buf), path, scope, rounds + 1, ret_value, err);
    } else if (ok) {
        ok = give_text(fx_buf_view(&round.buf), ret_value, err);
    }
    fx_buf_finish(&round.buf);
    return ok;
}

static bool eval_again(struct fx_text text, const struct kyverno_path *path,
                       const struct fx_jmespath_scope *scope, unsigned rounds,
                       json_t **ret_value, struct fx_err *err) {
    if (rounds > FX_LIMIT_VARIABLE_ROUNDS) {
        return fx_fail(err, FX_ELIMIT, "variables bring variables more than %u times",
                       FX_LIMIT_VARIABLE_ROUNDS);
    }
    struct fx_arena arena;
    struct kyverno_text *compiled;
    fx_arena_init(&arena, FX_LIMIT_JMESPATH_MEMORY);
    const struct kyverno_template_compile with = {.arena = &arena, .err = err};
    compiled = create_text(&with, text);
    const bool ok = compiled != NULL && compile_parts(&with, path, compiled) &&
                    eval_rounds(compiled, path, scope, rounds, ret_value, err);
    fx_kyverno_text_finish(compiled);
    fx_arena_finish(&arena);
    return ok;
}

bool fx_kyverno_text_eval(const struct kyverno_text *text,
                          const struct kyverno_path *path,
                          const struct fx_jmespath_scope *scope, json_t **ret_value,
                          struct fx_err *err) {
    *ret_value = NULL;
    return eval_rounds(text, path, scope, 1, ret_value, err);
}
