/* SPDX-License-Identifier: Apache-2.0
 *
 * inserts.c - `cel.@mapInsert`, the step of transformMap and transformMapEntry.
 */
#include "base/budget.h"
#include "location/cel/map.h"
#include "location/cel/operators.h"
#include "location/cel/print_key.h"

/* Inserts into the accumulator. Returns it, or an error. */
static struct fx_cel_value insert(struct fx_cel_run *run, struct fx_cel_value map,
                                  struct fx_cel_value key, struct fx_cel_value value) {
    struct fx_cel_value old;
    const char *unhashable = fx_cel_unhashable(key);
    if (unhashable != NULL) {
        return fx_cel_fail_unhashable(run, unhashable);
    }
    if (!fx_spend(1)) {
        return fx_cel_exceeded(run);
    }
    if (fx_cel_map_find(map, key, &old)) {
        return fx_cel_fail_key(run, "insert failed: key ", key, " already exists");
    }
    return fx_cel_map_set(run, map, key, value) ? map : fx_cel_no_memory(run);
}

struct fx_cel_value fx_cel_insert_entry(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_MAP
               ? insert(run, args[0], args[1], args[2])
               : fx_cel_operator_unfit(run, args[0], false, "cel.@mapInsert");
}

struct fx_cel_value fx_cel_insert_entries(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    if (args[0].kind != FX_CEL_MAP || args[1].kind != FX_CEL_MAP) {
        return fx_cel_operator_unfit(run, args[0], false, "cel.@mapInsert");
    }
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    struct fx_cel_value map = args[0];
    fx_cel_map_walk_start(&walk, args[1]);
    while (!fx_cel_is_error(map) && fx_cel_map_walk_next(&walk, &entry)) {
        map = insert(run, map, entry.key, entry.value);
    }
    return map;
}
