/* SPDX-License-Identifier: Apache-2.0
 *
 * server/spread.c - one comparison.
 */
#include "server/spread.h"

#include <assert.h>

static bool is_better(const struct fx_thread_load *load,
                      const struct fx_thread_load *than) {
    if (load->is_overloaded != than->is_overloaded) {
        return than->is_overloaded;
    }
    if (load->n_connections != than->n_connections) {
        return load->n_connections < than->n_connections;
    }
    return load->given_at < than->given_at;
}

size_t fx_threads_choose(const struct fx_thread_load *loads, size_t n) {
    assert(n > 0);
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        if (is_better(&loads[i], &loads[best])) {
            best = i;
        }
    }
    return best;
}
