/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/print.c - Prometheus' text format 0.0.4:
 *
 *   # HELP name A sentence.
 *   # TYPE name counter
 *   name{label="value"} 5
 */
#include <math.h>

#include "metrics/registry_internal.h"

static const char *const type_names[] = {
#define X(name, text) [FX_FAMILY_##name] = text,
    FX_FAMILY_TYPES(X)
#undef X
};

/* name{labels} value, or name value */
static void print_sample(const char *name, const char *suffix, const char *row,
                         double value, struct fx_buf *buf) {
    fx_buf_str(buf, name);
    fx_buf_str(buf, suffix);
    if (row[0] != '\0') {
        fx_buf_printf(buf, "{%s}", row);
    }
    fx_buf_printf(buf, " %.15g\n", value);
}

static void print_bucket(const struct fx_family *family, const char *row, double bound,
                         double below, struct fx_buf *buf) {
    fx_buf_printf(buf, "%s_bucket{%s%sle=\"", family->options.name, row,
                  row[0] == '\0' ? "" : ",");
    if (isinf(bound)) {
        fx_buf_str(buf, "+Inf");
    } else {
        fx_buf_printf(buf, "%g", bound);
    }
    fx_buf_printf(buf, "\"} %.15g\n", below);
}

static void print_histogram(const struct fx_family *family, const char *row, size_t index,
                            struct fx_buf *buf) {
    const struct fx_buckets *buckets = family->options.buckets;
    double below = 0;
    for (size_t i = 0; i < buckets->n_bounds; i++) {
        below += fx_family_sum(family, index + i);
        print_bucket(family, row, buckets->bounds[i], below, buf);
    }
    below += fx_family_sum(family, index + buckets->n_bounds);
    print_bucket(family, row, (double)INFINITY, below, buf);
    print_sample(family->options.name, "_sum", row,
                 fx_family_sum(family, index + buckets->n_bounds + 1), buf);
    print_sample(family->options.name, "_count", row, below, buf);
}

static void print_family(const struct fx_family *family, struct fx_buf *buf) {
    const struct fx_family_options *options = &family->options;
    const struct fx_labels *labels = family->labels;
    fx_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", options->name, options->help,
                  options->name, type_names[options->type]);
    for (size_t i = 0; i < labels->n_order; i++) {
        const uint32_t series = labels->order[i];
        const char *row = labels->rows[series];
        const size_t index = series * family->stride;
        const double value = fx_family_sum(family, index);
        if (options->type == FX_FAMILY_HISTOGRAM) {
            print_histogram(family, row, index, buf);
        } else if (!isnan(value)) {
            print_sample(options->name, "", row, value, buf);
        }
    }
}

void fx_registry_print(struct fx_registry *registry, struct fx_buf *buf) {
    for (size_t i = 0; i < registry->n_readers; i++) {
        registry->readers[i].read(registry->readers[i].user);
    }
    for (const struct fx_family *f = registry->families; f != NULL; f = f->next) {
        print_family(f, buf);
    }
}
