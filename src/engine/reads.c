/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/reads.c - the union of what mutators look at.
 */
#include "engine/reads.h"

#include <string.h>

#include "base/limits.h"
#include "value/patch.h"

bool fx_reads_init(struct fx_reads *reads) {
    static const char *const of_metadata[] = {"name", "generateName", "namespace",
                                              "labels", "annotations"};
    *reads = (struct fx_reads){.object = {.omits_rest = true}};
    if (!fx_reads_add(reads, &FX_TEXT("apiVersion"), 1) ||
        !fx_reads_add(reads, &FX_TEXT("kind"), 1)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(of_metadata); i++) {
        const struct fx_text path[] = {FX_TEXT("metadata"), fx_text_of(of_metadata[i])};
        if (!fx_reads_add(reads, path, FX_COUNT(path))) {
            return false;
        }
    }
    return true;
}

void fx_reads_finish(struct fx_reads *reads) {
    fx_json_part_finish(&reads->object);
}

bool fx_reads_add(struct fx_reads *reads, const struct fx_text *path, size_t n_keys) {
    return fx_json_part_widen(&reads->object, path, n_keys);
}

bool fx_reads_add_list(struct fx_reads *reads, const struct fx_text *path, size_t n_keys,
                       struct fx_text key) {
    struct fx_text longer[FX_LIMIT_LOCATION_NODES + 1];
    if (n_keys >= FX_COUNT(longer)) {
        fx_reads_add_all(reads);
        return true;
    }
    memcpy(longer, path, n_keys * sizeof *path);
    longer[n_keys] = key;
    bool ok = fx_reads_add(reads, longer, n_keys + 1);
    for (const char *const *merge_key = fx_patch_merge_keys; ok && *merge_key != NULL;
         merge_key++) {
        longer[n_keys] = fx_text_of(*merge_key);
        ok = fx_reads_add(reads, longer, n_keys + 1);
    }
    return ok;
}

void fx_reads_add_all(struct fx_reads *reads) {
    fx_json_part_finish(&reads->object);
}
