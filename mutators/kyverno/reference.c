/* SPDX-License-Identifier: Apache-2.0
 *
 * reference.c - finds references, and follows them.
 */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "base/budget.h"
#include "base/limits.h"
#include "value/tree.h"

/* The most steps of a path in a rule. */
#define MOST_STEPS (FX_LIMIT_JSON_DEPTH + 1)

/* The end of the reference that begins at `at`; 0: there is none. It goes up to the last
 * closing parenthesis before a blank, and has at least one character in it. */
static size_t skip_reference(struct fx_text text, size_t at) {
    size_t end = 0;
    if (at + 3 >= text.len || text.data[at] != '$' || text.data[at + 1] != '(') {
        return 0;
    }
    for (size_t i = at + 3; i < text.len && text.data[i] != ' '; i++) {
        if (text.data[i] == ')') {
            end = i + 1;
        }
    }
    return end;
}

/* ---- paths in the rule
 * ----------------------------------------------------------------- */

struct path_steps {
    struct fx_text steps[MOST_STEPS];
    char numbers[MOST_STEPS][8]; /* of the elements of lists */
    size_t n;
};

static bool push(struct path_steps *steps, struct fx_text step) {
    if (step.len == 0 || fx_text_is(step, ".")) {
        return true;
    }
    if (fx_text_is(step, "..")) {
        steps->n -= steps->n > 0 ? 1 : 0;
        return true;
    }
    if (steps->n == MOST_STEPS) {
        return false;
    }
    steps->steps[steps->n++] = step;
    return true;
}

/* Pushes the steps of the place of a text. */
static bool push_place(struct path_steps *steps, const struct kyverno_path *path) {
    if (path == NULL) {
        return true;
    }
    if (!push_place(steps, path->above) || steps->n == MOST_STEPS) {
        return false;
    }
    struct fx_text step = path->key;
    if (step.data == NULL) {
        char *number = steps->numbers[steps->n];
        const int len = snprintf(number, sizeof *steps->numbers, "%zu", path->index);
        step = (struct fx_text){number, len < 0 ? 0 : (size_t)len};
    }
    steps->steps[steps->n++] = step;
    return true;
}

/* The member of a map by its name without the mark of an anchor. */
static const json_t *find_member(const json_t *map, struct fx_text name) {
    for (void *iter = fx_node_first(map); iter != NULL; iter = fx_node_next(map, iter)) {
        if (!fx_spend(1) || fx_text_equal(fx_kyverno_key(fx_node_key(iter)).name, name)) {
            return json_object_iter_value(iter);
        }
    }
    return NULL;
}

static const json_t *follow(const json_t *document, const struct path_steps *steps) {
    const json_t *node = document;
    for (size_t i = 0; node != NULL && i < steps->n; i++) {
        const struct fx_text step = fx_kyverno_key(steps->steps[i]).name;
        int index;
        struct fx_text rest = step;
        if (!json_is_array(node)) {
            node = find_member(node, step);
        } else {
            node = fx_text_take_number(&rest, 1, 6, &index) && rest.len == 0
                       ? json_array_get(node, (size_t)index)
                       : NULL;
        }
    }
    return node;
}

/* ---- replacing
 * ------------------------------------------------------------------------- */

/* Removes a comparison from the start of a reference: `$(<=./../limit)`. */
static struct fx_text take_operator(struct fx_text *reference) {
    size_t len = 0;
    while (len < 2 && len < reference->len &&
           strchr("<>=!&|", reference->data[len]) != NULL) {
        len++;
    }
    const struct fx_text operator_ = {reference->data, len};
    *reference = fx_text_rest(*reference, len);
    return operator_;
}

/* Follows a reference: *ret_value is NULL if it leads nowhere. False without memory. */
static bool find_value(const struct kyverno_template_compile *with,
                       struct fx_text reference, const struct kyverno_path *path,
                       const json_t **ret_value, struct fx_err *err) {
    struct path_steps *steps = calloc(1, sizeof *steps);
    if (steps == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = fx_text_first(reference) != '.' || push_place(steps, path);
    while (ok && reference.len > 0) {
        ok = push(steps, fx_text_cut(&reference, '/'));
    }
    *ret_value = ok ? follow(with->document, steps) : NULL;
    free(steps);
    return true;
}

static bool add_value(const struct kyverno_template_compile *with, struct fx_text whole,
                      const struct kyverno_path *path, struct fx_buf *buf,
                      struct fx_err *err) {
    struct fx_text reference = {whole.data + 2, whole.len - 3};
    const struct fx_text operator_ = take_operator(&reference);
    const json_t *value = NULL;
    if (!find_value(with, reference, path, &value, err)) {
        return false;
    }
    if (json_is_string(value)) {
        fx_buf_text(buf, operator_);
        fx_buf_text(buf, fx_tree_text(value));
        return true;
    }
    return fx_fail(err, FX_EMUTATE, "the reference %.*s leads to no text of the rule",
                   FX_TEXT_ARG(whole));
}

static bool add_all(const struct kyverno_template_compile *with, struct fx_text text,
                    const struct kyverno_path *path, struct fx_buf *buf,
                    struct fx_err *err) {
    size_t at = 0;
    while (at < text.len) {
        const bool is_escaped = text.data[at] == '\\' && at + 2 < text.len &&
                                text.data[at + 1] == '$' && text.data[at + 2] == '(';
        const size_t end = is_escaped ? 0 : skip_reference(text, at);
        if (is_escaped) {
            fx_buf_str(buf, "$(");
            at += 3;
        } else if (end > 0) {
            const struct fx_text whole = {text.data + at, end - at};
            if (!add_value(with, whole, path, buf, err)) {
                return false;
            }
            at = end;
        } else {
            fx_buf_char(buf, text.data[at++]);
        }
    }
    return true;
}

bool fx_kyverno_resolve_references(const struct kyverno_template_compile *with,
                                   struct fx_text text, const struct kyverno_path *path,
                                   struct fx_text *ret_text, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_JMESPATH_TEXT_BYTES);
    bool ok = add_all(with, text, path, &buf, err);
    if (ok) {
        const char *copy =
            buf.failed ? NULL : fx_arena_copy(with->arena, fx_buf_view(&buf));
        ok = copy != NULL || fx_fail_nomem(err);
        if (ok) {
            *ret_text = (struct fx_text){copy, buf.len};
        }
    }
    fx_buf_finish(&buf);
    return ok;
}
