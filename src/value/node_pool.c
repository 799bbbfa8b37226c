/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node_pool.c - slabs in one reserved range of addresses. The range distinguishes a
 * piece of a slab from one of malloc(); the alignment of a slab gives its head.
 *
 * A thread counts the pieces of its slabs without a lock. Pieces that another thread
 * frees are counted separately, with the lock held, until the owner's next review.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise() */
#include "value/node_pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <jansson.h>

#include "base/limits.h"
#include "base/macros.h"

#define SLAB_BYTES   ((size_t)64 << 10)
#define REGION_BYTES ((size_t)1 << 30) /* address space, not memory */
#define PIECE_MAX    ((size_t)4 << 10) /* larger pieces come from malloc() */
#define ALIGN        _Alignof(max_align_t)

#ifdef FX_ARENA_DEBUG
#define POOLS_NODES false
#else
#define POOLS_NODES true
#endif

struct slab {
    struct slab *next; /* the next one in a list of idle slabs */
    /* The thread that fills it; NULL if there is none, or that thread has ended. */
    struct pool *_Atomic owner;
    size_t n_pieces; /* pieces that are not freed, without n_foreign */
    /* The number of pieces that other threads have freed, and the owner's next slab with
     * such pieces. */
    size_t n_foreign;
    struct slab *next_foreign;
};

#define HEAD_BYTES ((sizeof(struct slab) + ALIGN - 1) & ~(ALIGN - 1))

/* The slabs of one thread. */
struct pool {
    bool is_entered;
    struct slab *current; /* NULL if there is none */
    char *at;             /* the position of the next piece */
    size_t room;          /* bytes that are left */
    struct slab *idle;
    size_t n_idle, n_slabs;
    bool has_ending; /* end_thread() will be called */
    /* A list of slabs of which other threads have freed pieces. Written only with the
     * lock held. */
    struct slab *_Atomic foreign;
};

static _Thread_local struct pool pool;

/* Shared by all threads: the range, how much of it is used, and returned slabs. */
static struct {
    uintptr_t start; /* 0 if there is no range */
    size_t used;
    struct slab *idle;
    pthread_mutex_t lock;
    pthread_key_t ending; /* calls end_thread() */
} region = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- slabs for threads ------------------------------------------------------------ */

/* Returns the next unused slab; NULL if the range or memory is used up. */
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

/* Returns the slab's memory, except the page of its head, to the system. The caller holds
 * the lock. */
static void give_slab_back(struct slab *slab) {
    const size_t page = 4096;
    (void)madvise((char *)slab + page, SLAB_BYTES - page, MADV_DONTNEED);
    atomic_store_explicit(&slab->owner, NULL, memory_order_relaxed);
    slab->next = region.idle;
    region.idle = slab;
}

/* ---- pieces ------------------------------------------------------------------------ */

static void begin_slab(struct slab *slab) {
    pool.current = slab;
    pool.at = (char *)slab + HEAD_BYTES;
    pool.room = SLAB_BYTES - HEAD_BYTES;
}

/* Makes an empty slab the current one. False if there is none. */
static bool next_slab(void) {
    struct slab *slab = pool.idle;
    if (slab != NULL) {
        pool.idle = slab->next;
        pool.n_idle--;
    } else {
        slab = take_slab();
        pool.n_slabs += slab != NULL;
    }
    if (slab == NULL) {
        return false;
    }
    if (!pool.has_ending) {
        pool.has_ending = pthread_setspecific(region.ending, &pool) == 0;
    }
    slab->n_pieces = 0;
    slab->n_foreign = 0;
    atomic_store_explicit(&slab->owner, &pool, memory_order_relaxed);
    begin_slab(slab);
    return true;
}

/* Called when all pieces of the slab are freed. */
FX_RARE static void empty_slab(struct slab *slab) {
    if (slab == pool.current) {
        begin_slab(slab);
    } else if (pool.n_idle < FX_LIMIT_IDLE_SLABS) {
        slab->next = pool.idle;
        pool.idle = slab;
        pool.n_idle++;
    } else {
        pool.n_slabs--;
        (void)pthread_mutex_lock(&region.lock);
        give_slab_back(slab);
        (void)pthread_mutex_unlock(&region.lock);
    }
}

static void *allocate(size_t bytes);

FX_RARE static void *allocate_elsewhere(size_t bytes) {
    const bool is_pooled = pool.is_entered && bytes <= PIECE_MAX && next_slab();
    return is_pooled ? allocate(bytes) : malloc(bytes);
}

static void *allocate(size_t bytes) {
    const size_t rounded = (bytes + ALIGN - 1) & ~(ALIGN - 1);
    if (!pool.is_entered || bytes > PIECE_MAX || rounded > pool.room) {
        return allocate_elsewhere(bytes);
    }
    char *piece = pool.at;
    pool.at += rounded;
    pool.room -= rounded;
    pool.current->n_pieces++;
    return piece;
}

/* Frees a piece of another thread's slab. The owner counts it later. If the owner has
 * ended, the thread that frees the last piece returns the empty slab. */
FX_RARE static void release_foreign(struct slab *slab) {
    (void)pthread_mutex_lock(&region.lock);
    struct pool *owner = atomic_load_explicit(&slab->owner, memory_order_relaxed);
    if (owner == NULL) {
        assert(slab->n_pieces > 0);
        if (--slab->n_pieces == 0) {
            give_slab_back(slab);
        }
    } else if (slab->n_foreign++ == 0) {
        slab->next_foreign = atomic_load_explicit(&owner->foreign, memory_order_relaxed);
        atomic_store_explicit(&owner->foreign, slab, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&region.lock);
}

static void release_piece(void *piece) {
    const uintptr_t address = (uintptr_t)piece;
    if (address - region.start >= REGION_BYTES) {
        free(piece);
        return;
    }
    void *start = (char *)piece - address % SLAB_BYTES;
    struct slab *slab = start;
    if (atomic_load_explicit(&slab->owner, memory_order_relaxed) != &pool) {
        release_foreign(slab);
        return;
    }
    assert(slab->n_pieces > 0);
    if (--slab->n_pieces == 0) {
        empty_slab(slab);
    }
}

/* ---- pieces freed elsewhere -------------------------------------------------------- */

/* Subtracts the pieces that other threads have freed. The caller holds the lock. */
static void count_foreign(struct slab *slab) {
    assert(slab->n_foreign <= slab->n_pieces);
    slab->n_pieces -= slab->n_foreign;
    slab->n_foreign = 0;
}

/* Counts the pieces of one slab that other threads have freed, and returns the slab; NULL
 * if there is no such slab. */
static struct slab *count_next_foreign(void) {
    (void)pthread_mutex_lock(&region.lock);
    struct slab *slab = atomic_load_explicit(&pool.foreign, memory_order_relaxed);
    if (slab != NULL) {
        atomic_store_explicit(&pool.foreign, slab->next_foreign, memory_order_relaxed);
        count_foreign(slab);
    }
    (void)pthread_mutex_unlock(&region.lock);
    return slab;
}

static void count_all_foreign(void) {
    struct slab *slab = count_next_foreign();
    while (slab != NULL) {
        if (slab->n_pieces == 0) {
            empty_slab(slab);
        }
        slab = count_next_foreign();
    }
}

/* Returns the empty slabs of the ending thread. The others lose their owner. */
static void end_thread(void *ended) {
    (void)ended;
    (void)pthread_mutex_lock(&region.lock);
    for (size_t at = 0; at < region.used; at += SLAB_BYTES) {
        void *start = (char *)region.start + at; /* NOLINT(performance-no-int-to-ptr) */
        struct slab *slab = start;
        if (atomic_load_explicit(&slab->owner, memory_order_relaxed) != &pool) {
            continue;
        }
        count_foreign(slab);
        if (slab->n_pieces == 0) {
            give_slab_back(slab);
        } else {
            atomic_store_explicit(&slab->owner, NULL, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&pool.foreign, NULL, memory_order_relaxed);
    (void)pthread_mutex_unlock(&region.lock);
    pool.current = NULL;
    pool.idle = NULL;
    pool.room = 0;
    pool.n_idle = 0;
    pool.n_slabs = 0;
    pool.has_ending = false;
}

/* ---- the interface ----------------------------------------------------------------- */

/* Reserves a range of addresses without memory, aligned to slabs. */
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
    if (POOLS_NODES && region.start == 0 &&
        pthread_key_create(&region.ending, end_thread) == 0 && reserve_region()) {
        json_set_alloc_funcs(allocate, release_piece);
    }
}

void fx_node_pool_enter(void) {
    assert(!pool.is_entered);
    pool.is_entered = true;
    if (atomic_load_explicit(&pool.foreign, memory_order_relaxed) != NULL) {
        count_all_foreign();
    }
}

void fx_node_pool_leave(void) {
    assert(pool.is_entered);
    pool.is_entered = false;
}

size_t fx_node_pool_bytes(void) {
    return pool.n_slabs * SLAB_BYTES;
}

size_t fx_node_pool_all_bytes(void) {
    (void)pthread_mutex_lock(&region.lock);
    size_t bytes = region.used;
    for (const struct slab *slab = region.idle; slab != NULL; slab = slab->next) {
        bytes -= SLAB_BYTES;
    }
    (void)pthread_mutex_unlock(&region.lock);
    return bytes;
}
