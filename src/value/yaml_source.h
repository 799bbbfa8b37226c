/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_source.h - from libyaml's positions, which count runes, to places in the
 * text (inside this room only).
 */
#ifndef FX_VALUE_YAML_SOURCE_H
#define FX_VALUE_YAML_SOURCE_H

#include <stddef.h>

#include <yaml.h>

#include "base/text.h"
#include "value/place.h"

struct fx_yaml_source {
    struct fx_text text;   /* with its byte order mark, which libyaml is not shown */
    struct fx_place start; /* behind that mark */
    struct fx_place at;    /* how far places were asked for */
    size_t rune;           /* the runes before it */
};

/* A source at its beginning. */
void fx_yaml_source_init(struct fx_yaml_source *source, struct fx_text text);

/* What libyaml is to read. */
struct fx_text fx_yaml_source_body(const struct fx_yaml_source *source);

/* The place of the rune. Asking in the order of the text costs one pass in all. */
struct fx_place fx_yaml_source_place(struct fx_yaml_source *source, size_t rune);

/* Where a scalar's content begins: behind its anchor and tag, its quote, or the line of
 * its `|` or `>`. */
struct fx_place fx_yaml_source_content(struct fx_yaml_source *source,
                                       const yaml_event_t *scalar);

#endif
