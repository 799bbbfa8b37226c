/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_internal.h - for the tests of this room: Events in a hurry.
 */
#ifndef FX_CLUSTER_STATUS_EVENTS_INTERNAL_H
#define FX_CLUSTER_STATUS_EVENTS_INTERNAL_H

#include <stdint.h>

#include "cluster/status/events.h"

/* Right after fx_cluster_events_create(): the first pause before one that failed is tried
 * again. */
void fx_cluster_events_set_delay(struct fx_cluster_events *events, uint64_t pause_ms);

#endif
