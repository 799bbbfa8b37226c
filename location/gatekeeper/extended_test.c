/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/extended_test.c - the extended syntax: exclusions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "location/gatekeeper/testing.h"

/* A text, its printed form, and the number of exclusions of its last list. */
static const struct {
    const char *text, *printed;
    size_t n_except;
} good[] = {
    {"a.b[c: d].e", "a.b[c: d].e", 0},
    {"a[b: *].c", "a[b: *].c", 0},
    {"a[b: * except c].d", "a[b: * except \"c\"].d", 1},
    {"a[b:*except c]", "a[b: * except \"c\"]", 1},
    {"a[b: * except \"istio-proxy\", linkerd-proxy, 5].c",
     "a[b: * except \"istio-proxy\", \"linkerd-proxy\", 5].c", 3},
    {"a[b:* except\n'x',\t7 , y]", "a[b: * except \"x\", 7, \"y\"]", 3},
    {"a[b: * except 007, '5']", "a[b: * except 7, \"5\"]", 2},
    {"a[b: * except '']", "a[b: * except \"\"]", 1},
    {"a[b: * except '*']", "a[b: * except \"*\"]", 1},
    {"a[b: * except except]", "a[b: * except \"except\"]", 1},
    {"a[b: * except 'x,y', \"q\\\"\\\\\", '/@é\r']",
     "a[b: * except \"x,y\", \"q\\\"\\\\\", \"/@é\r\"]", 3},
    {"except[except: except].except", "except[except: except].except", 0},
};

static const struct fx_location_step *last_list(const struct fx_location *location) {
    size_t i = location->n_steps;
    while (i > 0 && location->steps[i - 1].type != FX_LOCATION_LIST) {
        i--;
    }
    assert_true(i > 0);
    return &location->steps[i - 1];
}

static void prints_and_parses_back(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        struct fx_location *location = must_parse_extended(good[i].text);
        assert_int_equal(last_list(location)->n_except, good[i].n_except);
        char *printed = must_print(location);
        assert_string_equal(printed, good[i].printed);
        struct fx_location *again = must_parse_extended(printed);
        assert_int_equal(again->n_steps, location->n_steps);
        assert_true(fx_location_has_prefix(location, again));
        fx_location_destroy(again);
        free(printed);
        fx_location_destroy(location);
    }
}

/* A text, the span of the faulty token, and the message. */
static const struct {
    enum fx_location_syntax syntax;
    const char *text;
    uint32_t off, len;
    const char *msg;
} bad[] = {
    {FX_LOCATION_EXTENDED, "a[b: * except]", 13, 1,
     "unexpected token: expected key value after 'except' in listSpec, got: RBRACKET: "
     "\"]\""},
    {FX_LOCATION_EXTENDED, "a[b: * except *]", 14, 1,
     "unexpected token: expected key value after 'except' in listSpec, got: GLOB: \"*\""},
    {FX_LOCATION_EXTENDED, "a[b: * except , c]", 14, 1,
     "unexpected token: expected key value after 'except' in listSpec, got: COMMA: "
     "\",\""},
    {FX_LOCATION_EXTENDED, "a[b: * except c,]", 16, 1,
     "unexpected token: expected key value after ',' in listSpec, got: RBRACKET: \"]\""},
    {FX_LOCATION_EXTENDED, "a[b: * except c,, d]", 16, 1,
     "unexpected token: expected key value after ',' in listSpec, got: COMMA: \",\""},
    {FX_LOCATION_EXTENDED, "a[b: * except c d]", 16, 1,
     "unexpected token: expected ',' or ']' following exclusion in listSpec, got: IDENT: "
     "\"d\""},
    {FX_LOCATION_EXTENDED, "a[b: * except c", 15, 1,
     "unexpected token: expected ',' or ']' following exclusion in listSpec, got: EOF: "
     "\"\""},
    {FX_LOCATION_EXTENDED, "a[b: * except 'c", 14, 2,
     "unexpected token: expected key value after 'except' in listSpec, got: ERROR: "
     "\"c\""},
    {FX_LOCATION_EXTENDED, "a[b: * except 9223372036854775808]", 14, 19,
     "invalid integer: overflow in integer string: 9223372036854775808: parsing key "
     "value for key: b"},
    {FX_LOCATION_EXTENDED, "a[b: * Except c]", 7, 6,
     "unexpected token: expected ']' following listSpec, got: IDENT: \"Except\""},
    {FX_LOCATION_EXTENDED, "a[b: * 'except' c]", 7, 8,
     "unexpected token: expected ']' following listSpec, got: IDENT: \"except\""},
    {FX_LOCATION_EXTENDED, "a[b: c except d]", 7, 6,
     "unexpected token: expected ']' following listSpec, got: IDENT: \"except\""},
    {FX_LOCATION_EXTENDED, "a[b: *, c]", 6, 1,
     "unexpected token: expected ']' following listSpec, got: COMMA: \",\""},
    {FX_LOCATION_EXTENDED, "a,b", 1, 1,
     "unexpected token: expected '.' or eof, got: COMMA: \",\""},
    /* Gatekeeper's own syntax refuses exclusions. */
    {FX_LOCATION_GATEKEEPER, "a[b: * except c]", 7, 6,
     "unexpected token: expected ']' following listSpec, got: IDENT: \"except\""},
    {FX_LOCATION_GATEKEEPER, "a,b", 1, 1,
     "unexpected token: expected '.' or eof, got: ERROR: \",\""},
};

static void points_at_the_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_location *location = NULL;
        assert_false(
            fx_location_parse(fx_text_of(bad[i].text), bad[i].syntax, &location, &err));
        assert_null(location);
        assert_string_equal(err.msg, bad[i].msg);
        assert_int_equal(err.code, FX_ESYNTAX);
        assert_int_equal(err.off, bad[i].off);
        assert_int_equal(err.len, bad[i].len);
    }
}

static struct fx_err parse_exclusions(size_t count) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "a[b: * except c");
    for (size_t i = 1; i < count; i++) {
        fx_buf_str(&text, ",c");
    }
    fx_buf_str(&text, "].d");
    struct fx_err err = FX_ERR_INIT;
    struct fx_location *location = NULL;
    if (fx_location_parse((struct fx_text){text.data, text.len}, FX_LOCATION_EXTENDED,
                          &location, &err)) {
        assert_int_equal(location->steps[1].n_except, count);
        assert_int_equal(err.code, FX_OK);
    }
    fx_location_destroy(location);
    fx_buf_finish(&text);
    return err;
}

static void has_limits(void **state) {
    (void)state;
    assert_int_equal(parse_exclusions(FX_LIMIT_LOCATION_NODES).code, FX_OK);
    assert_int_equal(parse_exclusions(FX_LIMIT_LOCATION_NODES + 1).code, FX_ELIMIT);
}

/* True where the second is a prefix of the first. */
static const struct {
    const char *location, *prefix;
    bool is;
} prefixes[] = {
    {"l[k: * except a].x", "l[k: * except a]", true},
    {"l[k: * except a, 5].x", "l[k: * except 05, 'a']", true},
    {"l[k: * except a, a].x", "l[k: * except a]", true},
    {"l[k: * except a].x", "l[k: *]", false},
    {"l[k: *].x", "l[k: * except a]", false},
    {"l[k: * except a].x", "l[k: * except b]", false},
    {"l[k: * except a, b].x", "l[k: * except a]", false},
    {"l[k: * except a].x", "l[k: * except a, b]", false},
    {"l[k: * except 5].x", "l[k: * except '5']", false},
    {"l[k: * except a].x", "l[j: * except a]", false},
    {"l[k: * except a].x", "l[k: a]", false},
};

static void knows_prefixes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(prefixes); i++) {
        struct fx_location *location = must_parse_extended(prefixes[i].location);
        struct fx_location *prefix = must_parse_extended(prefixes[i].prefix);
        if (fx_location_has_prefix(location, prefix) != prefixes[i].is) {
            fail_msg("`%s` in `%s`", prefixes[i].prefix, prefixes[i].location);
        }
        fx_location_destroy(prefix);
        fx_location_destroy(location);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_and_parses_back),
        cmocka_unit_test(points_at_the_fault),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(knows_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
