/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry_internal.h - private: families and labels in memory.
 */
#ifndef FX_METRICS_REGISTRY_INTERNAL_H
#define FX_METRICS_REGISTRY_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/registry.h"

/* Written by one thread, read by any thread. */
struct fx_metric_value {
    _Atomic(double) value;
};

struct fx_family {
    struct fx_family_options options;
    struct fx_labels *labels;
    /* By thread (one only for gauges and dynamic labels): `stride` values for each series
     * that `labels` has room for. */
    struct fx_metric_value **values;
    size_t n_threads;
    size_t stride;                    /* 1; for a histogram: buckets, +Inf and the sum */
    struct fx_family *next;           /* in the order of adding */
    struct fx_family *next_of_labels; /* with the same labels */
};

struct fx_labels {
    const char *keys[FX_LABELS_KEYS];
    size_t n_keys;
    size_t max; /* series, not counting OTHER */
    char *
        *rows; /* by series: `kind="Assign",name="a"`; NULL: unused, or not printed yet */
    size_t n_rows, cap_rows; /* their families have values for cap_rows */
    size_t n_free;           /* unused ones below n_rows */
    uint32_t *order;         /* the printed series, in their order */
    size_t n_order;
    struct fx_family *families;
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

/* Creates labels with room for `room` series. NULL if out of memory. */
struct fx_labels *fx_labels_create(const char *const *keys, size_t n_keys,
                                   size_t room) FX_MUST_USE;
void fx_labels_destroy(struct fx_labels *labels); /* NULL is fine */

/* Appends a series with these values, which is printed from now on. False if out of
 * memory. */
bool fx_labels_append(struct fx_labels *labels, const struct fx_text *values) FX_MUST_USE;

/* Resets the values of a series: counters 0, gauges unset. */
void fx_family_reset(struct fx_family *family, uint32_t series);

#endif
