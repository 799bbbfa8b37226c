/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox_test.c - each forbidden thing is tried by a child of its own, behind the
 * same filter as a server's.
 */
#define _GNU_SOURCE /* CLONE_*, syscall() */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "server/sandbox.h"

/* How a child ends that could not begin. */
#define UNFIT 99

/* The exit status of a child that runs `act`, behind the filter or
 * without one, or minus the signal that ended it. */
static int status_of(int (*act)(void), bool filtered) {
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct fx_err err = FX_ERR_INIT;
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        _exit(!filtered || fx_sandbox_filter_install(&err) ? act() : UNFIT);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void skip_if_watched(void) {
    if (fx_sandbox_obstacle() != NULL) {
        print_message("skipped: %s\n", fx_sandbox_obstacle());
        skip();
    }
}

/* ---- what ends the process ---- */

static int start_program(void) {
    char *const argv[] = {(char[]){"true"}, NULL};
    (void)execv("/bin/true", argv);
    return errno;
}

static int fork_ourselves(void) {
    return fork() < 0 ? errno : 0;
}

static int trace_parent(void) {
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 ? errno : 0;
}

static int make_namespace(void) {
    return unshare(CLONE_NEWUSER) < 0 ? errno : 0;
}

static int clone_into_namespace(void) {
    const long made = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    return made < 0 ? errno : 0;
}

static int read_memory(void) {
    char byte = 0;
    return syscall(SYS_process_vm_readv, getppid(), &byte, 0, &byte, 0, 0) < 0 ? errno
                                                                               : 0;
}

static int mount_something(void) {
    return syscall(SYS_mount, "none", "/", "tmpfs", 0, 0) < 0 ? errno : 0;
}

static int load_bpf(void) {
    return syscall(SYS_bpf, 0, 0, 0) < 0 ? errno : 0;
}

static int ask_for_keys(void) {
    return syscall(SYS_keyctl, 0, 0, 0, 0, 0) < 0 ? errno : 0;
}

static int load_module(void) {
    return syscall(SYS_init_module, 0, 0, "") < 0 ? errno : 0;
}

static int become_another(void) {
    return setuid(65534) < 0 ? errno : 0;
}

static void deadly_calls_end_the_process(void **state) {
    (void)state;
    skip_if_watched();
    static int (*const acts[])(void) = {
        start_program,        fork_ourselves, trace_parent,    make_namespace,
        clone_into_namespace, read_memory,    mount_something, load_bpf,
        ask_for_keys,         load_module,    become_another};
    for (size_t i = 0; i < FX_COUNT(acts); i++) {
        if (status_of(acts[i], true) != -SIGSYS) {
            fail_msg("the one of index %zu does not end it", i);
        }
    }
}

/* ---- what is as if the kernel did not have it ---- */

static int open_packet_socket(void) {
    return socket(AF_PACKET, SOCK_RAW, 0) < 0 ? errno : 0;
}

static int open_unix_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int talk_to_netfilter(void) {
    return socket(AF_NETLINK, SOCK_RAW, 12 /* NETLINK_NETFILTER */) < 0 ? errno : 0;
}

static int write_file(void) {
    return open("/dev/null", O_WRONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int make_file(void) {
    return open("/tmp/fixpoint-sandbox-test", O_RDONLY | O_CREAT | O_CLOEXEC, 0600) < 0
               ? errno
               : 0;
}

static int map_code(void) {
    const void *code =
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return code == MAP_FAILED ? errno : 0;
}

static int make_code(void) {
    void *data =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED                                ? UNFIT
           : mprotect(data, 4096, PROT_READ | PROT_EXEC) < 0 ? errno
                                                             : 0;
}

static int signal_parent(void) {
    return kill(getppid(), 0) < 0 ? errno : 0;
}

static int signal_thread_of_parent(void) {
    return syscall(SYS_tgkill, getppid(), getppid(), 0) < 0 ? errno : 0;
}

static int type_into_terminal(void) {
    char byte = 'x';
    return syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, &byte) < 0 ? errno : 0;
}

static int remove_file(void) {
    return unlink("/tmp/fixpoint-sandbox-test") < 0 ? errno : 0;
}

static int raise_limit(void) {
    const struct rlimit files = {10, 10};
    return setrlimit(RLIMIT_NOFILE, &files) < 0 ? errno : 0;
}

static int ask_for_a_ring(void) {
    return syscall(SYS_io_uring_setup, 1, NULL) < 0 ? errno : 0;
}

static int call_what_is_not_there(void) {
    return syscall(100000) < 0 ? errno : 0;
}

static void other_calls_are_not_there(void **state) {
    (void)state;
    skip_if_watched();
    static int (*const acts[])(void) = {talk_to_netfilter,
                                        open_packet_socket,
                                        open_unix_socket,
                                        write_file,
                                        make_file,
                                        map_code,
                                        make_code,
                                        signal_parent,
                                        signal_thread_of_parent,
                                        type_into_terminal,
                                        remove_file,
                                        raise_limit,
                                        ask_for_a_ring,
                                        call_what_is_not_there};
    for (size_t i = 0; i < FX_COUNT(acts); i++) {
        const int status = status_of(acts[i], true);
        if (status != ENOSYS) {
            fail_msg("the one of index %zu: %d", i, status);
        }
    }
}

/* ---- rings ---- */

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    static char room[64];
    (void)handle;
    (void)suggested;
    *ret_buf = uv_buf_init(room, sizeof room);
}

static void ignore(uv_udp_t *udp, ssize_t n, const uv_buf_t *buf,
                   const struct sockaddr *from, unsigned flags) {
    (void)udp;
    (void)n;
    (void)buf;
    (void)from;
    (void)flags;
}

static bool listen_on(uv_loop_t *loop, uv_udp_t *udp) {
    const struct sockaddr_in any = {.sin_family = AF_INET};
    return uv_udp_init(loop, udp) == 0 &&
           uv_udp_bind(udp, (const struct sockaddr *)&any, 0) == 0 &&
           uv_udp_recv_start(udp, give_room, ignore) == 0;
}

/* A ring that is refused before libuv asks for it is none that it misses later: it asks
 * when the loop first runs, and uses it for each descriptor from then on. */
static int run_a_loop(void) {
    struct fx_err err = FX_ERR_INIT;
    uv_loop_t loop;
    uv_udp_t before;
    uv_udp_t behind;
    if (!fx_sandbox_filter_hide_rings(&err) || ask_for_a_ring() != ENOSYS ||
        uv_loop_init(&loop) != 0 || !listen_on(&loop, &before)) {
        return UNFIT;
    }
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    if (!fx_sandbox_filter_install(&err) || !listen_on(&loop, &behind)) {
        return UNFIT;
    }
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    return 0;
}

static void loops_run_behind_the_filter(void **state) {
    (void)state;
    skip_if_watched();
    assert_int_equal(status_of(run_a_loop, false), 0);
}

/* ---- what still works ---- */

static void *count_up(void *user) {
    int *count = user;
    char *memory = malloc(1 << 20);
    free(memory);
    return memory == NULL ? NULL : (++*count, user);
}

static int run_thread(void) {
    pthread_t thread;
    int count = 0;
    if (pthread_create(&thread, NULL, count_up, &count) != 0) {
        return 1;
    }
    return pthread_join(thread, NULL) == 0 && count == 1 ? 0 : 2;
}

static int read_file(void) {
    char text[4096] = "";
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
    return n > 0 && strstr(text, "Seccomp:\t2") != NULL &&
                   strstr(text, "NoNewPrivs:\t1") != NULL
               ? 0
               : 1;
}

static int look_up(void) {
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const int rc = getaddrinfo("localhost", "443", &hints, &found);
    freeaddrinfo(found);
    return rc == 0 ? 0 : 1;
}

static int give_up(void) {
    abort();
}

static int step_on_nothing(void) {
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
    (void)raise(SIGSEGV);
    return 0;
}

static void serving_still_works(void **state) {
    (void)state;
    skip_if_watched();
    assert_int_equal(status_of(run_thread, true), 0);
    assert_int_equal(status_of(read_file, true), 0);
    assert_int_equal(status_of(look_up, true), 0);
    assert_int_equal(status_of(give_up, true), -SIGABRT);
    assert_int_equal(status_of(step_on_nothing, true), -SIGSEGV);
}

/* ---- threads that were there before ---- */

static pthread_barrier_t installed;

static void *try_program(void *user) {
    (void)user;
    (void)pthread_barrier_wait(&installed);
    (void)start_program();
    return NULL;
}

/* It began without the filter, and has it. */
static void threads_of_before_are_held(void **state) {
    (void)state;
    skip_if_watched();
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pthread_t thread;
        struct fx_err err = FX_ERR_INIT;
        if (pthread_barrier_init(&installed, NULL, 2) != 0 ||
            pthread_create(&thread, NULL, try_program, NULL) != 0 ||
            !fx_sandbox_filter_install(&err)) {
            _exit(UNFIT);
        }
        (void)pthread_barrier_wait(&installed);
        (void)pthread_join(thread, NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

/* ---- privileges ---- */

/* The value of a line of /proc/self/status, hexadecimal. */
static unsigned long long read_status(const char *name) {
    char line[256];
    unsigned long long value = 1;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
            value = strtoull(line + strlen(name) + 1, NULL, 16);
        }
    }
    if (status != NULL) {
        (void)fclose(status);
    }
    return value;
}

static int drop_and_look(const char *address) {
    struct fx_err err = FX_ERR_INIT;
    struct rlimit core = {0};
    if (!fx_sandbox_drop(FX_SANDBOX_REQUIRE, &address, 1, &err)) {
        return UNFIT;
    }
    const bool bare = geteuid() != 0 || read_status("CapBnd") == 0;
    const bool no_cores = getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max <= 1;
    return !bare || !no_cores              ? 1
           : read_status("CapEff") == 0    ? 2
           : read_status("CapEff") == 1024 ? 3
                                           : 4;
}

static int look_with(const char *address) {
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(drop_and_look(address));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

/* May any process use ports from 80 on, or had this process no privilege at start? */
static bool has_no_low_ports(void) {
    unsigned first = 1024;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "re");
    if (file != NULL) {
        (void)fscanf(file, "%u", &first);
        (void)fclose(file);
    }
    return first <= 80 || (read_status("CapEff") & 1024) == 0;
}

static void privileges_are_given_up(void **state) {
    (void)state;
    skip_if_watched();
    const int low = look_with("127.0.0.1:80");
    assert_int_equal(look_with("127.0.0.1:8443"), 2);
    assert_int_equal(look_with(":0"), 2);
    assert_int_equal(low, has_no_low_ports() ? 2 : 3);
}

static void nothing_is_given_up_where_it_is_off(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const unsigned long long before = read_status("CapBnd");
    assert_true(fx_sandbox_drop(FX_SANDBOX_OFF, NULL, 0, &err));
    assert_true(fx_sandbox_enter(FX_SANDBOX_OFF, &err));
    assert_true(read_status("CapBnd") == before);
    assert_true(read_status("Seccomp") == 0 || read_status("Seccomp") == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadly_calls_end_the_process),
        cmocka_unit_test(other_calls_are_not_there),
        cmocka_unit_test(loops_run_behind_the_filter),
        cmocka_unit_test(serving_still_works),
        cmocka_unit_test(threads_of_before_are_held),
        cmocka_unit_test(privileges_are_given_up),
        cmocka_unit_test(nothing_is_given_up_where_it_is_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
