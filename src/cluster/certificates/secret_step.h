/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_step.h - the next step for the Secret, also if somebody
 * deleted it. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_STEP_H
#define FX_CLUSTER_CERTIFICATES_SECRET_STEP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/certificates/rotation.h"

/*
 * As fx_rotation_decide(). `deleted`: the content of the input is what the Secret held
 * when it was last seen, and it does not exist any more. Somebody who deletes it wants
 * new keys or made a mistake, and in no case an outage. So the Secret is created again
 * with a new CA in addition to the old one and the certificate in use, as far as that is
 * valid: phase 1 of a rotation, which the other phases follow. Bundle, dates and `usable`
 * of the result are those of the old content.
 */
bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *input, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) FX_MUST_USE;

#endif
