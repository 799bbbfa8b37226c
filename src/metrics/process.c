/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/process.c - reads /proc at each scrape.
 */
#include "metrics/process.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

#define FILE_BYTES ((size_t)65536)

static const struct fx_family_options options[FX_PROCESS_COUNT] = {
#define X(id, type, name, help) {FX_FAMILY_##type, name, help, NULL, NULL, NULL, NULL},
    FX_PROCESS_FAMILIES(X)
#undef X
};

/* The number in field `n` (from 0) of a text with fields separated by blanks. */
static bool read_field(const char *text, unsigned n, unsigned long long *ret_number) {
    char *end = NULL;
    text += strspn(text, " ");
    for (; n > 0; n--) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    *ret_number = strtoull(text, &end, 10);
    return end != text;
}

bool fx_process_stat_read(struct fx_text line, struct fx_process_stat *ret_stat) {
    size_t at = line.len; /* the last `)` ends the command */
    while (at > 0 && line.data[at - 1] != ')') {
        at--;
    }
    char *rest = fx_text_dup((struct fx_text){line.data + at, line.len - at});
    struct fx_process_stat made = {0};
    /* proc(5) numbers the fields from 1; the state, which comes first here, is the third
     */
    const bool ok = at > 0 && rest != NULL &&
                    read_field(rest, 14 - 3, &made.user_ticks) &&
                    read_field(rest, 15 - 3, &made.system_ticks) &&
                    read_field(rest, 22 - 3, &made.start_ticks) &&
                    read_field(rest, 23 - 3, &made.virtual_bytes) &&
                    read_field(rest, 24 - 3, &made.resident_pages);
    free(rest);
    if (ok) {
        *ret_stat = made;
    }
    return ok;
}

static bool read_stat(struct fx_process_stat *ret_stat) {
    struct fx_buf bytes = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_file_read("/proc/self/stat", FILE_BYTES, &bytes, &err) &&
                    fx_process_stat_read(fx_buf_view(&bytes), ret_stat);
    fx_buf_finish(&bytes);
    return ok;
}

/* When the machine started, in seconds since 1970; 0 if unknown. */
static double boot_seconds(void) {
    struct fx_buf bytes = {0};
    struct fx_err err = FX_ERR_INIT;
    double seconds = 0;
    if (fx_file_read("/proc/stat", 16 * FILE_BYTES, &bytes, &err) && bytes.len > 0) {
        const char *line = strstr(bytes.data, "\nbtime ");
        seconds = line == NULL ? 0 : strtod(line + strlen("\nbtime "), NULL);
    }
    fx_buf_finish(&bytes);
    return seconds;
}

/* 0 if unknown. */
static double count_open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        return 0;
    }
    double n = -1; /* not counting the folder itself */
    for (const struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        n += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return n;
}

static void process_read(void *user) {
    struct fx_process_metrics *process = user;
    struct fx_family *const *families = process->families;
    struct fx_process_stat stat;
    struct rlimit limit;
    if (read_stat(&stat)) {
        const double ticks = (double)sysconf(_SC_CLK_TCK);
        const double page = (double)sysconf(_SC_PAGESIZE);
        fx_family_set(families[FX_PROCESS_CPU], 0,
                      (double)(stat.user_ticks + stat.system_ticks) / ticks);
        fx_family_set(families[FX_PROCESS_VIRTUAL], 0, (double)stat.virtual_bytes);
        fx_family_set(families[FX_PROCESS_RESIDENT], 0,
                      (double)stat.resident_pages * page);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        fx_family_set(families[FX_PROCESS_MAX_FDS], 0, (double)limit.rlim_cur);
    }
    const double open_files = count_open_files();
    if (open_files > 0) {
        fx_family_set(families[FX_PROCESS_OPEN_FDS], 0, open_files);
    }
}

/* Read once, because it does not change. */
static void set_start_time(struct fx_process_metrics *process) {
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    const double boot = boot_seconds();
    struct fx_process_stat stat;
    if (boot > 0 && read_stat(&stat)) {
        fx_family_set(process->families[FX_PROCESS_START], 0,
                      boot + (double)stat.start_ticks / ticks);
    }
}

bool fx_process_metrics_add(struct fx_process_metrics *process,
                            struct fx_registry *registry) {
    for (size_t i = 0; i < FX_COUNT(options); i++) {
        process->families[i] = fx_registry_add(registry, &options[i]);
        if (process->families[i] == NULL) {
            return false;
        }
    }
    set_start_time(process);
    return fx_registry_add_reader(registry, process_read, process);
}
