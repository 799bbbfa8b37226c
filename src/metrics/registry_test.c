/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/registry_test.c - what is counted, and how it is printed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/registry.h"

static char *print(struct fx_registry *registry) {
    struct fx_buf buf = {0};
    fx_registry_print(registry, &buf);
    char *text = fx_buf_steal(&buf);
    assert_non_null(text);
    return text;
}

static void assert_prints(struct fx_registry *registry, const char *expected) {
    char *text = print(registry);
    assert_string_equal(text, expected);
    free(text);
}

static struct fx_registry *make_registry(void) {
    struct fx_registry *registry = fx_registry_create(1);
    assert_non_null(registry);
    return registry;
}

static struct fx_family *add(struct fx_registry *registry,
                             const struct fx_family_options *options) {
    struct fx_family *family = fx_registry_add(registry, options);
    assert_non_null(family);
    return family;
}

static const char *const colours[] = {"red", "green", NULL};
static const char *const keys[] = {"kind", "name"};

static struct fx_labels *add_labels(struct fx_registry *registry, size_t max) {
    struct fx_labels *labels = fx_registry_add_labels(registry, keys, 2, max);
    assert_non_null(labels);
    return labels;
}

static uint32_t get(struct fx_labels *labels, const char *kind, const char *name) {
    const struct fx_text values[] = {fx_text_of(kind), fx_text_of(name)};
    return fx_labels_get(labels, values);
}

/* FX_SERIES_OTHER: there is none. */
static uint32_t find(const struct fx_labels *labels, const char *kind, const char *name) {
    const struct fx_text values[] = {fx_text_of(kind), fx_text_of(name)};
    uint32_t series = FX_SERIES_OTHER;
    return fx_labels_find(labels, values, &series) ? series : FX_SERIES_OTHER;
}

static void test_without_labels(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_family *counter =
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, .name = "a_total",
                                                  .help = "A."});
    struct fx_family *gauge =
        add(registry,
            &(struct fx_family_options){FX_FAMILY_GAUGE, .name = "b", .help = "B."});
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\na_total 0\n"
                            "# HELP b B.\n# TYPE b gauge\n");
    fx_family_count(counter, 0);
    fx_family_add(counter, 0, 0.5);
    fx_family_set(gauge, 0, 1764000000.25);
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\na_total 1.5\n"
                            "# HELP b B.\n# TYPE b gauge\nb 1764000000.25\n");
    fx_registry_destroy(registry);
}

static void test_known_labels(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_family *counter =
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                  .key = "colour", .values = colours});
    fx_family_count(counter, 1);
    fx_family_set(counter, 0, 1e15);
    assert_prints(registry,
                  "# HELP a_total A.\n# TYPE a_total counter\n"
                  "a_total{colour=\"red\"} 1e+15\na_total{colour=\"green\"} 1\n");
    fx_registry_destroy(registry);
}

static void test_histogram(void **state) {
    (void)state;
    static const double bounds[] = {.001, 1, 2.5};
    static const struct fx_buckets buckets = {bounds, 3};
    struct fx_registry *registry = make_registry();
    struct fx_family *plain =
        add(registry, &(struct fx_family_options){FX_FAMILY_HISTOGRAM, "a_seconds", "A.",
                                                  .buckets = &buckets});
    fx_family_observe(plain, 0, .001);
    fx_family_observe(plain, 0, 2);
    fx_family_observe(plain, 0, 3);
    assert_prints(registry,
                  "# HELP a_seconds A.\n# TYPE a_seconds histogram\n"
                  "a_seconds_bucket{le=\"0.001\"} 1\na_seconds_bucket{le=\"1\"} 1\n"
                  "a_seconds_bucket{le=\"2.5\"} 2\na_seconds_bucket{le=\"+Inf\"} 3\n"
                  "a_seconds_sum 5.001\na_seconds_count 3\n");
    fx_registry_destroy(registry);
    registry = make_registry();
    struct fx_family *labelled =
        add(registry,
            &(struct fx_family_options){FX_FAMILY_HISTOGRAM, "a", "A.", .key = "colour",
                                        .values = colours, .buckets = &buckets});
    fx_family_observe(labelled, 1, 2);
    char *text = print(registry);
    assert_non_null(strstr(text, "a_bucket{colour=\"green\",le=\"2.5\"} 1\n"));
    assert_non_null(strstr(text, "a_sum{colour=\"green\"} 2\n"));
    assert_non_null(strstr(text, "a_count{colour=\"red\"} 0\n"));
    free(text);
    fx_registry_destroy(registry);
}

/* Two families share their labels, and grow with them. */
static void test_labels_come_up(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_labels *labels = add_labels(registry, 100);
    struct fx_family *a =
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                  .labels = labels});
    const uint32_t z = get(labels, "Assign", "z");
    struct fx_family *b =
        add(registry,
            &(struct fx_family_options){FX_FAMILY_GAUGE, "b", "B.", .labels = labels});
    const uint32_t x = get(labels, "Assign", "x");
    assert_int_equal(get(labels, "Assign", "z"), z);
    assert_int_equal(find(labels, "Assign", "x"), x);
    assert_int_not_equal(x, z);
    fx_family_count(a, z);
    fx_family_set(b, x, 7);
    assert_prints(registry,
                  "# HELP a_total A.\n# TYPE a_total counter\n"
                  "a_total{kind=\"Assign\",name=\"x\"} 0\n"
                  "a_total{kind=\"Assign\",name=\"z\"} 1\n"
                  "# HELP b B.\n# TYPE b gauge\nb{kind=\"Assign\",name=\"x\"} 7\n");
    for (int i = 0; i < 50; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "%d", i);
        fx_family_add(a, get(labels, "Many", name), i);
    }
    assert_int_equal(get(labels, "Assign", "z"), z);
    char *text = print(registry);
    assert_non_null(strstr(text, "a_total{kind=\"Many\",name=\"49\"} 49\n"));
    assert_non_null(strstr(text, "a_total{kind=\"Assign\",name=\"z\"} 1\n"));
    free(text);
    fx_registry_destroy(registry);
}

static void test_too_many_are_others(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_labels *labels = add_labels(registry, 1);
    struct fx_family *a =
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                  .labels = labels});
    assert_int_equal(find(labels, "z", "mine"), FX_SERIES_OTHER);
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\n");
    assert_false(fx_labels_is_full(labels));
    const uint32_t mine = get(labels, "z", "mine");
    assert_true(fx_labels_is_full(labels));
    assert_int_not_equal(mine, FX_SERIES_OTHER);
    fx_family_count(a, mine);
    fx_family_count(a, get(labels, "a", "theirs"));
    fx_family_count(a, get(labels, "b", "theirs"));
    fx_family_count(a, get(labels, "other", "other"));
    assert_int_equal(find(labels, "a", "theirs"), FX_SERIES_OTHER);
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\n"
                            "a_total{kind=\"other\",name=\"other\"} 3\n"
                            "a_total{kind=\"z\",name=\"mine\"} 1\n");
    fx_registry_destroy(registry);
}

/* A series that reuses the slot of a removed one starts at 0. */
static void test_drop(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_labels *labels = add_labels(registry, 2);
    struct fx_family *a =
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                  .labels = labels});
    const uint32_t x = get(labels, "k", "x");
    fx_family_count(a, x);
    fx_family_count(a, get(labels, "k", "y"));
    fx_labels_drop(labels, x);
    fx_labels_drop(labels, FX_SERIES_OTHER);
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\n"
                            "a_total{kind=\"k\",name=\"y\"} 1\n");
    const uint32_t z = get(labels, "k", "z");
    assert_int_not_equal(z, FX_SERIES_OTHER);
    assert_int_equal(get(labels, "k", "one more"), FX_SERIES_OTHER);
    assert_prints(registry, "# HELP a_total A.\n# TYPE a_total counter\n"
                            "a_total{kind=\"k\",name=\"y\"} 1\n"
                            "a_total{kind=\"k\",name=\"z\"} 0\n"
                            "a_total{kind=\"other\",name=\"other\"} 0\n");
    fx_registry_destroy(registry);
}

static void test_values_are_escaped(void **state) {
    (void)state;
    static const struct {
        const char *given, *printed;
    } cases[] = {
        {"a\"b\\c\nd", "a\\\"b\\\\c\\nd"}, {"\xc3\xa4", "\xc3\xa4"},
        {"\xff", "\xef\xbf\xbd"},          {"", ""},
        {"x=\"y\",z", "x=\\\"y\\\",z"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_registry *registry = make_registry();
        struct fx_labels *labels = add_labels(registry, 9);
        struct fx_family *a =
            add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                      .labels = labels});
        char expected[64];
        fx_family_count(a, get(labels, "k", cases[i].given));
        (void)snprintf(expected, sizeof expected, "{kind=\"k\",name=\"%s\"} 1\n",
                       cases[i].printed);
        char *text = print(registry);
        assert_non_null(strstr(text, expected));
        free(text);
        fx_registry_destroy(registry);
    }
}

static void test_long_values_are_cut(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_labels *labels = add_labels(registry, 9);
    char name[FX_LABEL_BYTES + 3];
    memset(name, 'x', sizeof name);
    memcpy(name + FX_LABEL_BYTES - 1, "\xc3\xa4", 3); /* is not split */
    const uint32_t series = get(labels, "k", name);
    name[FX_LABEL_BYTES - 1] = '\0';
    assert_int_equal(get(labels, "k", name), series);
    fx_registry_destroy(registry);
}

static void read_it(void *user) {
    fx_family_set(user, 0, 5);
}

static void test_readers(void **state) {
    (void)state;
    struct fx_registry *registry = make_registry();
    struct fx_family *a =
        add(registry,
            &(struct fx_family_options){FX_FAMILY_GAUGE, .name = "a", .help = "A."});
    assert_true(fx_registry_add_reader(registry, read_it, a));
    assert_prints(registry, "# HELP a A.\n# TYPE a gauge\na 5\n");
    fx_registry_destroy(registry);
    fx_registry_destroy(NULL);
}

#define COUNTED 100000

static void *count_for_ever(void *user) {
    struct fx_family **families = user;
    fx_registry_set_thread(1);
    for (int i = 0; i < COUNTED; i++) {
        fx_family_count(families[0], 1);
        fx_family_observe(families[1], 0, .5);
    }
    return NULL;
}

/* Of the same number as the first. */
static void *count_a_little(void *user) {
    struct fx_family **families = user;
    for (int i = 0; i < COUNTED; i++) {
        fx_family_count(families[0], 0);
        fx_family_count(families[0], 1);
    }
    return NULL;
}

/* What is printed meanwhile is what was counted so far. */
static void test_threads(void **state) {
    (void)state;
    static const double bounds[] = {1};
    static const struct fx_buckets buckets = {bounds, 1};
    struct fx_registry *registry = fx_registry_create(2);
    assert_non_null(registry);
    struct fx_family *families[] = {
        add(registry, &(struct fx_family_options){FX_FAMILY_COUNTER, "a_total", "A.",
                                                  .key = "colour", .values = colours}),
        add(registry, &(struct fx_family_options){FX_FAMILY_HISTOGRAM, "b", "B.",
                                                  .buckets = &buckets}),
    };
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, count_for_ever, families), 0);
    pthread_t unnumbered;
    assert_int_equal(pthread_create(&unnumbered, NULL, count_a_little, families), 0);
    for (int i = 0; i < COUNTED; i++) {
        fx_family_count(families[0], 1);
        fx_family_observe(families[1], 0, 2);
    }
    free(print(registry));
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(pthread_join(unnumbered, NULL), 0);
    assert_prints(registry,
                  "# HELP a_total A.\n# TYPE a_total counter\n"
                  "a_total{colour=\"red\"} 100000\na_total{colour=\"green\"} 300000\n"
                  "# HELP b B.\n# TYPE b histogram\n"
                  "b_bucket{le=\"1\"} 100000\nb_bucket{le=\"+Inf\"} 200000\n"
                  "b_sum 250000\nb_count 200000\n");
    fx_registry_destroy(registry);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_labels),
        cmocka_unit_test(test_known_labels),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_labels_come_up),
        cmocka_unit_test(test_too_many_are_others),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_values_are_escaped),
        cmocka_unit_test(test_long_values_are_cut),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
