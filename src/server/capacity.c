/* SPDX-License-Identifier: Apache-2.0
 *
 * server/capacity.c - reads the CPU affinity, the files of the cgroup, and the limit of
 * descriptors.
 */
#include "server/capacity.h"

#include <stdint.h>
#include <sys/resource.h>
#include <uv.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"

#define TEXT_BYTES ((size_t)65536) /* of one of these files */
#define CORES_MAX  ((size_t)65536)
#define NUMBER_MAX (UINT64_C(1) << 53) /* microseconds */

/* ---- parsing ---- */

/* number := digit { digit } */
static bool read_number(struct fx_text text, uint64_t *ret_number) {
    uint64_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (c < '0' || c > '9' || number > NUMBER_MAX / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(c - '0');
    }
    *ret_number = number;
    return text.len > 0;
}

bool fx_cores_of_quota(struct fx_text quota, struct fx_text period, size_t *ret_cores) {
    uint64_t used = 0;
    uint64_t of = 0;
    if (!read_number(fx_text_cut(&quota, '\n'), &used) ||
        !read_number(fx_text_cut(&period, '\n'), &of) || used == 0 || of == 0) {
        return false;
    }
    const uint64_t cores = (used + of - 1) / of;
    *ret_cores = cores > CORES_MAX ? CORES_MAX : (size_t)cores;
    return true;
}

/* cpu.max := quota " " period "\n" */
bool fx_cores_of_max(struct fx_text text, size_t *ret_cores) {
    const struct fx_text quota = fx_text_cut(&text, ' ');
    return fx_cores_of_quota(quota, text, ret_cores);
}

static bool has_controller(struct fx_text controllers, struct fx_text controller) {
    if (controller.len == 0) {
        return controllers.len == 0;
    }
    while (controllers.len > 0) {
        if (fx_text_equal(fx_text_cut(&controllers, ','), controller)) {
            return true;
        }
    }
    return false;
}

/* line := number ":" [ controller { "," controller } ] ":" path "\n" */
bool fx_cores_find_group(struct fx_text text, struct fx_text controller,
                         struct fx_text *ret_path) {
    while (text.len > 0) {
        struct fx_text line = fx_text_cut(&text, '\n');
        (void)fx_text_cut(&line, ':');
        const struct fx_text controllers = fx_text_cut(&line, ':');
        if (line.len > 0 && line.data[0] == '/' &&
            has_controller(controllers, controller)) {
            *ret_path = line;
            return true;
        }
    }
    return false;
}

/* ---- files ---- */

/* Reads the file. Replaces the content of `ret_bytes`. */
static bool read_file(const char *path, struct fx_buf *ret_bytes) {
    struct fx_err ignored = FX_ERR_INIT;
    fx_buf_reset(ret_bytes);
    return fx_file_read(path, TEXT_BYTES, ret_bytes, &ignored);
}

/* Reads the named file in the folder of a group. */
static bool read_of_group(const char *root, struct fx_text group, const char *name,
                          struct fx_buf *ret_bytes) {
    struct fx_buf path = {0};
    fx_buf_printf(&path, "%s%.*s/%s", root, (int)group.len, group.data, name);
    const bool ok = !path.failed && read_file(path.data, ret_bytes);
    fx_buf_finish(&path);
    return ok;
}

/* Reads the quota of a group in version 2. */
static bool read_max(struct fx_text group, size_t *ret_cores) {
    struct fx_buf max = {0};
    const bool ok = read_of_group("/sys/fs/cgroup", group, "cpu.max", &max) &&
                    fx_cores_of_max(fx_buf_view(&max), ret_cores);
    fx_buf_finish(&max);
    return ok;
}

/* Reads the quota of a group in version 1. */
static bool read_quota(struct fx_text group, size_t *ret_cores) {
    static const char root[] = "/sys/fs/cgroup/cpu";
    struct fx_buf quota = {0};
    struct fx_buf period = {0};
    const bool ok =
        read_of_group(root, group, "cpu.cfs_quota_us", &quota) &&
        read_of_group(root, group, "cpu.cfs_period_us", &period) &&
        fx_cores_of_quota(fx_buf_view(&quota), fx_buf_view(&period), ret_cores);
    fx_buf_finish(&quota);
    fx_buf_finish(&period);
    return ok;
}

/* The group above; the root has an empty path. */
static struct fx_text parent_of(struct fx_text group) {
    bool is_found = false;
    while (group.len > 0 && !is_found) {
        group.len--;
        is_found = group.data[group.len] == '/';
    }
    return group;
}

/* The minimum of `cores` and the quotas of the group and those above it. In a container
 * the path may exist only on the host: then the root has the quota. */
static size_t least_of_group(struct fx_text group,
                             bool (*read_quota_of)(struct fx_text group,
                                                   size_t *ret_cores),
                             size_t cores) {
    for (;;) {
        size_t bound = cores;
        if (read_quota_of(group, &bound) && bound < cores) {
            cores = bound;
        }
        if (group.len == 0) {
            return cores;
        }
        group = parent_of(group);
    }
}

size_t fx_cores_usable(void) {
    struct fx_buf groups = {0};
    struct fx_text group;
    size_t cores = uv_available_parallelism();
    if (read_file("/proc/self/cgroup", &groups)) {
        if (fx_cores_find_group(fx_buf_view(&groups), (struct fx_text){0}, &group)) {
            cores = least_of_group(group, read_max, cores);
        }
        if (fx_cores_find_group(fx_buf_view(&groups), FX_TEXT("cpu"), &group)) {
            cores = least_of_group(group, read_quota, cores);
        }
    }
    fx_buf_finish(&groups);
    return cores == 0 ? 1 : cores;
}

/* ---- file descriptors ---- */

/* Descriptors for health connections, connections to providers and the API server, files
 * and loops. At most half of all descriptors. */
#define RESERVE 640u

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

void fx_descriptors_share(size_t limit, struct fx_descriptors *wanted) {
    wanted->webhook = min_size(wanted->webhook, limit - min_size(limit / 2, RESERVE));
    wanted->health = min_size(wanted->health, limit / 4);
}

void fx_descriptors_plan(struct fx_descriptors *wanted) {
    const size_t before = wanted->webhook;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    const struct rlimit all = {limit.rlim_max, limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &all) == 0) {
        limit = all;
    }
    if (limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    fx_descriptors_share((size_t)limit.rlim_cur, wanted);
    if (wanted->webhook < before) {
        fx_log(WARN, "too few file descriptors: connection limit lowered",
               fx_log_int("descriptors", (int64_t)limit.rlim_cur),
               fx_log_int("wanted", (int64_t)before),
               fx_log_int("connections", (int64_t)wanted->webhook));
    }
}
