/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/exclusion_test.c - which namespaces are left alone, by which
 * process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "mutators/gatekeeper/config.h"

/* Copies a list with blanks between its texts. */
static void split(struct fx_text_list *list, const char *texts) {
    list->items = calloc(8, sizeof *list->items);
    assert_non_null(list->items);
    for (size_t at = 0; texts[at] != '\0';) {
        size_t len = 0;
        while (texts[at + len] != '\0' && texts[at + len] != ' ') {
            len++;
        }
        list->items[list->n_items++] = (struct fx_text){texts + at, len};
        at += len + (texts[at + len] == ' ' ? 1 : 0);
    }
}

static void fill(struct fx_exclusion_entry *entry, const char *processes,
                 const char *globs) {
    split(&entry->processes, processes);
    split(&entry->globs, globs);
}

static const struct {
    const char *processes, *globs, *process, *namespace_;
    bool covers;
} cases[] = {
    {"mutation-webhook", "kube-system", "mutation-webhook", "kube-system", true},
    {"mutation-webhook", "kube-system", "mutation-webhook", "kube", false},
    {"mutation-webhook", "kube-system", "webhook", "kube-system", false},
    {"webhook audit", "kube-system", "mutation-webhook", "kube-system", false},
    {"audit mutation-webhook", "kube-system", "mutation-webhook", "kube-system", true},
    {"*", "kube-system", "mutation-webhook", "kube-system", true},
    {"*", "kube-system", "anything", "kube-system", true},
    /* A process is no glob. */
    {"mutation-*", "kube-system", "mutation-webhook", "kube-system", false},
    {"*", "a b kube-* c", "mutation-webhook", "kube-system", true},
    {"*", "*-system", "mutation-webhook", "kube-system", true},
    {"*", "*e-s*", "mutation-webhook", "kube-system", true},
    {"*", "kube-*", "mutation-webhook", "a-kube-", false},
    /* Cluster-scoped: the empty name. */
    {"*", "*", "mutation-webhook", "", true},
    {"*", "kube-* *-system a", "mutation-webhook", "", false},
    {"", "*", "mutation-webhook", "a", false},
    {"*", "", "mutation-webhook", "a", false},
    {"*", "", "mutation-webhook", "", false},
};

static void covers(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_exclusion *exclusion = fx_exclusion_create(FX_TEXT("config"), NULL, 1);
        fill(&exclusion->entries[0], cases[i].processes, cases[i].globs);
        if (fx_exclusion_covers(exclusion, cases[i].process,
                                fx_text_of(cases[i].namespace_)) != cases[i].covers) {
            fail_msg("[%s] [%s]: %s in `%s`", cases[i].processes, cases[i].globs,
                     cases[i].process, cases[i].namespace_);
        }
        fx_resource_unref(&exclusion->resource);
    }
}

/* Each entry is for itself: the process of one and the name of another make nothing. */
static void entries_do_not_mix(void **state) {
    (void)state;
    struct fx_exclusion *exclusion = fx_exclusion_create(FX_TEXT("config"), NULL, 3);
    fill(&exclusion->entries[0], "audit", "a");
    fill(&exclusion->entries[2], "mutation-webhook", "b");
    assert_false(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("a")));
    assert_true(fx_exclusion_covers(exclusion, "audit", FX_TEXT("a")));
    assert_true(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("b")));
    assert_false(fx_exclusion_covers(exclusion, "audit", FX_TEXT("b")));
    fx_resource_unref(&exclusion->resource);
}

static void no_entries(void **state) {
    (void)state;
    struct fx_exclusion *exclusion = fx_exclusion_create(FX_TEXT("config"), NULL, 0);
    assert_int_equal(exclusion->resource.ops->type, FX_RESOURCE_EXCLUSION);
    assert_false(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("")));
    fx_resource_unref(&exclusion->resource);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers),
        cmocka_unit_test(entries_do_not_mix),
        cmocka_unit_test(no_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
