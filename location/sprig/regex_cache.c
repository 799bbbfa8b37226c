/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_cache.c - the last few patterns; the oldest makes room.
 */
#include "location/sprig/regex_cache.h"

#include "base/macros.h"

#define ENTRIES 16

struct regex_cache {
    struct cached {
        struct fx_text pattern;
        struct fx_regex *regex; /* NULL: free */
    } entries[ENTRIES];
    size_t next; /* to be filled */
};

static const struct fx_regex *find(const struct regex_cache *cache,
                                   struct fx_text pattern) {
    for (size_t i = 0; i < ENTRIES; i++) {
        if (cache->entries[i].regex != NULL &&
            fx_text_equal(cache->entries[i].pattern, pattern)) {
            return cache->entries[i].regex;
        }
    }
    return NULL;
}

/* Consumes the regular expression. */
static bool add(struct run *run, struct fx_text pattern, struct fx_regex *regex) {
    struct regex_cache *cache = run->kept;
    struct cached entry = {.regex = regex};
    if (!run_copy(run, pattern, &entry.pattern)) {
        fx_regex_destroy(regex);
        return false;
    }
    fx_regex_destroy(cache->entries[cache->next].regex);
    cache->entries[cache->next] = entry;
    cache->next = (cache->next + 1) % ENTRIES;
    return true;
}

static bool compile(struct run *run, struct fx_text pattern,
                    const struct fx_regex **ret_regex, struct fx_err *err) {
    struct fx_regex *regex = NULL;
    if (!fx_regex_compile(pattern, &regex, err) || !add(run, pattern, regex)) {
        return false;
    }
    *ret_regex = regex;
    return true;
}

/* The cache itself lies in the arena. */
static void free_cache(void *kept) {
    struct regex_cache *cache = kept;
    for (size_t i = 0; i < ENTRIES; i++) {
        fx_regex_destroy(cache->entries[i].regex);
    }
}

bool run_regex(struct run *run, struct fx_text pattern, const struct fx_regex **ret_regex,
               struct fx_err *err) {
    if (run->kept == NULL) {
        run->kept = run_alloc(run, sizeof(struct regex_cache));
        run->free_kept = free_cache;
        if (run->kept == NULL) {
            return false;
        }
    }
    *ret_regex = find(run->kept, pattern);
    return *ret_regex != NULL || compile(run, pattern, ret_regex, err);
}
