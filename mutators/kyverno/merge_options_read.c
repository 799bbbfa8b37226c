/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_options_read.c - reads how patches of a policy are merged.
 */
#include "base/budget.h"
#include "base/limits.h"
#include "merge_options_internal.h"
#include "value/tree.h"
#include "value/yaml.h"

struct options_reading {
    struct fx_arena *arena;
    struct fx_err *err;
};

static bool refuse(const struct options_reading *reading, struct fx_text path,
                   const char *what) {
    return fx_fail(reading->err, FX_EINVALID, KYVERNO_MERGE_LISTS ": \"%.*s\": %s",
                   FX_TEXT_ARG(path), what);
}

/* Finds the place of the name below another one, or adds it. NULL without memory. */
static struct kyverno_merge_place *go_below(const struct options_reading *reading,
                                            struct kyverno_merge_place *above,
                                            struct fx_text name) {
    struct kyverno_merge_place *place = above->below;
    while (place != NULL && !fx_text_equal(place->name, name)) {
        place = place->next;
    }
    if (place != NULL) {
        return place;
    }
    const char *copy = fx_arena_copy(reading->arena, name);
    place = fx_arena_alloc(reading->arena, sizeof *place);
    if (copy == NULL || place == NULL) {
        (void)fx_fail_nomem(reading->err);
        return NULL;
    }
    *place = (struct kyverno_merge_place){.name = {copy, name.len}, .next = above->below};
    above->below = place;
    return place;
}

static struct kyverno_merge_place *find_place(const struct options_reading *reading,
                                              struct kyverno_merge_place *root,
                                              struct fx_text path) {
    struct kyverno_merge_place *place = root;
    struct fx_text rest = path;
    unsigned steps = 0;
    do {
        const struct fx_text name = fx_text_cut(&rest, '.');
        if (name.len == 0 || ++steps > FX_LIMIT_MERGE_STEPS) {
            (void)refuse(reading, path, "not a path of fields with dots");
            return NULL;
        }
        place = go_below(reading, place, name);
    } while (place != NULL && rest.len > 0);
    return place;
}

static bool read_keys(const struct options_reading *reading, struct fx_text path,
                      const json_t *keys, struct kyverno_merge_place *place) {
    const size_t n = json_array_size(keys);
    if (n == 0 || n > FX_LIMIT_MERGE_KEYS) {
        return refuse(reading, path, "must be `append`, or a list of one to four keys");
    }
    place->keys = fx_arena_alloc(reading->arena, n * sizeof *place->keys);
    if (place->keys == NULL) {
        return fx_fail_nomem(reading->err);
    }
    for (size_t i = 0; i < n; i++) {
        const struct fx_text key = fx_tree_text(json_array_get(keys, i));
        const char *copy = fx_arena_copy(reading->arena, key);
        if (key.len == 0) {
            return refuse(reading, path, "a key must be the name of a field");
        }
        if (copy == NULL) {
            return fx_fail_nomem(reading->err);
        }
        place->keys[place->n_keys++] = (struct fx_text){copy, key.len};
    }
    return true;
}

static bool read_lists(const struct options_reading *reading, const json_t *lists,
                       struct kyverno_merge_options *options) {
    if (!json_is_object(lists) || json_object_size(lists) > FX_LIMIT_MERGE_LISTS) {
        return fx_fail(reading->err, FX_EINVALID,
                       KYVERNO_MERGE_LISTS ": expected a map of at most %u paths",
                       FX_LIMIT_MERGE_LISTS);
    }
    bool ok = true;
    for (void *iter = fx_node_first(lists); ok && iter != NULL;
         iter = fx_node_next(lists, iter)) {
        const struct fx_text path = fx_node_key(iter);
        const json_t *strategy = json_object_iter_value(iter);
        struct kyverno_merge_place *place = find_place(reading, &options->root, path);
        if (place == NULL) {
            return false;
        }
        place->appends = fx_text_is(fx_tree_text(strategy), "append");
        ok = place->appends || read_keys(reading, path, strategy, place);
    }
    return ok;
}

static bool read_text(const struct options_reading *reading, struct fx_text text,
                      struct kyverno_merge_options *options) {
    json_t *lists = NULL;
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    if (reader == NULL) {
        return fx_fail_nomem(reading->err);
    }
    bool ok = fx_yaml_next(reader, NULL, &lists, reading->err);
    fx_yaml_close(reader);
    if (!ok && reading->err->code == FX_ESYNTAX) {
        reading->err->code = FX_EINVALID;
        return fx_err_prefix(reading->err, KYVERNO_MERGE_LISTS ": ");
    }
    ok = ok && read_lists(reading, lists, options);
    json_decref(lists);
    return ok;
}

bool fx_kyverno_merge_options_compile(const json_t *annotations, struct fx_arena *arena,
                                      struct kyverno_merge_options **ret_options,
                                      struct fx_err *err) {
    const struct options_reading reading = {arena, err};
    const struct fx_text lists = fx_tree_view_string(annotations, KYVERNO_MERGE_LISTS);
    const bool has_wildcards =
        fx_text_is(fx_tree_view_string(annotations, KYVERNO_MERGE_WILDCARDS), "true");
    *ret_options = NULL;
    if (lists.len == 0 && !has_wildcards) {
        return true;
    }
    struct kyverno_merge_options *options = fx_arena_alloc(arena, sizeof *options);
    if (options == NULL) {
        return fx_fail_nomem(err);
    }
    *options = (struct kyverno_merge_options){.has_wildcards = has_wildcards};
    *ret_options = options;
    return lists.len == 0 || read_text(&reading, lists, options);
}
