/* SPDX-License-Identifier: Apache-2.0
 *
 * random/draw.h - bytes become policies of all dialects and objects, with a small
 * vocabulary, so that they meet. Each byte is one choice. When no bytes are left, the
 * first choice, which is the simplest, is taken.
 */
#ifndef FX_RANDOM_DRAW_H
#define FX_RANDOM_DRAW_H

#include "policy/loop_draw.h"

/* Writes an object as JSON: a Pod, a Deployment, a ConfigMap or a custom resource. */
void random_draw_object(struct draw *draw);

/* Write a policy of one dialect as JSON; `index` makes its name unique. A policy that
 * needs a binding is a List of both. */
void random_draw_policy(struct draw *draw, unsigned index);
void random_draw_kyverno(struct draw *draw, unsigned index);
void random_draw_modrule(struct draw *draw, unsigned index);
void random_draw_admission_policy(struct draw *draw, unsigned index);

#endif
