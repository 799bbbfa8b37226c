/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_testing.h - templates in a few words, for the tests of
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

static inline struct fx_text *fake_list(const char *words, size_t *ret_count) {
    struct fx_text *list = calloc(8, sizeof *list);
    assert_non_null(list);
    *ret_count = 0;
    do {
        list[(*ret_count)++] = fake_cut(&words, ' ');
    } while (*words != '\0');
    return list;
}

/* One template of a single target; all lists are words with blanks between them, `source`
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
    target->groups = fake_list(fake->groups, &target->n_groups);
    target->versions = fake_list(fake->versions, &target->n_versions);
    target->kinds = fake_list(fake->kinds, &target->n_kinds);
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
