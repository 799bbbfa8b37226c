/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry_internal.h - private: how families and labels stand in memory.
 */
#ifndef FX_METRICS_REGISTRY_INTERNAL_H
#define FX_METRICS_REGISTRY_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/registry.h"

/* Written by one thread, read by any. */
struct fx_metric_value {
    _Atomic(double) value;
};

struct fx_family {
    struct fx_family_options plan;
    struct fx_labels *labels;
    /* By thread; one alone of gauges, and where labels come up as we go: `stride` cells
     * for each series that `labels` has room for. */
    struct fx_metric_value **cells;
    size_t n_threads;
    size_t stride;          /* 1; of a histogram one for each bucket, +Inf, and the sum */
    struct fx_family *next; /* as added */
    struct fx_family *next_sharer; /* of the same labels */
};

struct fx_labels {
    const char *keys[FX_LABELS_KEYS];
    size_t n_keys;
    size_t max;  /* series, OTHER not counted */
    char **rows; /* by series: `kind="Assign",name="a"`; NULL: free, or not yet shown */
    size_t n_rows, cap_rows; /* whoever shares them has cells for cap_rows */
    size_t n_free;           /* of those below n_rows */
    uint32_t *order;         /* the series that are shown, as printed */
    size_t n_order;
    struct fx_family *sharers;
    struct fx_labels *next;
};

struct fx_registry {
    size_t n_threads;
    struct fx_family *families, **last;
    struct fx_labels *labels;
    struct reader {
        void (*read)(void *user);
        void *user;
    } *readers;
    size_t n_readers, cap_readers;
};

/* Labels with room for `room` series, none of them there yet. NULL without memory. */
struct fx_labels *fx_labels_create(const char *const *keys, size_t n_keys,
                                   size_t room) FX_MUST_USE;
void fx_labels_destroy(struct fx_labels *labels); /* NULL is fine */

/* Appends a series of known labels, shown from now on. False without memory. */
bool fx_labels_append(struct fx_labels *labels, const struct fx_text *values) FX_MUST_USE;

/* What all threads have counted in a cell. */
double fx_family_sum(const struct fx_family *family, size_t cell);

/* The cells of a series at the start: nothing counted, no value known. */
void fx_family_reset(struct fx_family *family, uint32_t series);

#endif
