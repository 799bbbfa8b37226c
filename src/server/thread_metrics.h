/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread_metrics.h - the threads that serve, told apart: what shows whether
 * connections are spread evenly. Main thread only.
 */
#ifndef FX_SERVER_THREAD_METRICS_H
#define FX_SERVER_THREAD_METRICS_H

#include "base/macros.h"
#include "metrics/registry.h"

struct fx_threads;
struct fx_thread_metrics; /* opaque */

/* Adds the families to the registry, which outlives it; they are read from the threads,
 * which it borrows, at each scrape. NULL without memory. */
struct fx_thread_metrics *
fx_thread_metrics_create(struct fx_registry *registry,
                         const struct fx_threads *threads) FX_MUST_USE;
void fx_thread_metrics_destroy(struct fx_thread_metrics *metrics); /* NULL is fine */

#endif
