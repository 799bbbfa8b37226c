/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/partial_decode_random_test.c - ModRules and objects made at random, of few
 * names, so that they meet: what the rules may look at is found in their expressions,
 * templates and paths, and of an object that is read in part for it must come what comes
 * of the whole, byte for byte: patches, refusals, and the warnings about rules that fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/steps.h"
#include "base/slow_testing.h"
#include "policy/policies.h"

#define ROUNDS  3000 /* sets of rules, … */
#define OBJECTS 6    /* … and objects for each */

/* ---- chance ---------------------------------------------------------------------- */

static uint64_t dice_state = UINT64_C(20261122);

/* SplitMix64; a number below `n`. */
static unsigned throw(unsigned n) {
    dice_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = dice_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((z ^ (z >> 31)) % n);
}

static bool one_in(unsigned n) {
    return throw(n) == 0;
}

#define PICK(array) ((array)[throw(FX_COUNT(array))])

static const char *const names[] = {"a", "b", "c", "l", "m", "name", "key"};
static const char *const words[] = {"a", "b", "x", "1", "true", "name"};

/* ---- expressions ----------------------------------------------------------------- */

static void add_expression(struct fx_buf *buf, unsigned depth);

static void add_step(struct fx_buf *buf, unsigned depth) {
    switch (throw(depth > 0 ? 16 : 8)) {
    case 8: fx_buf_str(buf, "[*]"); break;
    case 9: fx_buf_printf(buf, "[%u]", throw(2)); break;
    case 10: fx_buf_printf(buf, "[\"%s\"]", PICK(words)); break;
    case 11: fx_buf_str(buf, one_in(2) ? "[0:1]" : ".*"); break;
    case 12: fx_buf_printf(buf, "[\"%s\",\"%s\"]", PICK(names), PICK(names)); break;
    case 13:
        fx_buf_str(buf, "[? ");
        add_expression(buf, depth - 1);
        fx_buf_str(buf, "]");
        break;
    case 14:
        if (one_in(6)) {
            fx_buf_printf(buf, "..%s", PICK(names));
        } else {
            fx_buf_str(buf, "[");
            add_expression(buf, depth - 1);
            fx_buf_str(buf, "]");
        }
        break;
    case 15:
        fx_buf_str(buf, "(");
        add_expression(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    default: fx_buf_printf(buf, ".%s", PICK(names)); break;
    }
}

static void add_path(struct fx_buf *buf, unsigned depth) {
    static const char *const starts[] = {
        "$.spec", "$.spec", "$.spec", "$.metadata.labels", "@", "@", "$.syntheticRefs",
    };
    fx_buf_str(buf, PICK(starts));
    for (unsigned n = throw(5); n > 0; n--) {
        add_step(buf, depth);
    }
}

static void add_expression(struct fx_buf *buf, unsigned depth) {
    static const char *const functions[] = {"length", "isDefined", "isUndefined",
                                            "isEmpty", "isNotEmpty"};
    static const char *const operators[] = {"==", "!=", "<",  "&&", "||",
                                            "+",  "=~", "in", "??"};
    switch (throw(depth > 0 ? 12 : 7)) {
    case 0: fx_buf_printf(buf, "\"%s\"", PICK(words)); break;
    case 1: fx_buf_printf(buf, "%u", throw(3)); break;
    case 7: fx_buf_printf(buf, "spec.%s", PICK(names)); break;
    case 8:
        fx_buf_printf(buf, "%s(", PICK(functions));
        add_expression(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    case 9:
    case 10:
        fx_buf_str(buf, "(");
        add_expression(buf, depth - 1);
        fx_buf_printf(buf, " %s ", PICK(operators));
        add_expression(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    case 11:
        fx_buf_str(buf, one_in(2) ? "[" : "!([");
        add_expression(buf, depth - 1);
        fx_buf_str(buf, ",");
        add_expression(buf, depth - 1);
        fx_buf_str(buf, buf->len % 2 == 0 ? "]" : "][0]");
        break;
    default: add_path(buf, depth); break;
    }
}

/* ---- templates ------------------------------------------------------------------- */

static bool has_item; /* something was selected for it */

/* Few: most others fail. */
static void add_fields(struct fx_buf *buf) {
    if (one_in(3)) {
        fx_buf_printf(buf, ".%s", PICK(names));
    }
}

static void add_value(struct fx_buf *buf) {
    static const char *const starts[] = {"$.Target.spec.l", "$.Target.spec.m",
                                         "$.Target.spec.m", "$.Target.spec.b",
                                         "$.Target.spec.l", "$x"};
    fx_buf_str(buf, has_item && one_in(3) ? "$.SelectedItem" : PICK(starts));
    add_fields(buf);
}

static void add_pipeline(struct fx_buf *buf) {
    switch (throw(14)) {
    case 0:
        fx_buf_str(buf, "index ");
        add_value(buf);
        fx_buf_str(buf, one_in(3)   ? " 0"
                        : one_in(2) ? " \"a\""
                                    : " (index .SelectKeyParts 0)");
        break;
    case 1:
        fx_buf_str(buf, "len ");
        add_value(buf);
        break;
    case 2:
        add_value(buf);
        fx_buf_str(buf, " | toJson");
        break;
    case 3:
        fx_buf_str(buf, "(index ");
        add_value(buf);
        fx_buf_str(buf, " 0)");
        add_fields(buf);
        break;
    case 4:
        fx_buf_str(buf, "or ");
        add_value(buf);
        fx_buf_str(buf, " ");
        add_value(buf);
        break;
    default: add_value(buf); break;
    }
}

/* What stands in single quotes of YAML, and gives YAML. */
static void add_statement(struct fx_buf *buf, unsigned depth) {
    static const char *const blocks[] = {
        "if", "with", "range", "with $x :=", "range $i, $x :=", "range $x :="};
    switch (throw(depth > 0 ? 7 : one_in(4) ? 2 : 1)) {
    case 0: fx_buf_str(buf, PICK(words)); break;
    case 2:
    case 3:
    case 4:
        fx_buf_printf(buf, "{{ %s ", PICK(blocks));
        add_pipeline(buf);
        fx_buf_str(buf, " }}");
        if (one_in(6)) {
            fx_buf_printf(buf, "{{ .%s }}", PICK(names));
        }
        add_statement(buf, depth - 1);
        if (one_in(2)) {
            fx_buf_str(buf, "{{ else }}");
            add_statement(buf, depth - 1);
        }
        fx_buf_str(buf, "{{ end }}");
        break;
    case 5:
        fx_buf_str(buf, one_in(2) ? "{{ $x = " : "{{ $x := ");
        add_pipeline(buf);
        fx_buf_str(buf, " }}");
        add_statement(buf, depth - 1);
        break;
    case 6:
        fx_buf_str(buf, "{{ define \"t\" }}{{ .a }}{{ end }}{{ template \"t\" ");
        add_value(buf);
        fx_buf_str(buf, " }}");
        break;
    default:
        fx_buf_str(buf, "{{ ");
        add_pipeline(buf);
        fx_buf_str(buf, " }}");
        break;
    }
}

static void add_template(struct fx_buf *buf) {
    fx_buf_printf(buf, "{{ $x := .Target.spec.%s }}x", PICK(names));
    add_statement(buf, 2);
}

/* ---- rules ----------------------------------------------------------------------- */

static void add_match(struct fx_buf *buf) {
    fx_buf_str(buf, "  - {select: '");
    if (!one_in(3)) {
        fx_buf_str(buf, "$.kind', matchValue: Pod}\n");
        return;
    }
    add_expression(buf, 2);
    fx_buf_str(buf, "'");
    if (one_in(3)) {
        fx_buf_printf(buf, ", matchValue: '%s'", PICK(words));
    } else if (one_in(4)) {
        fx_buf_str(buf, one_in(2) ? ", matchRegex: '[a-f]'" : ", matchRegex: one");
    }
    fx_buf_str(buf, one_in(4) ? ", matchFor: All" : "");
    fx_buf_str(buf, one_in(2) ? ", negate: true}\n" : "}\n");
}

static void add_place(struct fx_buf *buf, bool selects) {
    static const char *const ends[] = {"0", "-", "-1", "1"};
    fx_buf_str(buf, one_in(3) ? "/metadata/labels" : "/spec");
    for (unsigned n = 1 + throw(3); n > 0; n--) {
        if (selects && one_in(3)) {
            fx_buf_printf(buf, "/#%u", throw(2));
        } else {
            fx_buf_printf(buf, "/%s", one_in(4) ? PICK(ends) : PICK(names));
        }
    }
}

/* One that mostly does not fail, and sees no more than its template does. */
static void add_label(struct fx_buf *buf) {
    has_item = one_in(3);
    fx_buf_printf(buf, "  - {op: add, path: /metadata/labels/%s, value: '", PICK(names));
    add_template(buf);
    fx_buf_printf(buf, "'%s}\n", has_item ? ", select: '$.spec.l[*]'" : "");
}

static void add_operation(struct fx_buf *buf) {
    static const char *const operations[] = {"add", "add", "replace", "remove"};
    static const char *const values[] = {"1",        "x",    "{a: 1}",
                                         "[{a: 1}]", "null", "{name: n, b: {c: 1}}"};
    const bool selects = one_in(2);
    has_item = selects;
    fx_buf_printf(buf, "  - {op: %s, path: '", PICK(operations));
    add_place(buf, selects);
    fx_buf_str(buf, "'");
    if (selects) {
        fx_buf_str(buf, ", select: '$.spec");
        for (unsigned n = 1 + throw(3); n > 0; n--) {
            add_step(buf, 1);
        }
        fx_buf_str(buf, "'");
    }
    fx_buf_str(buf, ", value: '");
    if (one_in(2)) {
        add_template(buf);
    } else {
        fx_buf_str(buf, PICK(values));
    }
    fx_buf_str(buf, "'}\n");
}

static void add_rule(struct fx_buf *buf, unsigned number) {
    const bool rejects = one_in(6);
    fx_buf_printf(buf,
                  "---\napiVersion: api.kubemod.io/v1beta1\nkind: ModRule\n"
                  "metadata: {name: r%u, namespace: ns}\nspec:\n  type: %s\n"
                  "  executionTier: %u\n  match:\n",
                  number, rejects ? "Reject" : "Patch", throw(3));
    add_match(buf);
    if (one_in(3)) {
        add_match(buf);
    }
    if (rejects) {
        has_item = false;
        fx_buf_str(buf, "  rejectMessage: '");
        add_template(buf);
        fx_buf_str(buf, "'\n");
        return;
    }
    fx_buf_str(buf, "  patch:\n");
    for (unsigned n = 1 + (one_in(3) ? throw(3) : 0); n > 0; n--) {
        if (one_in(2)) {
            add_label(buf);
        } else {
            add_operation(buf);
        }
    }
}

/* Of rules at random some are refused; what is left of them is in the snapshot. */
static struct fx_policies *make_policies(struct fx_buf *buf) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(buf);
    for (unsigned n = 1 + (one_in(3) ? throw(3) : 0), i = 0; i < n; i++) {
        add_rule(buf, i);
    }
    const struct fx_policy_input input = {.file = "p.yaml",
                                          .text = {buf->data, buf->len}};
    if (!fx_policies_build(&input, 1, NULL, 1, &policies, &err)) {
        fail_msg("%s\n%s", err.msg, buf->data);
    }
    return policies;
}

/* ---- objects --------------------------------------------------------------------- */

static void add_json(struct fx_buf *buf, unsigned depth, bool holds);

static void add_members(struct fx_buf *buf, unsigned depth) {
    const char *comma = "";
    fx_buf_str(buf, "{");
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        if (!one_in(3)) {
            const bool holds = names[i][0] == 'l' || names[i][0] == 'm';
            fx_buf_printf(buf, "%s\"%s\":", comma, names[i]);
            add_json(buf, depth, holds);
            comma = ",";
        }
    }
    fx_buf_printf(buf, "%s\"1\":\"one\"}", comma);
}

/* `holds`: it has something in it, where there is still room. */
static void add_json(struct fx_buf *buf, unsigned depth, bool holds) {
    static const char *const scalars[] = {"\"a\"", "\"x\"", "1",    "true", "null",
                                          "{}",    "[]",    "\"\"", "1.5"};
    switch (depth == 0 ? 0 : holds ? 1 + throw(6) : throw(8)) {
    case 1:
    case 2:
    case 3: add_members(buf, depth - 1); break;
    case 4:
    case 5:
    case 6:
        fx_buf_str(buf, "[");
        for (unsigned n = throw(3); n > 0; n--) {
            add_json(buf, depth - 1, !one_in(4));
            fx_buf_str(buf, ",");
        }
        add_json(buf, depth - 1, !one_in(4));
        fx_buf_str(buf, "]");
        break;
    default: fx_buf_str(buf, PICK(scalars)); break;
    }
}

static void make_review(struct fx_buf *buf) {
    fx_buf_reset(buf);
    fx_buf_str(buf,
               "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
               "\"request\":{\"uid\":\"u\",\"operation\":\"CREATE\",\"namespace\":\"ns\","
               "\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"
               "\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"status\":{\"a\":1},"
               "\"metadata\":{\"name\":\"p\",\"managedFields\":[{\"a\":1}]");
    if (one_in(3)) {
        fx_buf_str(buf, ",\"annotations\":{\"kubectl.kubernetes.io/"
                        "last-applied-configuration\":\"{\\\"spec\\\":{\\\"a\\\":1}}\"}");
    }
    if (one_in(2)) {
        fx_buf_str(buf, ",\"labels\":{\"a\":\"x\",\"b\":\"1\"}");
    }
    fx_buf_str(buf, "},\"spec\":");
    add_members(buf, 3);
    fx_buf_str(buf, "}}}");
}

/* ---- the test -------------------------------------------------------------------- */

/* How often each result occurred. */
static struct {
    unsigned reviews, parts, patches, denials, skipped;
} counts;

struct answer {
    struct fx_review *review;
    const struct fx_review_result *result;
};

static struct answer run(struct fx_snapshot *snapshot, struct fx_text text,
                         bool partial_decode) {
    const struct fx_admission admission = {.own_namespace = "own",
                                           .partial_decode = partial_decode};
    struct fx_review *review = fx_review_create(&admission, snapshot, text, 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    return (struct answer){review, fx_review_result(review)};
}

static void count(const struct answer *part) {
    counts.reviews++;
    counts.parts += part->review->partial_decode ? 1 : 0;
    counts.patches += part->result->decision == FX_DECISION_MUTATED ? 1 : 0;
    counts.denials += part->result->decision == FX_DECISION_DENIED ? 1 : 0;
    counts.skipped +=
        part->result->outcome != NULL && part->result->outcome->n_skipped > 0;
}

static void compare(struct fx_snapshot *snapshot, const struct fx_buf *rules,
                    const struct fx_buf *review) {
    const struct fx_text text = {review->data, review->len};
    const struct answer whole = run(snapshot, text, false);
    const struct answer part = run(snapshot, text, true);
    count(&part);
    if (whole.result->decision != part.result->decision ||
        whole.result->status != part.result->status ||
        whole.result->body->len != part.result->body->len ||
        memcmp(whole.result->body->data, part.result->body->data,
               whole.result->body->len) != 0) {
        fail_msg("%s\n%s\nwhole: %s\npart: %s", rules->data, review->data,
                 whole.result->body->data, part.result->body->data);
    }
    fx_review_destroy(whole.review);
    fx_review_destroy(part.review);
}

static void parts_are_enough(void **state) {
    (void)state;
    struct fx_buf rules, review;
    fx_buf_init(&rules, 0);
    fx_buf_init(&review, 0);
    const unsigned rounds = ROUNDS / slow();
    for (unsigned i = 0; i < rounds; i++) {
        struct fx_policies *policies = make_policies(&rules);
        for (unsigned k = 0; k < OBJECTS; k++) {
            make_review(&review);
            compare(policies->snapshot, &rules, &review);
        }
        fx_policies_unref(policies);
    }
    fx_buf_finish(&rules);
    fx_buf_finish(&review);
    print_message(
        "%u reviews: %u of a part, %u patches, %u denials, %u with skipped rules\n",
        counts.reviews, counts.parts, counts.patches, counts.denials, counts.skipped);
    assert_true(counts.parts > counts.reviews / 3);
    assert_true(counts.patches > counts.reviews / 20);
    assert_true(counts.denials > counts.reviews / 50);
    assert_true(counts.skipped > counts.reviews / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
