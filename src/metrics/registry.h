/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry.h - the metrics of a process, and their text for Prometheus
 * (exposition format 0.0.4). Any room can add metrics without knowing the server.
 *
 * A family is one metric: a name, a type, a help text. It has a series for each
 * combination of label values; a series is an index into an array, and counting needs
 * only this index. Label values are fixed (the index of a value is its series), or
 * dynamic (`struct fx_labels`): then their number is limited, and one common series
 * counts everything over the limit, so that sums stay correct.
 *
 * Several threads may count without a lock, each with values of its own: the printed
 * value is their sum. Everything else, including gauges and dynamic labels, is for the
 * first thread only. The registry owns everything; names and help texts are constants.
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
struct fx_labels;   /* opaque: dynamic label values */

/* Creates a registry for `n_threads` counting threads, at least one. NULL if out of
 * memory. */
struct fx_registry *fx_registry_create(size_t n_threads) FX_MUST_USE;
void fx_registry_destroy(struct fx_registry *registry); /* NULL is fine */

/* Sets the number of the calling thread, for all registries; each number except 0 must be
 * used by one thread only. The default is 0: threads with number 0 may count
 * concurrently, which is a little slower. */
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

/* The upper bounds of a histogram's buckets, ascending, without +Inf. */
struct fx_buckets {
    const double *bounds;
    size_t n_bounds;
};

/* The description of a family. */
struct fx_family_options {
    enum fx_family_type type;
    const char *name, *help;
    /* The labels: `key` with fixed `values`, ended by NULL; or dynamic ones in `labels`;
     * or none (both NULL): then there is one series, 0. */
    const char *key;
    const char *const *values;
    struct fx_labels *labels;
    const struct fx_buckets *buckets; /* of a histogram; a constant */
};

/* Adds a family. Families are printed in the order in which they were added. A name may
 * be added once. NULL if out of memory. */
struct fx_family *fx_registry_add(struct fx_registry *registry,
                                  const struct fx_family_options *options) FX_MUST_USE;

/* Adds one to a counter. */
void fx_family_count(struct fx_family *family, uint32_t series);

/* Adds `amount`, at least 0, to a counter. */
void fx_family_add(struct fx_family *family, uint32_t series, double amount);

/* Sets a gauge, or a counter that is counted elsewhere. A gauge is not printed before it
 * is set. */
void fx_family_set(struct fx_family *family, uint32_t series, double value);

/* Adds an observation to a histogram. */
void fx_family_observe(struct fx_family *family, uint32_t series, double value);

/* ---- dynamic labels --------------------------------------------------------------- */

#define FX_LABELS_KEYS  4u   /* maximum number of keys */
#define FX_LABEL_BYTES  256u /* of a value; longer ones are cut, and may become equal */
#define FX_SERIES_OTHER 0u   /* the common series, in every table */

/* Adds a table of labels, which several families may share: a series has the same index
 * in each. At most `max` series, not counting FX_SERIES_OTHER. NULL if out of memory. */
struct fx_labels *fx_registry_add_labels(struct fx_registry *registry,
                                         const char *const *keys, size_t n_keys,
                                         size_t max) FX_MUST_USE;

/* The series of these values, one for each key; created if it does not exist.
 * FX_SERIES_OTHER, whose values are all `other`, if there are `max` series already, or if
 * out of memory. */
uint32_t fx_labels_get(struct fx_labels *labels, const struct fx_text *values);

/* Finds the series of these values. False if there is none. */
bool fx_labels_find(const struct fx_labels *labels, const struct fx_text *values,
                    uint32_t *ret_series);

/* Are there `max` series? */
bool fx_labels_is_full(const struct fx_labels *labels);

/* Returns FX_SERIES_OTHER, and prints it from now on. */
uint32_t fx_labels_other(struct fx_labels *labels);

/* Removes a series and its values. FX_SERIES_OTHER cannot be removed. */
void fx_labels_drop(struct fx_labels *labels, uint32_t series);

/* ---- printing --------------------------------------------------------------------- */

/* `read` is called before each printing, to set values that are not counted. False if out
 * of memory. */
bool fx_registry_add_reader(struct fx_registry *registry, void (*read)(void *user),
                            void *user) FX_MUST_USE;

/* Appends all families, series sorted by their labels. Sets `failed` of `buf` on failure.
 */
void fx_registry_print(struct fx_registry *registry, struct fx_buf *buf);

#define FX_REGISTRY_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
