/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox.c - drops capabilities and core dumps, installs the filter, and detects
 * when that is not possible.
 *
 * The filter's groups are lists of names. A name that this libseccomp or this
 * architecture does not have is skipped: then the call does not exist, or ENOSYS is
 * correct.
 */
#define _GNU_SOURCE /* syscall(), CLONE_* */

#include "server/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/netlink.h>
#include <seccomp.h>

#include "base/log.h"
#include "net/address.h"

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

/* Clears the bounding and the ambient set, from which another program could regain
 * capabilities. Without CAP_SETPCAP the bounding set cannot be reduced; then
 * `no_new_privs` has the same effect. */
static void shrink_bounds(void) {
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
    for (long cap = 0; prctl(PR_CAPBSET_READ, cap, 0L, 0L, 0L) >= 0; cap++) {
        (void)prctl(PR_CAPBSET_DROP, cap, 0L, 0L, 0L);
    }
}

/* The limit is 1 and not 0: with 0 the kernel still pipes a dump to a collecting program
 * (core(5)); with 1 it makes no dump at all. If only 0 is allowed, the limit is 0. */
static bool drop_core_dumps(void) {
    const struct rlimit none = {1, 1};
    const struct rlimit zero = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 || setrlimit(RLIMIT_CORE, &zero) == 0;
}

/* Why io_uring could not be hidden. fx_sandbox_enter() reports it. */
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

/* Reports that the system refuses a part of the sandbox. */
static bool report_refusal(enum fx_sandbox_mode mode, const char *msg, const char *reason,
                           struct fx_err *err) {
    if (mode == FX_SANDBOX_REQUIRE) {
        return fx_fail(err, FX_EIO, "sandbox: %s", reason);
    }
    const struct fx_log_field fields[] = {fx_log_str("reason", reason), {0}};
    fx_log_write(FX_LOG_WARN, msg, fields);
    return true;
}

bool fx_sandbox_drop(enum fx_sandbox_mode mode, const char *const *addresses,
                     size_t n_addresses, struct fx_err *err) {
    if (mode == FX_SANDBOX_OFF || fx_sandbox_obstacle() != NULL) {
        return true; /* reported by fx_sandbox_enter() */
    }
    rings.failed = !fx_sandbox_filter_hide_rings(&rings.err);
    struct fx_err failure = FX_ERR_INIT;
    return drop_all(has_low_port(addresses, n_addresses), &failure) ||
           report_refusal(mode, "privileges kept", failure.msg, err);
}

/* ---- the groups of system calls ---- */

static const char *const allowed[] = {
    /* reading and writing */
    "read", "readv", "pread64", "write", "writev", "close", "lseek", "dup", "dup2",
    "dup3", "fcntl", "pipe2",
    /* files: status and notification; openat() is below */
    "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "getdents64", "readlink", "readlinkat", "getcwd", "inotify_init1",
    "inotify_add_watch", "inotify_rm_watch",
    /* sockets; socket() is below */
    "bind", "listen", "accept", "accept4", "connect", "shutdown", "getsockname",
    "getpeername", "getsockopt", "setsockopt", "recvfrom", "recvmsg", "recvmmsg",
    "sendto", "sendmsg", "sendmmsg",
    /* waiting */
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "poll",
    "ppoll", "select", "pselect6", "nanosleep", "clock_nanosleep", "restart_syscall",
    /* memory; mmap() and mprotect() are below */
    "brk", "munmap", "mremap", "madvise",
    /* threads and signals; clone() and tgkill() are below */
    "futex", "set_robust_list", "get_robust_list", "rseq", "sched_yield",
    "sched_getaffinity", "sched_setaffinity", "membarrier", "exit", "exit_group",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sigaltstack",
    /* time, ids, resources */
    "clock_gettime", "clock_getres", "gettimeofday", "time", "getrandom", "getpid",
    "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getcpu", "uname",
    "sysinfo", "getrusage", "getrlimit", "times"};

static const char *const forbidden[] = {
    /* another program, another process */
    "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv",
    "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_open",
    "pidfd_getfd", "kcmp", "uselib",
    /* another view of the system */
    "unshare", "setns", "chroot", "pivot_root", "mount", "umount2", "move_mount",
    "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "open_by_handle_at", "name_to_handle_at", "personality",
    /* another user */
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
    "setfsuid", "setfsgid", "capset",
    /* the kernel itself */
    "init_module", "finit_module", "delete_module", "create_module", "kexec_load",
    "kexec_file_load", "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key",
    "keyctl", "lookup_dcookie", "modify_ldt", "iopl", "ioperm", "vmsplice",
    /* the machine */
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "nfsservctl",
    "sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "syslog", "vhangup"};

#define NAMESPACES                                                                 \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
     CLONE_NEWPID | CLONE_NEWNET)
#define THREAD (CLONE_THREAD | CLONE_VM | CLONE_SIGHAND)

/* A system call that is allowed, or forbidden, if `argument & mask == value`. */
struct argument_condition {
    const char *call;
    unsigned argument;
    uint64_t mask, value;
};

#define ANY_BIT UINT64_MAX

static const struct argument_condition allowed_where[] = {
    {"open", 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    {"openat", 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY},
    {"socket", 0, ANY_BIT, AF_INET},
    {"socket", 0, ANY_BIT, AF_INET6},
    {"mmap", 2, PROT_EXEC, 0},
    {"mprotect", 2, PROT_EXEC, 0},
    {"clone", 0, THREAD | NAMESPACES, THREAD},
    {"prctl", 0, ANY_BIT, PR_SET_NAME},
    {"prlimit64", 2, ANY_BIT, 0},   /* only reads a limit */
    {"setpriority", 1, ANY_BIT, 0}, /* only for the calling thread (base/priority.h) */
    {"ioctl", 1, UINT32_MAX, FIONBIO},
    {"ioctl", 1, UINT32_MAX, FIONREAD},
    {"ioctl", 1, UINT32_MAX, FIOCLEX},
    {"ioctl", 1, UINT32_MAX, TCGETS},
    {"ioctl", 1, UINT32_MAX, SIOCGIFINDEX}, /* fe80::1%eth0 */
};

static const struct argument_condition forbidden_where[] = {
    {"clone", 0, CLONE_THREAD, 0}, /* starts a process */
};

/* ---- the filter ---- */

static bool fail_seccomp(struct fx_err *err, const char *what, int rc) {
    return rc == -ENOMEM ? fx_fail_nomem(err)
                         : fx_fail(err, FX_EIO, "seccomp: %s: %s", what, strerror(-rc));
}

static bool add_names(scmp_filter_ctx filter, uint32_t action, const char *const *names,
                      size_t n_names, struct fx_err *err) {
    for (size_t i = 0; i < n_names; i++) {
        const int call = seccomp_syscall_resolve_name(names[i]);
        /* A negative number is a call of another architecture. */
        const int rc = call < 0 ? 0 : seccomp_rule_add(filter, action, call, 0);
        if (rc != 0) {
            return fail_seccomp(err, names[i], rc);
        }
    }
    return true;
}

static bool add_conditions(scmp_filter_ctx filter, uint32_t action,
                           const struct argument_condition *conditions,
                           size_t n_conditions, struct fx_err *err) {
    for (size_t i = 0; i < n_conditions; i++) {
        const struct argument_condition *at = &conditions[i];
        const struct scmp_arg_cmp holds = {at->argument, SCMP_CMP_MASKED_EQ, at->mask,
                                           at->value};
        const int call = seccomp_syscall_resolve_name(at->call);
        const int rc =
            call < 0 ? 0 : seccomp_rule_add_array(filter, action, call, 1, &holds);
        if (rc != 0) {
            return fail_seccomp(err, at->call, rc);
        }
    }
    return true;
}

/* Allows the netlink protocol with which getaddrinfo() reads the addresses of this
 * machine. Other netlink protocols have had vulnerabilities. */
static bool add_routes(scmp_filter_ctx filter, struct fx_err *err) {
    const struct scmp_arg_cmp both[] = {
        {0, SCMP_CMP_EQ, AF_NETLINK, 0},
        {2, SCMP_CMP_EQ, NETLINK_ROUTE, 0},
    };
    const int call = seccomp_syscall_resolve_name("socket");
    const int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 2, both);
    return rc == 0 || fail_seccomp(err, "socket", rc);
}

/* Allows signals to this process, which abort() needs. No other process may be
 * signalled. */
static bool add_own_signals(scmp_filter_ctx filter, struct fx_err *err) {
    const struct argument_condition own_process = {"tgkill", 0, UINT32_MAX,
                                                   (uint64_t)getpid()};
    return add_conditions(filter, SCMP_ACT_ALLOW, &own_process, 1, err);
}

/* The first two attributes are optional: a binary tree, which is faster than a list; and
 * no mitigation of speculative store bypass. Kernels before 5.16 turn that on with a
 * filter, but it is not needed because no foreign code runs here. */
static bool set_attributes(scmp_filter_ctx filter, struct fx_err *err) {
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    int rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (rc == 0) {
        rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    }
    return rc == 0 || fail_seccomp(err, "setting attributes", rc);
}

static bool add_all(scmp_filter_ctx filter, struct fx_err *err) {
    return set_attributes(filter, err) &&
           add_names(filter, SCMP_ACT_ALLOW, allowed, FX_COUNT(allowed), err) &&
           add_names(filter, SCMP_ACT_KILL_PROCESS, forbidden, FX_COUNT(forbidden),
                     err) &&
           add_conditions(filter, SCMP_ACT_ALLOW, allowed_where, FX_COUNT(allowed_where),
                          err) &&
           add_conditions(filter, SCMP_ACT_KILL_PROCESS, forbidden_where,
                          FX_COUNT(forbidden_where), err) &&
           add_routes(filter, err) && add_own_signals(filter, err);
}

static bool add_io_uring(scmp_filter_ctx filter, struct fx_err *err) {
    static const char *const calls[] = {"io_uring_setup"};
    return set_attributes(filter, err) &&
           add_names(filter, SCMP_ACT_ERRNO(ENOSYS), calls, FX_COUNT(calls), err);
}

/* Installs a filter with the rules of `add`, and `otherwise` for all other calls. */
static bool install_filter(uint32_t otherwise,
                           bool (*add)(scmp_filter_ctx filter, struct fx_err *err),
                           struct fx_err *err) {
    scmp_filter_ctx filter = seccomp_init(otherwise);
    if (filter == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = add(filter, err);
    if (ok) {
        const int rc = seccomp_load(filter);
        ok = rc == 0 || fail_seccomp(err, "installing the filter", rc);
    }
    seccomp_release(filter);
    return ok;
}

bool fx_sandbox_filter_hide_rings(struct fx_err *err) {
    return install_filter(SCMP_ACT_ALLOW, add_io_uring, err);
}

bool fx_sandbox_filter_install(struct fx_err *err) {
    return install_filter(SCMP_ACT_ERRNO(ENOSYS), add_all, err);
}

/* ---- the sandbox ---- */

bool fx_sandbox_enter(enum fx_sandbox_mode mode, struct fx_err *err) {
    if (mode == FX_SANDBOX_OFF) {
        return report_refusal(mode, "no sandbox", "--sandbox off", err);
    }
    const char *obstacle = fx_sandbox_obstacle();
    if (obstacle != NULL) {
        return report_refusal(mode, "no sandbox", obstacle, err);
    }
    const unsigned capabilities =
        count_capabilities(); /* counted here, because the filter forbids it */
    struct fx_err failure = FX_ERR_INIT;
    if (rings.failed) {
        return report_refusal(mode, "no sandbox", rings.err.msg, err);
    }
    if (!fx_sandbox_filter_install(&failure)) {
        return report_refusal(mode, "no sandbox", failure.msg, err);
    }
    fx_log(INFO, "sandbox active", fx_log_str("seccomp", "allow-list"),
           fx_log_str("no_new_privs", "yes"), fx_log_int("capabilities", capabilities));
    return true;
}
