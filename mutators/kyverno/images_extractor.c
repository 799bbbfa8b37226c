/* SPDX-License-Identifier: Apache-2.0
 *
 * images_extractor.c - reads `imageExtractors` of a rule.
 */
#include "images_extractor.h"

#include "base/budget.h"
#include "base/limits.h"
#include "images.h"
#include "value/tree.h"

struct extractors_reading {
    struct fx_arena *arena;
    struct fx_err *err;
};

/* A copy of a text in the arena, so that the document may go. */
static bool copy_text(const struct extractors_reading *reading, struct fx_text text,
                      struct fx_text *ret) {
    const char *copy = fx_arena_copy(reading->arena, text);
    *ret = (struct fx_text){copy, text.len};
    return copy != NULL || fx_fail_nomem(reading->err);
}

static bool read_text(const struct extractors_reading *reading, const json_t *given,
                      const char *field, const char *missing, struct fx_text *ret) {
    const json_t *node = fx_tree_view_key(given, field);
    if (node == NULL || json_is_null(node)) {
        *ret = fx_text_of(missing);
        return true;
    }
    return json_is_string(node)
               ? copy_text(reading, fx_tree_text(node), ret)
               : fx_fail_in(reading->err, node, FX_EINVALID,
                            "imageExtractors: `%s` must be a text", field);
}

/* Splits the path into steps. Without a `value` the last one is the field with the
 * reference. */
static bool read_path(const struct extractors_reading *reading, const json_t *given,
                      struct kyverno_extractor *extractor) {
    struct fx_text rest = FX_TEXT("");
    size_t cap = 0;
    if (!read_text(reading, given, "path", "", &rest)) {
        return false;
    }
    while (rest.len > 0) {
        const struct fx_text step = fx_text_cut(&rest, '/');
        if (step.len == 0) {
            continue;
        }
        if (extractor->n_steps == FX_LIMIT_IMAGE_STEPS) {
            return fx_fail_in(reading->err, given, FX_ELIMIT,
                              "imageExtractors: `path` has more than %u steps",
                              FX_LIMIT_IMAGE_STEPS);
        }
        if (!FX_ARENA_GROW(reading->arena, extractor->steps, extractor->n_steps, cap)) {
            return fx_fail_nomem(reading->err);
        }
        extractor->steps[extractor->n_steps++] = step;
    }
    if (extractor->n_steps == 0) {
        return fx_fail_in(reading->err, given, FX_EINVALID,
                          "imageExtractors: `path` is missing");
    }
    if (extractor->value.len == 0) {
        extractor->value = extractor->steps[--extractor->n_steps];
    }
    return true;
}

static bool read_query(const struct extractors_reading *reading, const json_t *given,
                       struct kyverno_extractor *extractor) {
    struct fx_text text = FX_TEXT("");
    if (!read_text(reading, given, "jmesPath", "", &text) || text.len == 0) {
        return reading->err->code == FX_OK;
    }
    if (fx_jmespath_compile(text, &extractor->query, reading->err)) {
        return true;
    }
    if (reading->err->code == FX_ESYNTAX) {
        reading->err->code = FX_EINVALID;
        reading->err->node = fx_tree_view_key(given, "jmesPath");
    }
    return fx_err_prefix(reading->err, "imageExtractors: jmesPath: ");
}

static bool read_extractor(const struct extractors_reading *reading, struct fx_text kind,
                           const json_t *given, struct kyverno_extractor *extractor) {
    if (!fx_spend(4)) {
        return fx_fail_exceeded(reading->err);
    }
    return copy_text(reading, kind, &extractor->kind) &&
           read_text(reading, given, "name", "custom", &extractor->name) &&
           read_text(reading, given, "key", "", &extractor->key) &&
           read_text(reading, given, "value", "", &extractor->value) &&
           read_path(reading, given, extractor) && read_query(reading, given, extractor);
}

static bool read_kind(const struct extractors_reading *reading, void *iter,
                      struct kyverno_extractors *made, size_t *cap) {
    const json_t *list = json_object_iter_value(iter);
    bool ok = json_is_array(list) ||
              fx_fail_in(reading->err, list, FX_EINVALID,
                         "imageExtractors: the extractors of a kind must be a list");
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        if (!FX_ARENA_GROW(reading->arena, made->items, made->n, *cap)) {
            return fx_fail_nomem(reading->err);
        }
        struct kyverno_extractor *extractor = &made->items[made->n];
        *extractor = (struct kyverno_extractor){.steps = NULL};
        ok = read_extractor(reading, fx_node_key(iter), json_array_get(list, i),
                            extractor);
        made->n++;
    }
    return ok;
}

bool fx_kyverno_extractors_compile(const json_t *extractors, struct fx_arena *arena,
                                   struct kyverno_extractors **ret_extractors,
                                   struct fx_err *err) {
    const struct extractors_reading reading = {arena, err};
    size_t cap = 0;
    *ret_extractors = NULL;
    fx_err_reset(err);
    if (extractors == NULL || json_is_null(extractors)) {
        return true;
    }
    if (!json_is_object(extractors)) {
        return fx_fail_in(err, extractors, FX_EINVALID,
                          "imageExtractors must be a map of kinds");
    }
    struct kyverno_extractors *made = fx_arena_alloc(arena, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = true;
    for (void *iter = fx_node_first(extractors); ok && iter != NULL;
         iter = fx_node_next(extractors, iter)) {
        ok = read_kind(&reading, iter, made, &cap);
    }
    if (!ok) {
        fx_kyverno_extractors_finish(made);
        return false;
    }
    *ret_extractors = made;
    return true;
}

void fx_kyverno_extractors_finish(struct kyverno_extractors *extractors) {
    for (size_t i = 0; extractors != NULL && i < extractors->n; i++) {
        fx_jmespath_destroy(extractors->items[i].query);
        extractors->items[i].query = NULL;
    }
}
