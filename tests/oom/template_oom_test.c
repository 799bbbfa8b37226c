/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/template_oom_test.c - templates of all kinds, compiled and executed with
 * every allocation refused in turn: each failure is said to be ours, or that of a bound,
 * nothing is left behind, and the object and the output are as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "location/sprig/sprig.h"
#include "refuse.h"

#define CORPUS   FX_SOURCE_DIR "/tests/fuzz/corpora/location_sprig_execute_fuzz/"
#define RUNS_MAX 100000 /* no run needs that many allocations */

static const char *const names[] = {
    "fields", "blocks", "template", "compare", "print", "strings", "numbers",
    "lists",  "dicts",  "json",     "regex",   "dates", "others",  "faults",
};

/* Compiles and executes once. */
static bool run(struct fx_text source, json_t *target, struct fx_buf *text,
                struct fx_err *err) {
    struct fx_gotemplate *template = NULL;
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Target"), target, false},
        {FX_TEXT("SelectKeyParts"), NULL, true},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    fx_err_reset(err);
    const bool ok =
        fx_gotemplate_compile(FX_TEXT("t"), source, &fx_sprig, &template, err) &&
        fx_gotemplate_execute(template, &context, text, err);
    fx_gotemplate_destroy(template);
    return ok;
}

/* What it comes to where nothing is refused. */
struct expected {
    bool ok;
    char text[4096];
};

static void check_run(const struct expected *expected, bool refused, bool ok,
                      const struct fx_buf *text, const struct fx_err *err) {
    const char *written = text->data == NULL ? "" : text->data;
    if (ok || !refused) { /* what was refused may not have been needed */
        assert_int_equal(ok, expected->ok);
        assert_string_equal(written, expected->text);
        return;
    }
    assert_string_equal(written, "");
    assert_true(err->code == FX_ENOMEM || err->code == FX_ELIMIT || !expected->ok);
}

static void refuse_template(struct fx_text source, json_t *target, bool fails,
                            bool ever_after) {
    static struct fx_err err;
    static struct expected expected;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    expected.ok = run(source, target, &text, &err);
    if (expected.ok == fails) {
        fail_msg("%s", err.msg);
    }
    (void)snprintf(expected.text, sizeof expected.text, "%s",
                   text.data == NULL ? "" : text.data);
    fx_buf_finish(&text);
    const bool matches = strstr(source.data, "regex") != NULL;
    long live = refuse_live();
    bool refused = true;
    for (long n = 0; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = run(source, target, &text, &err);
        refused = refuse_stop();
        check_run(&expected, refused, ok, &text, &err);
        fx_buf_finish(&text);
        assert_true(refuse_lost_nothing(&live, matches));
    }
}

static void refuse_file(const char *name) {
    char path[256];
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(path, sizeof path, "%s%s.tmpl", CORPUS, name);
    fx_buf_init(&bytes, 0);
    assert_true(fx_file_read(path, FX_LIMIT_BODY_BYTES, &bytes, &err));
    const char *line = strrchr(bytes.data, '\n');
    json_t *target = json_loads(line, 0, NULL);
    json_t *before = json_deep_copy(target);
    assert_non_null(target);
    const struct fx_text source = {bytes.data, (size_t)(line - bytes.data)};
    const bool fails = strcmp(name, "faults") == 0;
    refuse_template(source, target, fails, false);
    refuse_template(source, target, fails, true);
    assert_true(json_equal(before, target));
    json_decref(before);
    json_decref(target);
    fx_buf_finish(&bytes);
}

static void test_templates(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        refuse_file(names[i]);
    }
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
