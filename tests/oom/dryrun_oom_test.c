/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/dryrun_oom_test.c - dry runs with patches, refusals, failures, faults. Every
 * allocation is refused in turn: each ends in 503 or as without a refusal, and nothing is
 * left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mutators/kubemod/dryrun/dryrun.h"
#include "refuse.h"

#define RUNS_MAX 100000 /* no run needs that many allocations */

#define RULE(name, namespace, spec)                                                     \
    "{\"metadata\":{\"name\":\"" name                                                   \
    "\",\"namespace\":\"" namespace "\"},\"spec\":{"                                    \
                                    "\"match\":[{\"select\":\"$.kind\",\"matchValue\":" \
                                    "\"Pod\"}]," spec "}}"
#define LABEL                                                                            \
    RULE(                                                                                \
        "label", "ns",                                                                   \
        "\"type\":\"Patch\",\"patch\":[{\"op\":\"add\",\"path\":\"/metadata/labels/a\"," \
        "\"value\":\"{{ .Target.metadata.name }}\"}]")
#define BROKEN                                                                      \
    RULE("broken", "ns",                                                            \
         "\"oops\":1,\"type\":\"Patch\",\"patch\":[{\"op\":\"replace\",\"path\":\"" \
         "/no/where\"}]")
#define REJECT \
    RULE("reject", "ns", "\"type\":\"Reject\",\"rejectMessage\":\"{{ .Namespace }}\"")
#define UNSOUND                                                                          \
    RULE("unsound", "ns",                                                                \
         "\"type\":\"patch\",\"rejectMessage\":\"{{ nope }}\",\"targetNamespaceRegex\":" \
         "\"(\"")
#define POD                                                                       \
    "\"resourceManifest\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{" \
    "\"name\":\"p\"},\"spec\":{\"a\":[1,\"x\"]}}"

static const struct {
    const char *request, *words; /* that are in the answer */
    unsigned status;
} rows[] = {
    {"{" POD ",\"typo\":1,\"modRules\":[" LABEL "," BROKEN "," REJECT "]}",
     "dryrun-namespace/reject: \\\"dryrun-namespace\\\"", 200},
    {"{" POD ",\"namespace\":\"ns\",\"modRules\":[" LABEL "],\"policies\":[" REJECT "]}",
     "has no `apiVersion`", 400},
    {"{" POD ",\"namespaceManifest\":{\"metadata\":{\"name\":\"ns\"}},\"nodeManifest\":{}"
     ",\"operation\":\"UPDATE\",\"modRules\":[" LABEL "]}",
     "+  labels:", 200},
    {"{" POD ",\"namespace\":\"ns\",\"operation\":\"DELETE\",\"modRules\":[" LABEL "]}",
     "\"criterion\":\"operation\"", 200},
    {"{" POD ",\"modRules\":[" UNSOUND "," LABEL ",{\"kind\":\"ModRule\"}]}",
     "unrecognized ModRule type", 400},
    {"{" POD ",\"modRules\":[{\"kind\":\"Other\"}]}", "not a ModRule", 400},
    {"{", "unexpected end of JSON input", 400},
};

/* False where it was refused an allocation. */
static bool run(size_t row, long nth, bool ever_after) {
    struct fx_dry_run_answer answer;
    refuse_from(nth, ever_after);
    fx_dry_run_kubemod.answer(fx_text_of(rows[row].request), NULL, 0, NULL, &answer);
    const bool refused = refuse_stop();
    if (answer.status != 503 || !refused) {
        assert_int_equal(answer.status, rows[row].status);
        assert_non_null(answer.body.data);
        if (strstr(answer.body.data, rows[row].words) == NULL) {
            fail_msg("number %ld: %s", nth, answer.body.data);
        }
    }
    assert_int_equal(answer.retry_after, answer.status == 503);
    fx_buf_finish(&answer.body);
    return !refused;
}

static void refuse_each(size_t row, bool ever_after) {
    assert_true(run(row, RUNS_MAX, false)); /* caches are filled */
    const long live = refuse_live();
    long n = 0;
    for (; !run(row, n, ever_after); n++) {
        assert_true(n < RUNS_MAX);
        if (refuse_live() != live) {
            fail_msg("%ld allocations are left behind, where number %ld was refused",
                     refuse_live() - live, n);
        }
    }
    assert_true(n > 0); /* it was tried at all */
}

static void test_dry_runs(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows) * 2; i++) {
        refuse_each(i / 2, i % 2 == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dry_runs)};
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
