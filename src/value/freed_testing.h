/* SPDX-License-Identifier: Apache-2.0
 *
 * value/freed_testing.h - for tests: checks that nodes with a secret are overwritten
 * before their memory is freed.
 */
#ifndef FX_VALUE_FREED_TESTING_H
#define FX_VALUE_FREED_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FREED_SECRET "Zm9yIG5vYm9keSdzIGV5ZXM="

static size_t freed_with_secret; /* pieces of memory that still had it in them */

/* The size of each piece is stored before it. */
static inline void *freed_allocate(size_t size) {
    char *piece = calloc(1, sizeof(max_align_t) + size);
    assert_non_null(piece);
    memcpy(piece, &size, sizeof size);
    return piece + sizeof(max_align_t);
}

static inline void freed_look(void *memory) {
    if (memory != NULL) {
        char *piece = (char *)memory - sizeof(max_align_t);
        struct fx_text text = {.data = memory};
        memcpy(&text.len, piece, sizeof text.len);
        freed_with_secret += fx_text_contains(text, FX_TEXT(FREED_SECRET));
        free(piece);
    }
}

/* Starts the check, until freed_end(). Nodes that were created before must not be dropped
 * in between, and nodes that are created in between must be dropped before
 * freed_end(). */
static inline void freed_begin(void) {
    freed_with_secret = 0;
    json_set_alloc_funcs(freed_allocate, freed_look);
}

static inline void freed_end(void) {
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(freed_with_secret, 0);
}

#endif
