/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.h - what a process counts, and its text for Prometheus (exposition
 * format 0.0.4). Any room can count into it; nobody needs to know the server.
 *
 * A family is one metric: a name, a type, a sentence. It has a series for each row of its
 * labels, and the series is all that counting needs: an index into an array. Labels are
 * known from the start (each value's index is its series), or they come up as we go
 * (`struct fx_labels`): then their number is bounded, and what is over the bound is
 * counted together, so that sums stay true.
 *
 * Several threads may count, each into cells of its own, without a lock: what is printed
 * is their sum. All the rest, gauges and labels that come up as we go among it, is the
 * first thread's. Everything is the registry's and lives as long as it does; names and
 * sentences are words of ours that live for ever.
 */
#ifndef FX_METRICS_REGISTRY_H
#define FX_METRICS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_registry; /* opaque */
struct fx_family;   /* opaque */
struct fx_labels;   /* opaque: label values that come up as we go */

/* For so many threads that count, at least one. NULL without memory. */
struct fx_registry *fx_registry_create(size_t n_threads) FX_MUST_USE;
void fx_registry_destroy(struct fx_registry *registry); /* NULL is fine */

/* From now on the calling thread is the one of that number, whatever registry it counts
 * into, and no other thread is. At first every thread is number 0: any number of these
 * may count at once, too, which costs a little more. */
void fx_registry_set_thread(unsigned thread);

#define FX_FAMILY_TYPES(X) \
    X(COUNTER, "counter")  \
    X(GAUGE, "gauge")      \
    X(HISTOGRAM, "histogram")

enum fx_family_type {
#define X(name, text) FX_FAMILY_##name,
    FX_FAMILY_TYPES(X)
#undef X
};

/* The upper bounds of a histogram's buckets, ascending; +Inf is added. */
struct fx_buckets {
    const double *bounds;
    size_t n_bounds;
};

/* What a family is. */
struct fx_family_options {
    enum fx_family_type type;
    const char *name, *help;
    /* The labels: one whose values are known, ended by NULL; or those of a table; or,
     * both NULL, none: one series, 0. */
    const char *key;
    const char *const *values;
    struct fx_labels *labels;
    const struct fx_buckets *buckets; /* of a histogram; lives as long */
};

/* Adds a family; they are printed in the order in which they were added. NULL without
 * memory. A name may be added once. */
struct fx_family *fx_registry_add(struct fx_registry *registry,
                                  const struct fx_family_options *plan) FX_MUST_USE;

/* One more of a counter. */
void fx_family_count(struct fx_family *family, uint32_t series);

/* So many more of a counter, at least 0. */
void fx_family_add(struct fx_family *family, uint32_t series, double amount);

/* Another value of a gauge, which is not printed before it has one, or of a counter that
 * is counted elsewhere. */
void fx_family_set(struct fx_family *family, uint32_t series, double value);

/* One observation of a histogram. */
void fx_family_observe(struct fx_family *family, uint32_t series, double value);

/* ---- labels that come up as we go ------------------------------------------------- */

#define FX_LABELS_KEYS  4u   /* at most so many of a table */
#define FX_LABEL_BYTES  256u /* of a value; longer ones are cut, and may then be one */
#define FX_SERIES_OTHER 0u   /* of every table: what found no place of its own */

/* A table of labels that several families may share: a series is then the same of each.
 * At most `max` series besides FX_SERIES_OTHER. NULL without memory. */
struct fx_labels *fx_registry_add_labels(struct fx_registry *registry,
                                         const char *const *keys, size_t n_keys,
                                         size_t max) FX_MUST_USE;

/* The series of these values, one for each key: found, or made. FX_SERIES_OTHER, each of
 * whose values is `other`, where there are `max` already, or no memory. */
uint32_t fx_labels_get(struct fx_labels *labels, const struct fx_text *values);

/* Is there a series of these values? None is made. */
bool fx_labels_find(const struct fx_labels *labels, const struct fx_text *values,
                    uint32_t *ret_series);

/* Is there no room for another series? */
bool fx_labels_is_full(const struct fx_labels *labels);

/* FX_SERIES_OTHER, which is printed from now on. */
uint32_t fx_labels_other(struct fx_labels *labels);

/* Ends a series with all that was counted in it. That of the others cannot end. */
void fx_labels_drop(struct fx_labels *labels, uint32_t series);

/* ---- the text --------------------------------------------------------------------- */

/* `read` is called before each printing: for what is looked at rather than counted.
 * False without memory. */
bool fx_registry_add_reader(struct fx_registry *registry, void (*read)(void *user),
                            void *user) FX_MUST_USE;

/* Appends everything, series ordered by their labels. Failure sticks in `buf`. */
void fx_registry_print(struct fx_registry *registry, struct fx_buf *buf);

#define FX_REGISTRY_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
