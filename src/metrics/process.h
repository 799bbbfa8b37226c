/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/process.h - metrics of the process, with the names that Prometheus' client
 * libraries use. Read from /proc (proc(5)) at each scrape; values that cannot be read are
 * omitted.
 */
#ifndef FX_METRICS_PROCESS_H
#define FX_METRICS_PROCESS_H

#include <stdbool.h>

#include "base/macros.h"
#include "base/text.h"
#include "metrics/registry.h"

/* id, type, name, help */
#define FX_PROCESS_FAMILIES(X)                                                        \
    X(CPU, COUNTER, "process_cpu_seconds_total",                                      \
      "User and system CPU time, in seconds.")                                        \
    X(OPEN_FDS, GAUGE, "process_open_fds", "Open file descriptors.")                  \
    X(MAX_FDS, GAUGE, "process_max_fds", "Maximum number of open file descriptors.")  \
    X(VIRTUAL, GAUGE, "process_virtual_memory_bytes", "Virtual memory, in bytes.")    \
    X(RESIDENT, GAUGE, "process_resident_memory_bytes", "Resident memory, in bytes.") \
    X(START, GAUGE, "process_start_time_seconds",                                     \
      "Start time of the process, in seconds since 1970.")

enum fx_process_family {
#define X(id, type, name, help) FX_PROCESS_##id,
    FX_PROCESS_FAMILIES(X)
#undef X
        FX_PROCESS_COUNT
};

struct fx_process_metrics {
    struct fx_family *families[FX_PROCESS_COUNT];
};

/* Adds the families to the registry. `process` must outlive it. False if out of memory.
 */
bool fx_process_metrics_add(struct fx_process_metrics *process,
                            struct fx_registry *registry) FX_MUST_USE;

/* Values of /proc/self/stat, in the units of the kernel. */
struct fx_process_stat {
    unsigned long long user_ticks, system_ticks; /* of the processor */
    unsigned long long start_ticks;              /* after boot */
    unsigned long long virtual_bytes, resident_pages;
};

/* Parses the line of /proc/<pid>/stat; the command name in it may contain anything. False
 * if the line is invalid, or if out of memory. */
bool fx_process_stat_read(struct fx_text line, struct fx_process_stat *ret_stat);

#endif
