/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node_pool.c - slabs out of one reserved range of addresses. The range tells a
 * piece of a slab from one of malloc(), the slab's alignment finds its head.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise() */
#include "value/node_pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <jansson.h>

#include "base/limits.h"

#define SLAB_BYTES   ((size_t)64 << 10)
#define REGION_BYTES ((size_t)1 << 30) /* of addresses, not of memory */
#define PIECE_MAX    ((size_t)4 << 10) /* what is larger comes from malloc() */
#define ALIGN        _Alignof(max_align_t)

#ifdef FX_ARENA_DEBUG
#define POOLS_NODES false
#else
#define POOLS_NODES true
#endif

struct slab {
    struct slab *next;  /* in a list of idle ones */
    struct pool *owner; /* the thread that fills it */
    size_t used;        /* bytes, this head included */
    size_t n_pieces;    /* that are not dropped yet */
};

#define HEAD_BYTES ((sizeof(struct slab) + ALIGN - 1) & ~(ALIGN - 1))

/* A thread's slabs. */
struct pool {
    bool is_entered;
    struct slab *current; /* or NULL */
    struct slab *idle;
    size_t n_idle, n_slabs;
};

static _Thread_local struct pool pool;

/* What all threads share: the range, how much of it was ever handed out, and the slabs
 * that came back. */
static struct {
    uintptr_t start; /* 0: there is none */
    size_t used;
    struct slab *idle;
    pthread_mutex_t lock;
} region = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- slabs for threads ------------------------------------------------------------ */

/* The next slab that nobody ever had; NULL where the range or memory is used up. */
static struct slab *open_slab(void) {
    if (region.start == 0 || region.used == REGION_BYTES) {
        return NULL;
    }
    void *slab =
        (char *)region.start + region.used; /* NOLINT(performance-no-int-to-ptr) */
    if (mprotect(slab, SLAB_BYTES, PROT_READ | PROT_WRITE) != 0) {
        return NULL;
    }
    region.used += SLAB_BYTES;
    return slab;
}

static struct slab *take_slab(void) {
    (void)pthread_mutex_lock(&region.lock);
    struct slab *slab = region.idle;
    if (slab != NULL) {
        region.idle = slab->next;
    } else {
        slab = open_slab();
    }
    (void)pthread_mutex_unlock(&region.lock);
    return slab;
}

/* Its memory goes back to the system but for the page of its head. */
static void give_slab_back(struct slab *slab) {
    const size_t page = 4096;
    (void)madvise((char *)slab + page, SLAB_BYTES - page, MADV_DONTNEED);
    (void)pthread_mutex_lock(&region.lock);
    slab->next = region.idle;
    region.idle = slab;
    (void)pthread_mutex_unlock(&region.lock);
}

/* ---- pieces ------------------------------------------------------------------------ */

/* The slab that is filled from now on, an empty one; NULL where there is none. */
static struct slab *next_slab(void) {
    struct slab *slab = pool.idle;
    if (slab != NULL) {
        pool.idle = slab->next;
        pool.n_idle--;
    } else {
        slab = take_slab();
        pool.n_slabs += slab != NULL;
    }
    if (slab != NULL) {
        *slab = (struct slab){.owner = &pool, .used = HEAD_BYTES};
        pool.current = slab;
    }
    return slab;
}

/* All its pieces are dropped. */
static void empty_slab(struct slab *slab) {
    if (slab == pool.current) {
        slab->used = HEAD_BYTES;
    } else if (pool.n_idle < FX_LIMIT_IDLE_SLABS) {
        slab->next = pool.idle;
        pool.idle = slab;
        pool.n_idle++;
    } else {
        pool.n_slabs--;
        give_slab_back(slab);
    }
}

static void *allocate(size_t bytes) {
    if (!pool.is_entered || bytes > PIECE_MAX) {
        return malloc(bytes);
    }
    const size_t rounded = (bytes + ALIGN - 1) & ~(ALIGN - 1);
    struct slab *slab = pool.current;
    if (slab == NULL || rounded > SLAB_BYTES - slab->used) {
        slab = next_slab();
        if (slab == NULL) {
            return malloc(bytes);
        }
    }
    void *piece = (char *)slab + slab->used;
    slab->used += rounded;
    slab->n_pieces++;
    return piece;
}

static void release(void *piece) {
    const uintptr_t address = (uintptr_t)piece;
    if (address - region.start >= REGION_BYTES) {
        free(piece);
        return;
    }
    void *start = (char *)piece - address % SLAB_BYTES;
    struct slab *slab = start;
    assert(slab->owner == &pool && slab->n_pieces > 0);
    if (--slab->n_pieces == 0) {
        empty_slab(slab);
    }
}

/* ---- the door ---------------------------------------------------------------------- */

/* A range of addresses nobody else gets, aligned to slabs; memory comes with use. */
static bool reserve_region(void) {
    void *range = mmap(NULL, REGION_BYTES + SLAB_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return false;
    }
    const uintptr_t start = (uintptr_t)range;
    region.start = (start + SLAB_BYTES - 1) / SLAB_BYTES * SLAB_BYTES;
    return true;
}

void fx_node_pool_install(void) {
    if (POOLS_NODES && region.start == 0 && reserve_region()) {
        json_set_alloc_funcs(allocate, release);
    }
}

void fx_node_pool_enter(void) {
    assert(!pool.is_entered);
    pool.is_entered = true;
}

void fx_node_pool_leave(void) {
    assert(pool.is_entered);
    pool.is_entered = false;
}

size_t fx_node_pool_bytes(void) {
    return pool.n_slabs * SLAB_BYTES;
}
