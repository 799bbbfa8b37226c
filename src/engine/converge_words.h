/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_words.h - the messages of reviews that fail (spec section 5).
 */
#ifndef FX_ENGINE_CONVERGE_WORDS_H
#define FX_ENGINE_CONVERGE_WORDS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "engine/mutator.h"
#include "engine/request.h"

/* Put before the words of a match or mutation that failed on `object`: whose it was, and
 * what the object is. The code becomes FX_EMUTATE. Our own failures (fx_err_is_ours) stay
 * as they are. Always false. */
bool fx_converge_match_error(const struct fx_mutator *mutator, const json_t *object,
                             struct fx_err *err);
bool fx_converge_apply_error(const struct fx_request *request,
                             const struct fx_mutator *mutator, const json_t *object,
                             struct fx_err *err);

/* FX_ENOCONVERGE. Always false. */
bool fx_converge_cycle_error(const struct fx_request *request, const json_t *object,
                             struct fx_err *err);

#endif
