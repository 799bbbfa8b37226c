/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/steps.c - splits and decodes paths.
 */
#include "mutators/kubemod/steps.h"
#include "mutators/kubemod/limits.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 9u /* digits of the largest index */

void fx_steps_finish(struct steps *steps) {
    free(steps->items);
    free(steps->bytes);
    *steps = (struct steps){0};
}

/* Reads a number as Go's Atoi does. A number that is too large for any list is not an
 * index. */
static void read_number(struct step *step) {
    const struct fx_text text = step->text;
    const bool is_signed = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    const size_t first = is_signed ? 1 : 0;
    if (text.len == first || text.len > first + MOST_DIGITS) {
        return;
    }
    long long number = 0;
    for (size_t i = first; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return;
        }
        number = number * 10 + (text.data[i] - '0');
    }
    step->is_number = true;
    step->number = is_signed && text.data[0] == '-' ? -number : number;
}

/* Decodes in place. ~1 is decoded before ~0, so that ~01 becomes ~1. */
static size_t decode_step(char *bytes, size_t len) {
    size_t to = 0;
    for (size_t i = 0; i < len; i++) {
        const bool is_code = bytes[i] == '~' && i + 1 < len;
        if (is_code && bytes[i + 1] == '1') {
            bytes[to++] = '/';
            i++;
        } else { /* ~0: keep the tilde, skip the 0 */
            bytes[to++] = bytes[i];
            i += is_code && bytes[i + 1] == '0' ? 1 : 0;
        }
    }
    return to;
}

static size_t count_steps(struct fx_text path) {
    size_t n = 0;
    for (size_t i = 0; i < path.len; i++) {
        n += path.data[i] == '/' ? 1 : 0;
    }
    return n;
}

/* Splits the path. Each step begins after a slash and ends before the next one. */
static void split_path(struct steps *steps, struct fx_text path) {
    const char *slash = memchr(path.data, '/', path.len);
    size_t at = slash == NULL ? path.len : (size_t)(slash - path.data);
    while (at < path.len) {
        const size_t start = ++at;
        while (at < path.len && path.data[at] != '/') {
            at++;
        }
        char *bytes = steps->bytes + start;
        struct step *step = &steps->items[steps->n_items++];
        *step = (struct step){.text = {bytes, decode_step(bytes, at - start)}};
        read_number(step);
    }
}

bool fx_steps_read(struct fx_text path, struct steps *ret_steps, struct fx_err *err) {
    const size_t n = count_steps(path);
    *ret_steps = (struct steps){0};
    if (n > FX_LIMIT_MODRULE_STEPS) {
        return fx_fail(err, FX_ELIMIT, "a path of more than %u steps",
                       FX_LIMIT_MODRULE_STEPS);
    }
    if (n == 0) {
        return true;
    }
    ret_steps->items = calloc(n, sizeof *ret_steps->items);
    ret_steps->bytes = malloc(path.len);
    if (ret_steps->items == NULL || ret_steps->bytes == NULL) {
        return fx_fail_nomem(err);
    }
    memcpy(ret_steps->bytes, path.data, path.len);
    split_path(ret_steps, path);
    return true;
}

static int compare_step(const struct step *a, const struct step *b) {
    if (a->is_number && b->is_number) {
        return (a->number > b->number) - (a->number < b->number);
    }
    return fx_text_compare(a->text, b->text);
}

int fx_steps_compare(const struct steps *a, const struct steps *b) {
    for (size_t i = 0; i < a->n_items && i < b->n_items; i++) {
        const int order = compare_step(&a->items[i], &b->items[i]);
        if (order != 0) {
            return order;
        }
    }
    return (a->n_items > b->n_items) - (a->n_items < b->n_items);
}

bool fx_steps_overlap(const struct steps *a, const struct steps *b) {
    size_t i = 0;
    while (i < a->n_items && i < b->n_items &&
           compare_step(&a->items[i], &b->items[i]) == 0) {
        i++;
    }
    return i == a->n_items || i == b->n_items;
}

bool fx_steps_begin(const struct steps *steps, const char *const *names) {
    for (size_t i = 0; names[i] != NULL; i++) {
        if (i >= steps->n_items || !fx_text_is(steps->items[i].text, names[i])) {
            return false;
        }
    }
    return true;
}
