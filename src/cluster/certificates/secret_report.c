/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_report.c - lines that are not repeated.
 */
#include "cluster/certificates/secret_report.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

void fx_secret_report(struct fx_secret_report *report, const char *msg,
                      const char *reason) {
    if (strcmp(report->told, reason) == 0) {
        return;
    }
    (void)snprintf(report->told, sizeof report->told, "%.*s", FX_ROTATION_REASON - 1,
                   reason);
    if (reason[0] == '\0') {
        fx_log(INFO, "the Secret is in order again", {0});
    } else {
        fx_log(ERROR, msg, fx_log_str("secret", report->name),
               fx_log_str("error", reason));
    }
}

void fx_secret_report_step(struct fx_secret_report *report,
                           const struct fx_rotation *rotation) {
    if (rotation->step == FX_ROTATION_RESTORE) {
        fx_secret_report(report,
                         "the Secret is spoilt: what was in use stays so, and is written "
                         "back",
                         rotation->reason);
    } else if (rotation->spoilt) {
        fx_secret_report(report, "the Secret is spoilt, and is mended", rotation->reason);
    }
}
