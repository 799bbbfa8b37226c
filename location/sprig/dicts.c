/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dicts.c - Sprig's Dicts. A missing map has no keys; JSON null is refused
 * before the call. If Go's order is random, the order here is that of the keys.
 */
#include "location/sprig/functions.h"

#include <string.h>

#include "location/gotemplate/value.h"

/* ---- one key --------------------------------------------------------------------- */

static bool call_get(struct template_call *call) {
    const struct value *arguments = call->arguments;
    if (!value_map_get(call->run, arguments[0].map, arguments[1].string, call->ret)) {
        return false;
    }
    if (call->ret->kind == VALUE_MISSING) {
        *call->ret = value_string(FX_TEXT(""));
    }
    return true;
}

static bool call_has_key(struct template_call *call) {
    const struct value *arguments = call->arguments;
    struct value value;
    if (!value_map_get(call->run, arguments[0].map, arguments[1].string, &value)) {
        return false;
    }
    return return_bool(call, value.kind != VALUE_MISSING);
}

static bool call_set(struct template_call *call) {
    const struct value *arguments = call->arguments;
    *call->ret = arguments[0];
    return value_map_put(call->run, arguments[0].map, arguments[1].string, arguments[2]);
}

static bool call_unset(struct template_call *call) {
    const struct value *arguments = call->arguments;
    *call->ret = arguments[0];
    return value_map_remove(call->run, arguments[0].map, arguments[1].string);
}

/* ---- making maps ----------------------------------------------------------------- */

static bool call_dict(struct template_call *call) {
    struct map *map = value_map_new(call->run);
    if (map == NULL) {
        return false;
    }
    for (size_t i = 0; i < call->n_arguments; i += 2) {
        struct fx_text key;
        const struct value value = i + 1 < call->n_arguments ? call->arguments[i + 1]
                                                             : value_string(FX_TEXT(""));
        if (!value_text(call->run, &call->arguments[i], &key) ||
            !value_map_put(call->run, map, key, value)) {
            return false;
        }
    }
    return return_map(call, map);
}

static bool call_pick(struct template_call *call) {
    struct map *map = value_map_new(call->run);
    if (map == NULL) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        const struct fx_text key = call->arguments[i].string;
        struct value value;
        if (!value_map_get(call->run, call->arguments[0].map, key, &value) ||
            (value.kind != VALUE_MISSING && !value_map_put(call->run, map, key, value))) {
            return false;
        }
    }
    return return_map(call, map);
}

static bool call_omit(struct template_call *call) {
    struct map *map = value_map_copy(call->run, call->arguments[0].map);
    if (map == NULL) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        if (!value_map_remove(call->run, map, call->arguments[i].string)) {
            return false;
        }
    }
    return return_map(call, map);
}

/* ---- lists of maps --------------------------------------------------------------- */

static bool call_pluck(struct template_call *call) {
    struct template_list *list = value_list_new(call->run, call->n_arguments - 1);
    if (list == NULL) {
        return false;
    }
    list->n = 0;
    for (size_t i = 1; i < call->n_arguments; i++) {
        struct value *value = &list->values[list->n];
        if (!value_map_get(call->run, call->arguments[i].map, call->arguments[0].string,
                           value)) {
            return false;
        }
        list->n += value->kind == VALUE_MISSING ? 0 : 1;
    }
    return return_list(call, list);
}

/* Returns the keys of the first map, then those of the next, and so on. */
static bool call_keys(struct template_call *call) {
    size_t n = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (!value_map_fill(call->run, call->arguments[i].map)) {
            return false;
        }
        n += call->arguments[i].map->n;
    }
    struct template_list *list = value_strings_new(call->run, n);
    size_t at = 0;
    for (size_t i = 0; list != NULL && i < call->n_arguments; i++) {
        const struct map *map = call->arguments[i].map;
        for (size_t k = 0; k < map->n; k++) {
            list->values[at++] = value_string(map->entries[k].key);
        }
    }
    return return_list(call, list);
}

static bool call_values(struct template_call *call) {
    struct map *map = call->arguments[0].map;
    struct template_list *list =
        value_map_fill(call->run, map) ? value_list_new(call->run, map->n) : NULL;
    for (size_t i = 0; list != NULL && i < map->n; i++) {
        list->values[i] = map->entries[i].value;
    }
    return return_list(call, list);
}

/* ---- dig ------------------------------------------------------------------------- */

/* Fails with Go's message for a failed type assertion. */
static bool check_type(struct template_call *call, const struct value *value,
                       const char *type) {
    const char *found = value_is_nil(value) ? "nil" : value_type_name(value);
    return strcmp(found, type) == 0 ||
           fx_fail(call->err, FX_EMUTATE,
                   "interface conversion: interface {} is %s, not %s", found, type);
}

/* Checks `dig key … default map` in Go's order: first the map, then the keys. */
static bool check_dig(struct template_call *call) {
    if (call->n_arguments < 3) {
        return fx_fail(call->err, FX_EMUTATE, "dig needs at least three arguments");
    }
    if (!check_type(call, &call->arguments[call->n_arguments - 1], TYPE_MAP)) {
        return false;
    }
    for (size_t i = 0; i + 2 < call->n_arguments; i++) {
        if (!check_type(call, &call->arguments[i], "string")) {
            return false;
        }
    }
    return true;
}

static bool call_dig(struct template_call *call) {
    if (!check_dig(call)) {
        return false;
    }
    const size_t n_keys = call->n_arguments - 2;
    struct value at = call->arguments[call->n_arguments - 1];
    for (size_t i = 0; i < n_keys; i++) {
        if (!check_type(call, &at, TYPE_MAP) ||
            !value_map_get(call->run, at.map, call->arguments[i].string, &at)) {
            return false;
        }
        if (at.kind == VALUE_MISSING) {
            at = call->arguments[n_keys];
            break;
        }
    }
    *call->ret = at;
    return true;
}

/* ---- merge and mergeOverwrite, with the rules of the library behind Sprig --------- */

/* The state of one merge. */
struct merging {
    struct template_run *run;
    bool overwrite; /* values of later maps replace earlier ones */
};

static bool put_entry(const struct merging *merging, struct map *to,
                      const struct map *from, const struct map_entry *entry) {
    if (strcmp(to->type, TYPE_TEXTS) == 0 && strcmp(from->type, TYPE_TEXTS) != 0) {
        return fx_fail(merging->run->err, FX_EMUTATE,
                       "reflect.Value.SetMapIndex: value of type interface {} is not "
                       "assignable to type string");
    }
    return value_map_put(merging->run, to, entry->key, entry->value);
}

/* True if a value may replace the old one. A map never replaces a value that is not
 * empty. */
static bool may_replace(const struct merging *merging, const struct value *old,
                        const struct value *new) {
    const bool is_empty = !value_is_true(old);
    if (value_is_nil(new)) {
        return merging->overwrite;
    }
    return is_empty || (merging->overwrite && new->kind != VALUE_MAP);
}

static bool merge_maps(const struct merging *merging, struct map *to, struct map *from,
                       size_t depth);

static bool merge_entry(const struct merging *merging, struct map *to,
                        const struct map *from, const struct map_entry *entry,
                        size_t depth) {
    struct value old;
    if (!value_map_get(merging->run, to, entry->key, &old)) {
        return false;
    }
    if (old.kind == VALUE_MAP && entry->value.kind == VALUE_MAP &&
        !merge_maps(merging, old.map, entry->value.map, depth + 1)) {
        return false;
    }
    return !may_replace(merging, &old, &entry->value) ||
           put_entry(merging, to, from, entry);
}

/* Merges two maps. Maps can contain each other, so `from` may change meanwhile: the loop
 * uses the entries at the start. */
static bool merge_maps(const struct merging *merging, struct map *to, struct map *from,
                       size_t depth) {
    if (!run_check_depth(merging->run, depth) || !value_map_fill(merging->run, from) ||
        !run_spend(merging->run, 1 + from->n)) {
        return false;
    }
    const struct map_entry *entries = from->entries;
    const size_t n = from->n;
    from->lent = true;
    for (size_t i = 0; i < n; i++) {
        if (!merge_entry(merging, to, from, &entries[i], depth)) {
            return false;
        }
    }
    return true;
}

enum { KEEP, OVERWRITE };

/* Merges maps. If the first map is nil, a new one replaces it as soon as there is
 * something to merge. */
static bool call_merge(struct template_call *call) {
    const struct merging merging = {call->run, call->function->variant == OVERWRITE};
    struct map *to = call->arguments[0].map;
    for (size_t i = 1; i < call->n_arguments; i++) {
        struct map *from = call->arguments[i].map;
        if (to->nil && !from->nil) {
            to = value_map_new(call->run);
        }
        if (to == NULL || !merge_maps(&merging, to, from, 0)) {
            return false;
        }
    }
    return return_map(call, to);
}

const struct function functions_dicts[] = {
    VARIADIC("dict", call_dict, 1, ANY),
    FUNCTION("get", call_get, 1, MAP, STRING),
    FUNCTION("set", call_set, 1, MAP, STRING, ANY),
    FUNCTION("unset", call_unset, 1, MAP, STRING),
    FUNCTION("hasKey", call_has_key, 1, MAP, STRING),
    VARIADIC("pluck", call_pluck, 1, STRING, MAP),
    VARIADIC("dig", call_dig, 1, ANY),
    VARIADIC("keys", call_keys, 1, MAP),
    FUNCTION("values", call_values, 1, MAP),
    VARIADIC("pick", call_pick, 1, MAP, STRING),
    VARIADIC("omit", call_omit, 1, MAP, STRING),
    WITH_MUST(VARIADIC_VARIANT, "merge", "mustMerge", call_merge, KEEP, 2, MAP, MAP),
    WITH_MUST(VARIADIC_VARIANT, "mergeOverwrite", "mustMergeOverwrite", call_merge,
              OVERWRITE, 2, MAP, MAP),
    {.name = NULL},
};
