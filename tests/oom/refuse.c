/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/refuse.c - the functions that replace malloc and similar functions at link
 * time (-Wl,--wrap).
 */
#include "refuse.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* NOLINTBEGIN(readability-identifier-naming): the linker's names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *string);
char *__real_strndup(const char *string, size_t max);
void __real_free(void *old);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *string);
char *__wrap_strndup(const char *string, size_t max);
void __wrap_free(void *old);

static struct {
    long until; /* allocations granted before the next refusal */
    bool ever_after, refused, paused;
    long live;
} state = {.until = LONG_MAX};

/* Allows one leak: a program of RE2 that ran out of memory in a match is kept
 * (base/regex.cc). */
const char *allowed_leaks(void) __asm__("__lsan_default_suppressions");

const char *allowed_leaks(void) {
    return "leak:libre2";
}

void refuse_install(void) {
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}

void refuse_from(long nth, bool ever_after) {
    state.until = nth;
    state.ever_after = ever_after;
    state.refused = false;
}

bool refuse_stop(void) {
    state.until = LONG_MAX;
    state.ever_after = false;
    return state.refused;
}

void refuse_pause(void) {
    state.paused = true;
}

void refuse_resume(void) {
    state.paused = false;
}

bool refuse_lost_nothing(long *live, bool matches) {
    const long before = *live;
    *live = refuse_live();
    return *live == before || (matches && *live > before);
}

long refuse_live(void) {
    return state.live;
}

static bool is_granted(void) {
    if (state.paused) {
        return true;
    }
    if (state.until > 0) {
        state.until--;
        return true;
    }
    state.refused = true;
    if (!state.ever_after) {
        state.until = LONG_MAX;
    }
    return false;
}

static void *count_in(void *fresh) {
    state.live += fresh != NULL;
    return fresh;
}

void *__wrap_malloc(size_t size) {
    return is_granted() ? count_in(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return is_granted() ? count_in(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *old, size_t size) {
    if (!is_granted()) {
        return NULL;
    }
    void *moved = __real_realloc(old, size);
    return old == NULL ? count_in(moved) : moved;
}

char *__wrap_strdup(const char *string) {
    return is_granted() ? count_in(__real_strdup(string)) : NULL;
}

char *__wrap_strndup(const char *string, size_t max) {
    return is_granted() ? count_in(__real_strndup(string, max)) : NULL;
}

void __wrap_free(void *old) {
    state.live -= old != NULL;
    __real_free(old);
}
/* NOLINTEND(readability-identifier-naming) */
