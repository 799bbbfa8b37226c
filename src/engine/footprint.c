/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/footprint.c - spots (FNV-1a), and lists of them without repeats.
 */
#include "engine/footprint.h"

#include <stdlib.h>
#include <string.h>

#define FNV_PRIME UINT32_C(16777619)

/* Behind the names stands a byte that is never part of UTF-8: `ab`, `c` is not `a`, `bc`.
 */
#define NAME_END 0xFFu

uint32_t fx_spot_of_field(uint32_t spot, struct fx_text name) {
    uint32_t hash = spot;
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * FNV_PRIME;
    }
    hash = (hash ^ NAME_END) * FNV_PRIME;
    return hash == 0 ? 1 : hash;
}

static bool has(const uint32_t *spots, size_t n_spots, uint32_t spot) {
    for (size_t i = 0; i < n_spots; i++) {
        if (spots[i] == spot) {
            return true;
        }
    }
    return false;
}

static void add(struct fx_footprint_draft *draft, uint32_t *list, size_t *n_list,
                uint32_t spot) {
    if (has(list, *n_list, spot)) {
        return;
    }
    if (*n_list == FX_FOOTPRINT_SPOTS) {
        draft->is_full = true;
        return;
    }
    list[(*n_list)++] = spot;
}

void fx_footprint_add_way(struct fx_footprint_draft *draft, const uint32_t *spots,
                          size_t n_spots) {
    for (size_t i = 0; i + 1 < n_spots; i++) {
        add(draft, draft->passed, &draft->n_passed, spots[i]);
    }
    if (n_spots == 0) {
        draft->is_full = true;
    } else {
        add(draft, draft->read, &draft->n_read, spots[n_spots - 1]);
    }
}

bool fx_footprint_make(const struct fx_footprint_draft *draft,
                       struct fx_footprint **ret_footprint) {
    *ret_footprint = NULL;
    if (draft->is_full) {
        return true;
    }
    const size_t n = draft->n_passed + draft->n_read + draft->n_steps;
    struct fx_footprint *made = malloc(sizeof *made + n * sizeof *made->spots);
    if (made == NULL) {
        return false;
    }
    const uint32_t metadata = fx_spot_of_field(FX_SPOT_ROOT, FX_TEXT("metadata"));
    *made = (struct fx_footprint){
        .settles = draft->settles,
        .asks_metadata = draft->asks_metadata,
        .writes_metadata = draft->n_steps > 0 && draft->steps[0] == metadata,
        .n_passed = (uint32_t)draft->n_passed,
        .n_read = (uint32_t)draft->n_read,
        .n_steps = (uint32_t)draft->n_steps,
    };
    uint32_t *to = made->spots;
    memcpy(to, draft->passed, draft->n_passed * sizeof *to);
    memcpy(to + draft->n_passed, draft->read, draft->n_read * sizeof *to);
    memcpy(to + draft->n_passed + draft->n_read, draft->steps,
           draft->n_steps * sizeof *to);
    *ret_footprint = made;
    return true;
}
