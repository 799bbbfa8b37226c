/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_report.h - what is wrong with our Secret, in the log: once,
 * and that it is no more. Private to this room. Loop thread only.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_REPORT_H
#define FX_CLUSTER_CERTIFICATES_SECRET_REPORT_H

#include "cluster/certificates/rotation.h"

/* Its user sets the name (of the Secret, borrowed). */
struct fx_secret_report {
    const char *name;
    char told[FX_ROTATION_REASON]; /* the reason that was logged last */
};

/* The message, and why; an empty reason: all is well. */
void fx_secret_report(struct fx_secret_report *report, const char *msg,
                      const char *reason);

/* A step that is to be written: that of a spoilt Secret is told of. The others are due,
 * and told of when they are written. */
void fx_secret_report_step(struct fx_secret_report *report,
                           const struct fx_rotation *rotation);

#endif
