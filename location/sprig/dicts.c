/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dicts.c - Sprig's Dicts. A map that is missing has no
 * keys; one that is JSON null does not get here. What Go gives in random order comes in
 * the order of the keys.
 */
#include "location/sprig/dicts.h"
#include "location/sprig/functions.h"

#include <string.h>

#include "location/gotemplate/print.h"

/* ---- one key ------------------------------------------------------------------------
 */

static bool call_get(struct call *call) {
    const struct value *arguments = call->arguments;
    if (!value_map_get(call->run, arguments[0].map, arguments[1].string, call->ret)) {
        return false;
    }
    if (call->ret->kind == VALUE_MISSING) {
        *call->ret = value_string(FX_TEXT(""));
    }
    return true;
}

static bool call_has_key(struct call *call) {
    const struct value *arguments = call->arguments;
    struct value value;
    if (!value_map_get(call->run, arguments[0].map, arguments[1].string, &value)) {
        return false;
    }
    *call->ret = value_bool(value.kind != VALUE_MISSING);
    return true;
}

static bool call_set(struct call *call) {
    const struct value *arguments = call->arguments;
    *call->ret = arguments[0];
    return value_map_put(call->run, arguments[0].map, arguments[1].string, arguments[2]);
}

static bool call_unset(struct call *call) {
    const struct value *arguments = call->arguments;
    *call->ret = arguments[0];
    return value_map_remove(call->run, arguments[0].map, arguments[1].string);
}

/* ---- making maps --------------------------------------------------------------------
 */

static bool call_dict(struct call *call) {
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
    *call->ret = value_map(map);
    return true;
}

static bool call_pick(struct call *call) {
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
    *call->ret = value_map(map);
    return true;
}

static bool call_omit(struct call *call) {
    struct map *map = value_map_copy(call->run, call->arguments[0].map);
    if (map == NULL) {
        return false;
    }
    for (size_t i = 1; i < call->n_arguments; i++) {
        if (!value_map_remove(call->run, map, call->arguments[i].string)) {
            return false;
        }
    }
    *call->ret = value_map(map);
    return true;
}

/* ---- lists of maps ------------------------------------------------------------------
 */

static bool call_pluck(struct call *call) {
    struct list *list = value_list_new(call->run, call->n_arguments - 1);
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
    *call->ret = value_list(list);
    return true;
}

/* Those of one map after those of the other. */
static bool call_keys(struct call *call) {
    size_t n = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (!value_map_fill(call->run, call->arguments[i].map)) {
            return false;
        }
        n += call->arguments[i].map->n;
    }
    struct list *list = value_list_new(call->run, n);
    if (list == NULL) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        const struct map *map = call->arguments[i].map;
        for (size_t k = 0; k < map->n; k++) {
            list->values[at++] = value_string(map->entries[k].key);
        }
    }
    list->type = TYPE_STRINGS;
    *call->ret = value_list(list);
    return true;
}

static bool call_values(struct call *call) {
    struct map *map = call->arguments[0].map;
    struct list *list =
        value_map_fill(call->run, map) ? value_list_new(call->run, map->n) : NULL;
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->n; i++) {
        list->values[i] = map->entries[i].value;
    }
    *call->ret = value_list(list);
    return true;
}

/* ---- dig ----------------------------------------------------------------------------
 */

/* Go's words where a value in an interface{} is not of the type that is asserted. */
static bool check_type(struct call *call, const struct value *value, const char *type) {
    const char *found = value_is_nil(value) ? "nil" : value_type_name(value);
    return strcmp(found, type) == 0 ||
           fx_fail(call->err, FX_EMUTATE,
                   "interface conversion: interface {} is %s, not %s", found, type);
}

/* dig key … default map: Go looks at the map, then at the keys, before it starts. */
static bool check_dig(struct call *call) {
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

static bool call_dig(struct call *call) {
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

/* ---- the table ----------------------------------------------------------------------
 */

#define ANY     {PARAMETER_ANY, PARAMETER_NONE}
#define MAP     {PARAMETER_MAP, PARAMETER_NONE}
#define MAP_KEY {PARAMETER_MAP, PARAMETER_STRING, PARAMETER_NONE}
#define MAPS    {PARAMETER_MAP, PARAMETER_MAP, PARAMETER_NONE}

const struct function functions_dicts[] = {
    {.name = "dict", .call = call_dict, .parameters = ANY, .variadic = true},
    {.name = "get", .call = call_get, .parameters = MAP_KEY},
    {.name = "set",
     .call = call_set,
     .parameters = {PARAMETER_MAP, PARAMETER_STRING, PARAMETER_ANY, PARAMETER_NONE}},
    {.name = "unset", .call = call_unset, .parameters = MAP_KEY},
    {.name = "hasKey", .call = call_has_key, .parameters = MAP_KEY},
    {.name = "pluck",
     .call = call_pluck,
     .parameters = {PARAMETER_STRING, PARAMETER_MAP, PARAMETER_NONE},
     .variadic = true},
    {.name = "dig", .call = call_dig, .parameters = ANY, .variadic = true},
    {.name = "keys", .call = call_keys, .parameters = MAP, .variadic = true},
    {.name = "values", .call = call_values, .parameters = MAP},
    {.name = "pick", .call = call_pick, .parameters = MAP_KEY, .variadic = true},
    {.name = "omit", .call = call_omit, .parameters = MAP_KEY, .variadic = true},
    {.name = "merge", .call = call_merge, .parameters = MAPS, .variadic = true},
    {.name = "mustMerge", .call = call_merge, .parameters = MAPS, .variadic = true},
    {.name = "mergeOverwrite",
     .call = call_merge_overwrite,
     .parameters = MAPS,
     .variadic = true},
    {.name = "mustMergeOverwrite",
     .call = call_merge_overwrite,
     .parameters = MAPS,
     .variadic = true},
    {.name = NULL},
};
