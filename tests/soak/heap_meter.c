/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/soak/heap_meter.c - a library for the program under test (LD_PRELOAD). Its thread
 * writes the size of the used heap, ten times a second, into the file that FX_HEAP_METER
 * names. The file has two numbers of eight bytes: the number of measurements, and the
 * bytes in use.
 *
 * Resident memory changes with the memory that the allocator keeps for later. The used
 * heap does not, so a leak of a kilobyte a second shows within a minute. The thread makes
 * no system call but futex, which every sandbox allows.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN_NS 100000000L
#define NS_IN_S    1000000000L

struct page {
    _Atomic uint64_t n_looks, bytes;
};

static struct page *page;

static void look(void) {
    const struct mallinfo2 info = mallinfo2();
    atomic_store(&page->bytes, (uint64_t)(info.uordblks + info.hblkhd));
    (void)atomic_fetch_add(&page->n_looks, 1);
}

static void *look_on(void *unused) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    (void)unused;
    for (;;) {
        struct timespec next;
        (void)clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += BETWEEN_NS;
        next.tv_sec += next.tv_nsec / NS_IN_S;
        next.tv_nsec %= NS_IN_S;
        (void)pthread_mutex_lock(&lock);
        (void)pthread_cond_timedwait(&never, &lock, &next);
        (void)pthread_mutex_unlock(&lock);
        look();
    }
    return NULL;
}

static void start_thread(void) {
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, look_on, NULL) == 0) {
        (void)pthread_detach(thread);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FX_HEAP_METER");
    const int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    void *mapped = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (mapped != MAP_FAILED) {
        page = mapped;
        start_thread();
    }
}
