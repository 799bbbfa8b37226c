/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/options_test.c - parsing of options, and messages on errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "cli/options.h"
#include "engine/dialect.h"

struct values {
    bool quiet;
    const char *user;
    struct fx_strings paths;
    unsigned format;
    size_t count, size, perhaps;
    uint64_t wait, pause;
};

static const char *const format_words[] = {"yaml", "json", NULL};

static const struct fx_option table[] = {
    {"quiet", 'q', FX_OPTION_FLAG, offsetof(struct values, quiet), NULL, NULL, ""},
    {"user", '\0', FX_OPTION_TEXT, offsetof(struct values, user), "NAME", NULL, ""},
    {"path", 'p', FX_OPTION_LIST, offsetof(struct values, paths), "PATH", NULL, ""},
    {"format", 'o', FX_OPTION_CHOICE, offsetof(struct values, format), "WORD",
     format_words, ""},
    {"count", '\0', FX_OPTION_COUNT, offsetof(struct values, count), "N", NULL, ""},
    {"size", '\0', FX_OPTION_SIZE, offsetof(struct values, size), "SIZE", NULL, ""},
    {"wait", '\0', FX_OPTION_DURATION, offsetof(struct values, wait), "TIME", NULL, ""},
    {"perhaps", '\0', FX_OPTION_COUNT_OR_NONE, offsetof(struct values, perhaps), "N",
     NULL, ""},
    {"pause", '\0', FX_OPTION_DURATION_OR_NONE, offsetof(struct values, pause), "TIME",
     NULL, ""},
    {.name = NULL},
};

/* A command line parsed, with what came of it. */
struct parsed {
    struct values values;
    struct fx_command_line line;
    bool ok;
    struct fx_err err;
};

#define MAX_WORDS 10

/* Parses the arguments (NULL ends) behind a command's name. */
static struct parsed parse(const char *const *words) {
    static char copies[MAX_WORDS][64];
    char *argv[MAX_WORDS + 1] = {copies[0]};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        assert_true(argc < MAX_WORDS);
        const struct fx_text word = fx_text_of(words[argc - 1]);
        assert_true(word.len < sizeof copies[argc]);
        for (size_t i = 0; i <= word.len; i++) {
            copies[argc][i] = word.data[i];
        }
        argv[argc] = copies[argc];
    }
    struct parsed parsed = {.err = FX_ERR_INIT};
    parsed.ok =
        fx_options_parse(table, argc, argv, &parsed.values, &parsed.line, &parsed.err);
    return parsed;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void finish(struct parsed *parsed) {
    fx_options_finish(table, &parsed->values);
    fx_strings_finish(&parsed->line.operands);
}

static void test_every_type_is_read(void **state) {
    (void)state;
    struct parsed parsed = PARSE("-q", "--user=ann", "-p", "a", "--path", "b", "-ojson",
                                 "--count=12", "--size=8Mi");
    assert_true(parsed.ok);
    assert_true(parsed.values.quiet);
    assert_string_equal(parsed.values.user, "ann");
    assert_int_equal(parsed.values.paths.n_items, 2);
    assert_string_equal(parsed.values.paths.items[1], "b");
    assert_int_equal(parsed.values.format, 1);
    assert_int_equal(parsed.values.count, 12);
    assert_int_equal(parsed.values.size, 8 << 20);
    assert_int_equal(parsed.line.operands.n_items, 0);
    finish(&parsed);
}

static void test_what_is_not_given_is_zero(void **state) {
    (void)state;
    struct parsed parsed = PARSE("--wait", "1m30s");
    assert_true(parsed.ok);
    assert_false(parsed.values.quiet);
    assert_null(parsed.values.user);
    assert_int_equal(parsed.values.format, 0);
    assert_int_equal(parsed.values.wait, 90000);
    finish(&parsed);
}

static void test_none(void **state) {
    (void)state;
    struct parsed parsed = PARSE("--perhaps=5", "--pause=5s");
    assert_true(parsed.ok);
    assert_int_equal(parsed.values.perhaps, 5);
    assert_int_equal(parsed.values.pause, 5000);
    finish(&parsed);
    parsed = PARSE("--perhaps=5", "--perhaps=0", "--pause=5s", "--pause=0");
    assert_true(parsed.ok);
    assert_int_equal(parsed.values.perhaps, 0);
    assert_int_equal(parsed.values.pause, 0);
    finish(&parsed);
}

static void test_operands_stand_anywhere(void **state) {
    (void)state;
    struct parsed parsed = PARSE("one", "-q", "two", "--", "-p");
    assert_true(parsed.ok);
    assert_int_equal(parsed.line.operands.n_items, 3);
    assert_string_equal(parsed.line.operands.items[0], "one");
    assert_string_equal(parsed.line.operands.items[2], "-p");
    assert_int_equal(parsed.values.paths.n_items, 0);
    finish(&parsed);
}

static void test_help_ends_the_reading(void **state) {
    (void)state;
    struct parsed parsed = PARSE("--help", "--nonsense");
    assert_true(parsed.ok);
    assert_true(parsed.line.help);
    finish(&parsed);
}

static void test_mistakes_name_the_option(void **state) {
    (void)state;
    static const struct {
        const char *words[3];
        const char *message;
    } cases[] = {
        {{"--usr=x"}, "unknown option `--usr`; did you mean `--user`?"},
        {{"--zzzzzz"}, "unknown option `--zzzzzz`"},
        {{"-z"}, "unknown option `-z`"},
        {{"-qz"}, "unknown option `-z`"},
        {{"--quiet=yes"}, "--quiet takes no argument"},
        {{"-p"}, "--path needs an argument: PATH"},
        {{"--user"}, "--user needs an argument: NAME"},
        {{"-o", "xml"}, "--format: `xml` is not one of yaml, json"},
        {{"--count=0"}, "--count: `0` is not a number above 0"},
        {{"--perhaps=x"}, "--perhaps: `x` is not a number above 0"},
        {{"--pause=0ms"}, "--pause: `0ms` is not a duration such as 500ms, 5s or 1m30s"},
        {{"--count=1Ki"}, "--count: `1Ki` is not a number above 0"},
        {{"--size", "8Q"}, "--size: `8Q` is not a size such as 512, 64Ki or 8Mi"},
        {{"--wait", "5"}, "--wait: `5` is not a duration such as 500ms, 5s or 1m30s"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct parsed parsed = parse(cases[i].words);
        assert_false(parsed.ok);
        assert_int_equal(parsed.err.code, FX_EINVALID);
        assert_string_equal(parsed.err.msg, cases[i].message);
        finish(&parsed);
    }
}

static void test_durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t ms; /* 0: refused */
    } cases[] = {
        {"500ms", 500},
        {"5s", 5000},
        {"2m", 120000},
        {"1h", 3600000},
        {"1m30s", 90000},
        {"", 0},
        {"0s", 0},
        {"s", 0},
        {"5", 0},
        {"5 s", 0},
        {"-5s", 0},
        {"1.5s", 0},
        {"5S", 0},
        {"18446744073709551615h", 0},
        {"99999999999999999999s", 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        uint64_t ms = 0;
        assert_int_equal(fx_duration_parse(cases[i].text, &ms), cases[i].ms != 0);
        assert_int_equal(ms, cases[i].ms);
    }
}

static void test_sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t bytes; /* 0: refused */
    } cases[] = {
        {"512", 512},
        {"64Ki", 64 << 10},
        {"8Mi", 8 << 20},
        {"2k", 2000},
        {"1G", 1000000000},
        {"", 0},
        {"0", 0},
        {"Mi", 0},
        {"8MiB", 0},
        {"8Mi8", 0},
        {"1.5Mi", 0},
        {"-1", 0},
        {"18446744073709551616", 0},
        {"18446744073709551615Gi", 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        size_t bytes = 0;
        assert_int_equal(fx_size_parse(cases[i].text, &bytes), cases[i].bytes != 0);
        assert_int_equal(bytes, cases[i].bytes);
    }
}

struct setting_values {
    struct fx_dialect_settings settings;
};

/* Each setting of a dialect is an option. */
static void test_settings(void **state) {
    (void)state;
    static const struct fx_option options[] = {
        FX_DIALECT_OPTIONS(struct setting_values, settings),
        {.name = NULL},
    };
    struct fx_dialect_settings settings = {.n_items = 0};
    struct fx_option_table expanded;
    struct fx_command_line line = {.help = false};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_option *first = fx_options_expand(options, &expanded);
    assert_non_null(first->name);
    char name[128];
    (void)snprintf(name, sizeof name, "--%s", first->name);
    char command[] = "check";
    char value[] = "given";
    char *argv[] = {command, name, value, NULL};
    assert_true(fx_options_parse(options, 3, argv, &settings, &line, &err));
    assert_string_equal(fx_dialect_settings_get(&settings, first->name), "given");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_is_read),
        cmocka_unit_test(test_what_is_not_given_is_zero),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_operands_stand_anywhere),
        cmocka_unit_test(test_help_ends_the_reading),
        cmocka_unit_test(test_mistakes_name_the_option),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
