/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout_fuzz.c - any query gives a budget within its bounds, and what is read as
 * a duration keeps its sign.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/go/time.h"
#include "server/respond.h"
#include "server/review_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    const uint64_t default_ns = UINT64_C(10000) * 1000000;
    const uint64_t longest_ns = UINT64_C(48) * 1000000000;
    uint64_t budget = 0;
    assert(!fx_timeout_budget_ns(text, 10000, &budget) || budget == default_ns ||
           budget <= longest_ns);
    int64_t ns = 0;
    struct fx_err err = FX_ERR_INIT;
    if (fx_go_duration_parse(text, &ns, &err)) {
        assert(size > 0);
        assert(text.data[0] == '-' ? ns <= 0 : ns >= 0);
    }
    char id[FX_TRACE_ID_SIZE];
    fx_trace_id_read(text, id);
    assert(id[0] == '\0' || (size >= 55 && id[32] == '\0'));
    return 0;
}
