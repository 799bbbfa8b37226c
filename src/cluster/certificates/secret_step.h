/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_step.h - the next step of our Secret, and of one that
 * somebody deleted. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_CERTIFICATES_SECRET_STEP_H
#define FX_CLUSTER_CERTIFICATES_SECRET_STEP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/certificates/rotation.h"

/*
 * As fx_rotation_decide() has it. `deleted`: the view's content is what the Secret held
 * when it was last seen, and it is there no more. Who deletes it wants other keys, or
 * erred; neither wants an outage. So the Secret is made again with a new authority beside
 * the old one and the certificate that is in use, as far as that is of use: phase 1 of a
 * rotation, from which the others follow. What is told of bundle, dates and `usable` is
 * of the content that there was.
 */
bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *view, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) FX_MUST_USE;

#endif
