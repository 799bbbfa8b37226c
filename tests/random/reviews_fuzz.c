/* SPDX-License-Identifier: Apache-2.0
 *
 * random/reviews_fuzz.c - reviews.h, of any bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reviews.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_buf report;
    fx_buf_init(&report, 0);
    const char *reason = random_review(data, size, NULL, &report);
    if (reason != NULL && strcmp(reason, random_unreported) != 0) {
        (void)fprintf(stderr, "%s\n%s\n", reason, report.data);
        abort();
    }
    fx_buf_finish(&report);
    return 0;
}
