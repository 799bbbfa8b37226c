/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/resources_test.c - files that give other things than mutators, and again with
 * what was before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/ca_testing.h"
#include "policy/policies_testing.h"

/* The other kinds of policies, likewise. */
#define PROVIDER_OF(name, url, bundle)                                            \
    "{apiVersion: externaldata.gatekeeper.sh/v1beta1, kind: Provider, metadata: " \
    "{name: " name "}, spec: {url: \"" url "\", caBundle: " bundle "}}\n"
#define PROVIDER(name) PROVIDER_OF(name, "https://p/", CA_BUNDLE)
#define CONFIG(name, glob)                                                             \
    "{apiVersion: config.gatekeeper.sh/v1alpha1, kind: Config, metadata: {name: " name \
    "}, spec: {match: [{processes: [\"*\"], excludedNamespaces: [" glob "]}]}}\n"
#define TEMPLATE(name, from, to)                                                         \
    "{apiVersion: expansion.gatekeeper.sh/v1alpha1, kind: ExpansionTemplate, metadata: " \
    "{name: " name                                                                       \
    "}, spec: {templateSource: spec, generatedGVK: {version: v1, kind: " to              \
    "}, applyTo: [{groups: [\"\"], versions: [v1], kinds: [" from "]}]}}\n"
#define ASKS(name, provider)                                                          \
    "{apiVersion: mutations.gatekeeper.sh/v1, kind: Assign, metadata: {name: " name   \
    "}, spec: {applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}], location: " \
    "spec." name ", parameters: {assign: {externalData: {provider: " provider "}}}}}\n"

static const struct {
    const char *about, *text;
    size_t n_mutators;
    const char *findings;
    size_t n_resources;
} files[] = {
    {"one of each other kind, which an Assign may ask",
     PROVIDER("p") NEXT CONFIG("config", "kube-*") NEXT TEMPLATE("t", "A", "B")
         NEXT ASKS("a", "p"),
     1, "", 3},
    {"a certificate that is none",
     "apiVersion: externaldata.gatekeeper.sh/v1beta1\n"
     "kind: Provider\n"
     "metadata: {name: p}\n"
     "spec:\n"
     "  url: https://p\n"
     "  caBundle: Y2E=\n",
     0,
     "p.yaml:6:13: error: Provider/p: bad caBundle\n"
     "  caBundle: Y2E=\n"
     "            ^~~~\n",
     0},
    {"a fault within base64",
     "apiVersion: externaldata.gatekeeper.sh/v1beta1\n"
     "kind: Provider\n"
     "metadata: {name: p}\n"
     "spec:\n"
     "  url: https://p\n"
     "  caBundle: Y2.=\n",
     0,
     "p.yaml:6:15: error: Provider/p: failed to base64 decode caBundle: illegal base64 "
     "data at input byte 2\n"
     "  caBundle: Y2.=\n"
     "              ^\n",
     0},
    {"a fault within a URL",
     "apiVersion: externaldata.gatekeeper.sh/v1beta1\n"
     "kind: Provider\n"
     "metadata: {name: p}\n"
     "spec:\n"
     "  url: https://me@p\n"
     "  caBundle: Y2E=\n",
     0,
     "p.yaml:5:16: error: Provider/p: invalid provider url. value: https://me@p: a user "
     "name is not allowed in it\n"
     "  url: https://me@p\n"
     "               ^~~\n",
     0},
    {"a template without a source",
     "apiVersion: expansion.gatekeeper.sh/v1alpha1\n"
     "kind: ExpansionTemplate\n"
     "metadata: {name: t}\n"
     "spec: {}\n",
     0,
     "p.yaml:4:7: error: ExpansionTemplate/t: ExpansionTemplate t has empty source "
     "field\n"
     "  spec: {}\n"
     "        ^\n",
     0},
    {"a Config of another name",
     "apiVersion: config.gatekeeper.sh/v1alpha1\nkind: Config\nmetadata: {name: c}\n", 0,
     "p.yaml:3:18: warning: Config/c: only the Config named `config` has any effect\n"
     "  metadata: {name: c}\n"
     "                   ^\n",
     0},
    {"a kind that this version of a group does not have",
     "apiVersion: config.gatekeeper.sh/v1beta1\nkind: Config\nmetadata: {name: config}\n",
     0,
     "p.yaml:1:13: error: Config/config: no matches for kind \"Config\" in version "
     "\"config.gatekeeper.sh/v1beta1\"\n"
     "  apiVersion: config.gatekeeper.sh/v1beta1\n"
     "              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n",
     0},
    {"an unsupported kind of one of these groups",
     "apiVersion: expansion.gatekeeper.sh/v1beta1\nkind: Other\nmetadata: {name: o}\n", 0,
     "p.yaml:2:7: error: Other/o: kind Other of expansion.gatekeeper.sh/v1beta1 is not "
     "supported by this version\n"
     "  kind: Other\n"
     "        ^~~~~\n",
     0},
    {"one name twice: the later counts; other kinds have their own names",
     PROVIDER("t") NEXT TEMPLATE("t", "A", "B") NEXT PROVIDER("t")
         NEXT ASSIGN("t", "spec.x", "1"),
     1,
     "p.yaml:1: warning: Provider/t: is defined again in p.yaml, line 5, which counts\n",
     2},
    {"a provider that there is not",
     ASKS("a", "p\"") NEXT ASKS("b", "q") NEXT PROVIDER("q"), 2,
     "p.yaml:1: warning: Assign/a: provider \"p\\\"\" is not defined here\n", 1},
    {"a provider that is refused",
     ASKS("a", "q") NEXT "apiVersion: externaldata.gatekeeper.sh/v1beta1\n"
                         "kind: Provider\n"
                         "metadata: {name: q}\n"
                         "spec: {url: 'https://q'}\n",
     1,
     "p.yaml:6:7: error: Provider/q: caBundle should be set for HTTPS scheme\n"
     "  spec: {url: 'https://q'}\n"
     "        ^\n"
     "p.yaml:1: warning: Assign/a: provider \"q\" is not defined here\n",
     0},
    {"templates that expand each other",
     TEMPLATE("s", "S", "A") NEXT TEMPLATE("ab", "A", "B") NEXT TEMPLATE("ba", "B", "A")
         NEXT PROVIDER("p"),
     0,
     "p.yaml:3: error: ExpansionTemplate/ab: template forms expansion cycle\n"
     "p.yaml:5: error: ExpansionTemplate/ba: template forms expansion cycle\n",
     2},
};

static void test_files(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(files); i++) {
        print_message("%s\n", files[i].about);
        struct fx_policies *policies = build_one(files[i].text, NULL);
        assert_int_equal(policies->snapshot->n_mutators, files[i].n_mutators);
        assert_int_equal(policies->snapshot->n_resources, files[i].n_resources);
        expect_findings(policies, files[i].findings);
        fx_policies_unref(policies);
    }
}

static const struct fx_resource *find(const struct fx_policies *policies,
                                      enum fx_resource_type type, const char *name) {
    return fx_snapshot_find(policies->snapshot, type, fx_text_of(name));
}

static void test_reload_shares_resources(void **state) {
    (void)state;
    struct fx_policies *before = build_one(
        PROVIDER("p") NEXT CONFIG("config", "a") NEXT TEMPLATE("t", "A", "B"), NULL);
    /* The first stays where it is, the second says something else, the third moves. */
    struct fx_policies *after =
        build_one(PROVIDER("p") NEXT CONFIG("config", "b") NEXT PROVIDER("q")
                      NEXT TEMPLATE("t", "A", "B"),
                  before);
    expect_findings(after, "");
    assert_int_equal(after->snapshot->n_resources, 4);
    assert_ptr_equal(find(before, FX_RESOURCE_PROVIDER, "p"),
                     find(after, FX_RESOURCE_PROVIDER, "p"));
    assert_ptr_not_equal(find(before, FX_RESOURCE_EXCLUSION, "config"),
                         find(after, FX_RESOURCE_EXCLUSION, "config"));
    assert_ptr_not_equal(find(before, FX_RESOURCE_EXPANSION, "t"),
                         find(after, FX_RESOURCE_EXPANSION, "t"));
    assert_int_equal(find(before, FX_RESOURCE_EXPANSION, "t")->origin.line, 5);
    assert_int_equal(find(after, FX_RESOURCE_EXPANSION, "t")->origin.line, 7);
    assert_string_equal(find(after, FX_RESOURCE_EXPANSION, "t")->origin.file, "p.yaml");
    fx_policies_unref(before);
    /* What is gone is gone. */
    struct fx_policies *last = build_one(PROVIDER("q"), after);
    assert_int_equal(last->snapshot->n_resources, 1);
    assert_null(find(last, FX_RESOURCE_PROVIDER, "p"));
    fx_policies_unref(after);
    fx_policies_unref(last);
}

static void test_reload_keeps_a_broken_resource(void **state) {
    (void)state;
    const struct fx_text stays = FX_TEXT("; the previous version stays active");
    struct fx_policies *before =
        build_one(PROVIDER("p") NEXT PROVIDER("q") NEXT ASKS("a", "p"), NULL);
    /* Neither its certificate nor, elsewhere, all of the file. */
    struct fx_policies *after =
        build_one(PROVIDER_OF("p", "https://p", "Y2E=") NEXT ASKS("a", "p"), before);
    assert_int_equal(after->snapshot->n_resources, 1);
    assert_ptr_equal(find(before, FX_RESOURCE_PROVIDER, "p"),
                     find(after, FX_RESOURCE_PROVIDER, "p"));
    assert_int_equal(after->findings.n_items, 1);
    assert_string_equal(after->findings.items[0].text,
                        "bad caBundle; the previous version stays active");
    fx_policies_unref(before);
    struct fx_policies *broken = build_one("{", after);
    assert_int_equal(broken->snapshot->n_resources, 1);
    assert_int_equal(broken->snapshot->n_mutators, 1);
    assert_int_equal(broken->findings.n_items, 1);
    assert_true(fx_text_ends(fx_text_of(broken->findings.items[0].text), stays));
    fx_policies_unref(after);
    struct fx_policies *last = build_one("", broken);
    assert_int_equal(last->snapshot->n_resources, 0);
    fx_policies_unref(broken);
    fx_policies_unref(last);
}

/* A file that only gave resources stays as well. */
static void test_reload_of_a_broken_file_of_resources(void **state) {
    (void)state;
    struct fx_policies *before = build_one(CONFIG("config", "a"), NULL);
    struct fx_policies *after = build_one("a: b: c", before);
    assert_ptr_equal(find(before, FX_RESOURCE_EXCLUSION, "config"),
                     find(after, FX_RESOURCE_EXCLUSION, "config"));
    fx_policies_unref(before);
    fx_policies_unref(after);
}

/* A cycle is found anew each time, and its end is the end of it. */
static void test_reload_of_a_cycle(void **state) {
    (void)state;
    struct fx_policies *before =
        build_one(TEMPLATE("ab", "A", "B") NEXT TEMPLATE("ba", "B", "A"), NULL);
    assert_int_equal(before->snapshot->n_resources, 0);
    assert_int_equal(before->snapshot->generation, 7);
    struct fx_policies *again =
        build_one(TEMPLATE("ab", "A", "B") NEXT TEMPLATE("ba", "B", "A"), before);
    assert_int_equal(again->snapshot->n_resources, 0);
    assert_int_equal(again->findings.n_items, 2);
    struct fx_policies *after =
        build_one(TEMPLATE("ab", "A", "B") NEXT TEMPLATE("ba", "B", "C"), again);
    assert_int_equal(after->snapshot->n_resources, 2);
    expect_findings(after, "");
    fx_policies_unref(before);
    fx_policies_unref(again);
    fx_policies_unref(after);
}

static void test_these_findings_are_bounded_too(void **state) {
    (void)state;
    const char *config = NEXT CONFIG("config", "a");
    expect_last(build_many(config, FX_LIMIT_FINDINGS + 4, ""), FX_SEVERITY_WARNING,
                "and 3 more");
    struct fx_buf file;
    fx_buf_init(&file, 0);
    for (size_t i = 0; i < FX_LIMIT_FINDINGS + 2; i++) {
        fx_buf_printf(&file,
                      NEXT "{apiVersion: mutations.gatekeeper.sh/v1, kind: Assign, "
                           "metadata: {name: a%zu}, spec: {applyTo: [{groups: [a], "
                           "versions: [v1], kinds: [Pod]}], location: spec.x, "
                           "parameters: {assign: {externalData: {provider: p}}}}}\n",
                      i);
    }
    expect_last(build_one(file.data, NULL), FX_SEVERITY_WARNING, "and 2 more");
    fx_buf_reset(&file);
    for (size_t i = 0; i < FX_LIMIT_FINDINGS + 5; i++) {
        fx_buf_printf(&file,
                      NEXT "{apiVersion: expansion.gatekeeper.sh/v1beta1, kind: "
                           "ExpansionTemplate, metadata: {name: t%zu}, spec: "
                           "{templateSource: s, generatedGVK: {kind: K%zu}, applyTo: "
                           "[{groups: [''], versions: [''], kinds: [K%zu]}]}}\n",
                      i, i, (i + 1) % (FX_LIMIT_FINDINGS + 5));
    }
    expect_last(build_one(file.data, NULL), FX_SEVERITY_ERROR, "and 5 more");
    fx_buf_reset(&file);
    fx_buf_str(&file, "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: "
                      "{name: r}, spec: {type: Reject, match: [{}");
    for (size_t i = 1; i < FX_LIMIT_FINDINGS + 6; i++) {
        fx_buf_str(&file, ", {}");
    }
    fx_buf_str(&file, "]}}\n");
    expect_last(build_one(file.data, NULL), FX_SEVERITY_ERROR, "and 6 more");
    fx_buf_finish(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_reload_shares_resources),
        cmocka_unit_test(test_reload_keeps_a_broken_resource),
        cmocka_unit_test(test_reload_of_a_broken_file_of_resources),
        cmocka_unit_test(test_reload_of_a_cycle),
        cmocka_unit_test(test_these_findings_are_bounded_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
