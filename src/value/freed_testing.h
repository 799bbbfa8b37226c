/* SPDX-License-Identifier: Apache-2.0
 *
 * value/freed_testing.h - for tests: are nodes with a secret in them overwritten before
 * their memory is given back?
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

/* Before each piece stands how large it is. */
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

/* From here on, and until freed_end(), nodes are made and dropped under its eyes; those
 * made before must not be dropped within, nor those made within behind it. */
static inline void freed_begin(void) {
    freed_with_secret = 0;
    json_set_alloc_funcs(freed_allocate, freed_look);
}

static inline void freed_end(void) {
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(freed_with_secret, 0);
}

#endif
