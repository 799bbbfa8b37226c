/* SPDX-License-Identifier: Apache-2.0
 *
 * server/descriptors.h - how many connections there may be, so that descriptors are left
 * for everything else: a crowd on the webhook's port must keep nobody from asking for our
 * health, nor us from reading policies and certificates and from asking providers.
 */
#ifndef FX_SERVER_DESCRIPTORS_H
#define FX_SERVER_DESCRIPTORS_H

#include <stddef.h>

/* Connections of the two ports. */
struct fx_descriptors {
    size_t webhook, health;
};

/* Takes as many descriptors as we may have (the soft limit becomes the hard one), and
 * lowers what is wanted where these are too few. A line of the log says so of the
 * webhook's. */
void fx_descriptors_plan(struct fx_descriptors *wanted);

/* The same for so many descriptors; pure. */
void fx_descriptors_share(size_t limit, struct fx_descriptors *wanted);

#endif
