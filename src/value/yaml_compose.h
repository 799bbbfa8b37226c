/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_compose.h - from libyaml's events to one document's nodes (inside this room
 * only): anchors shared, `<<` merged, keys turned to text. Its stack is on the heap, so
 * nothing recurses however deep the text nests.
 */
#ifndef FX_VALUE_YAML_COMPOSE_H
#define FX_VALUE_YAML_COMPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <yaml.h>

#include "base/err.h"
#include "base/macros.h"

struct fx_yaml_anchor;
struct fx_yaml_frame;

struct fx_yaml_composer {
    struct fx_yaml_frame *frames; /* the collections that are open, outermost first */
    size_t n_frames, cap_frames;
    struct fx_yaml_anchor *anchors; /* in the order of the text */
    size_t n_anchors, cap_anchors;
    json_t *anchor_names; /* name -> index of its newest anchor */
    json_t *root;         /* counted; NULL until it is whole */
    size_t n_nodes;       /* of the file so far, aliases expanded */
};

/* Frees everything. NULL, zeroed and half-filled composers are fine. */
void fx_yaml_composer_finish(struct fx_yaml_composer *composer);

/* Forgets the document at hand; the count of the file's nodes stays. */
void fx_yaml_composer_reset(struct fx_yaml_composer *composer);

/* Takes a scalar, alias, or the start or end of a collection. *ret_node is the node that
 * begins with it (borrowed), NULL for ends, keys and aliases. Errors: FX_ESYNTAX,
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_yaml_compose(struct fx_yaml_composer *composer, const yaml_event_t *event,
                     json_t **ret_node, struct fx_err *err) FX_MUST_USE;

/* The whole document, a new reference; NULL before its end. */
json_t *fx_yaml_composer_take(struct fx_yaml_composer *composer) FX_MUST_USE;

#endif
