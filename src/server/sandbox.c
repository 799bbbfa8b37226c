/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox.c - capabilities, core dumps, the filter, and when not to use them.
 */
#define _DEFAULT_SOURCE /* syscall() */

#include "server/sandbox.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/log.h"
#include "net/address.h"
#include "server/sandbox_filter.h"

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

/* The kernel's default, if /proc cannot be read. */
#define FIRST_UNPRIVILEGED_PORT 1024

/* A set of capabilities has this many words of 32 bits. */
#define WORDS _LINUX_CAPABILITY_U32S_3

/* ---- obstacles ---- */

const char *fx_sandbox_obstacle(void) {
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
    return "built to find memory errors";
#elif defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
    return "built to find data races";
#elif defined(FX_COVERAGE)
    return "built for coverage";
#else
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && strstr(preload, "/vgpreload_") != NULL
               ? "run under valgrind"
               : NULL;
#endif
}

/* ---- privileges ---- */

static unsigned first_unprivileged_port(void) {
    unsigned port = FIRST_UNPRIVILEGED_PORT;
    char text[16] = "";
    FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "re");
    if (file == NULL) {
        return port;
    }
    if (fgets(text, sizeof text, file) != NULL) {
        port = (unsigned)strtoul(text, NULL, 10);
    }
    (void)fclose(file);
    return port;
}

static bool has_low_port(const char *const *addresses, size_t n_addresses) {
    const unsigned first = first_unprivileged_port();
    for (size_t i = 0; i < n_addresses; i++) {
        struct fx_address address;
        struct fx_err ignored = FX_ERR_INIT; /* reported when listening */
        if (fx_address_parse(addresses[i], &address, &ignored)) {
            const unsigned port = fx_address_port(&address.socket);
            if (port != 0 && port < first) {
                return true;
            }
        }
    }
    return false;
}

static bool read_capabilities(struct __user_cap_data_struct sets[WORDS]) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capget, &head, sets) == 0;
}

/* The number of effective or permitted capabilities. */
static unsigned count_capabilities(void) {
    struct __user_cap_data_struct sets[WORDS] = {{0}};
    unsigned count = 0;
    if (read_capabilities(sets)) {
        for (size_t i = 0; i < WORDS; i++) {
            const uint32_t set = sets[i].effective | sets[i].permitted;
            count += (unsigned)__builtin_popcount(set);
        }
    }
    return count;
}

/* Every process may drop capabilities; only an outer filter could refuse it. */
static bool drop_capabilities(bool keeps_low_ports) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[WORDS] = {{0}};
    if (!read_capabilities(sets)) {
        return false;
    }
    const uint32_t kept =
        keeps_low_ports ? sets[0].permitted & (1U << CAP_NET_BIND_SERVICE) : 0;
    sets[0] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
    sets[1] = (struct __user_cap_data_struct){0};
    return syscall(SYS_capset, &head, sets) == 0;
}

/* Clears what another program could regain. Without CAP_SETPCAP the bounding set cannot
 * be reduced; then `no_new_privs` has the same effect. */
static void shrink_bounds(void) {
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
    for (long cap = 0; prctl(PR_CAPBSET_READ, cap, 0L, 0L, 0L) >= 0; cap++) {
        (void)prctl(PR_CAPBSET_DROP, cap, 0L, 0L, 0L);
    }
}

/* The limit is 1 and not 0: with 0 the kernel still pipes a dump to a collecting program
 * (core(5)); with 1 it makes no dump at all. If only 0 is allowed, it is 0. */
static bool drop_core_dumps(void) {
    const struct rlimit none = {1, 1};
    const struct rlimit zero = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 || setrlimit(RLIMIT_CORE, &zero) == 0;
}

/* Why io_uring could not be hidden; reported by fx_sandbox_enter(). */
static struct {
    bool failed;
    struct fx_err err;
} rings;

static bool drop_all(bool keeps_low_ports, struct fx_err *err) {
    if (!drop_core_dumps()) {
        return fx_fail(err, FX_EIO, "core dumps: %s", strerror(errno));
    }
    shrink_bounds();
    return drop_capabilities(keeps_low_ports) ||
           fx_fail(err, FX_EIO, "capabilities: %s", strerror(errno));
}

bool fx_sandbox_drop(enum fx_sandbox_mode mode, const char *const *addresses,
                     size_t n_addresses, struct fx_err *err) {
    if (mode == FX_SANDBOX_OFF || fx_sandbox_obstacle() != NULL) {
        return true; /* reported by fx_sandbox_enter() */
    }
    rings.failed = !fx_sandbox_filter_hide_rings(&rings.err);
    struct fx_err failure = FX_ERR_INIT;
    if (drop_all(has_low_port(addresses, n_addresses), &failure)) {
        return true;
    }
    if (mode == FX_SANDBOX_REQUIRE) {
        return fx_fail(err, FX_EIO, "sandbox: %s", failure.msg);
    }
    fx_log(WARN, "privileges kept", fx_log_str("reason", failure.msg));
    return true;
}

/* ---- the filter ---- */

static bool report_inactive(enum fx_sandbox_mode mode, const char *reason,
                            struct fx_err *err) {
    if (mode == FX_SANDBOX_REQUIRE) {
        return fx_fail(err, FX_EIO, "sandbox: %s", reason);
    }
    fx_log(WARN, "no sandbox", fx_log_str("reason", reason));
    return true;
}

bool fx_sandbox_enter(enum fx_sandbox_mode mode, struct fx_err *err) {
    if (mode == FX_SANDBOX_OFF) {
        return report_inactive(mode, "--sandbox off", err);
    }
    const char *obstacle = fx_sandbox_obstacle();
    if (obstacle != NULL) {
        return report_inactive(mode, obstacle, err);
    }
    const unsigned capabilities =
        count_capabilities(); /* counted here, because the filter forbids it */
    struct fx_err failure = FX_ERR_INIT;
    if (rings.failed) {
        return report_inactive(mode, rings.err.msg, err);
    }
    if (!fx_sandbox_filter_install(&failure)) {
        return report_inactive(mode, failure.msg, err);
    }
    fx_log(INFO, "sandbox active", fx_log_str("seccomp", "allow-list"),
           fx_log_str("no_new_privs", "yes"), fx_log_int("capabilities", capabilities));
    return true;
}
