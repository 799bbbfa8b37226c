/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_testing.h - short templates for the tests of
 * this room. Included behind <cmocka.h>.
 */
#ifndef FX_MUTATORS_GATEKEEPER_EXPANSION_TESTING_H
#define FX_MUTATORS_GATEKEEPER_EXPANSION_TESTING_H

#include <stdlib.h>
#include <string.h>

#include "mutators/gatekeeper/expansion.h"

/* The part of the text before the separator; the rest stays in *text. */
static inline struct fx_text fake_cut(const char **text, char separator) {
    const char *end = strchr(*text, separator);
    const struct fx_text part = {*text,
                                 end == NULL ? strlen(*text) : (size_t)(end - *text)};
    *text += part.len + (end == NULL ? 0 : 1);
    return part;
}

static inline void fake_list(struct fx_text_list *list, const char *texts) {
    list->items = calloc(8, sizeof *list->items);
    assert_non_null(list->items);
    do {
        list->items[list->n_items++] = fake_cut(&texts, ' ');
    } while (*texts != '\0');
}

/* One template of a single target; all lists have blanks between their texts, `source`
 * has dots. An empty list of groups is that of the core group. The texts outlive it. */
struct fake_template {
    const char *name, *groups, *versions, *kinds;
    const char *source;
    const char *group, *version, *kind; /* what it makes */
};

static inline struct fx_expansion *fake_expansion(const struct fake_template *fake) {
    struct fx_expansion *made = fx_expansion_create(fx_text_of(fake->name), NULL, 1);
    assert_non_null(made);
    struct fx_expansion_target *target = &made->targets[0];
    fake_list(&target->groups, fake->groups);
    fake_list(&target->versions, fake->versions);
    fake_list(&target->kinds, fake->kinds);
    made->source_path = calloc(8, sizeof *made->source_path);
    assert_non_null(made->source_path);
    const char *source = fake->source == NULL ? "spec" : fake->source;
    do {
        made->source_path[made->n_source_path++] = fake_cut(&source, '.');
    } while (*source != '\0');
    made->group = fx_text_of(fake->group);
    made->version = fx_text_of(fake->version);
    made->kind = fx_text_of(fake->kind);
    return made;
}

#endif
