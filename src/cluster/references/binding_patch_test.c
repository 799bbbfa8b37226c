/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/binding_patch_test.c - which Pods are annotated, and how.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "cluster/references/bindings.h"
#include "kube/test_json.h"

#define ASKS  "\"ref.kubemod.io/inject-node-ref\":"
#define NAMES "\"ref.kubemod.io/nodename\":"
#define POD(notes) \
    "{\"metadata\":{\"name\":\"p\",\"uid\":\"u\",\"annotations\":" notes "}}"
#define PATCH "{\"metadata\":{\"uid\":\"u\",\"annotations\":{" NAMES "\"w\"}}}"

static const struct {
    const char *pod, *patch; /* NULL: none */
} cases[] = {
    {POD("{" ASKS "\"true\"}"), PATCH},
    {POD("{" ASKS "\"true\"," NAMES "\"other\",\"more\":\"1\"}"), PATCH},
    {POD("{" ASKS "\"true\"," NAMES "\"\"}"), PATCH},
    {POD("{" ASKS "\"true\"," NAMES "\"w\"}"), NULL},
    {POD("{" ASKS "\"True\"}"), NULL},
    {POD("{" ASKS "\"false\"}"), NULL},
    {POD("{" ASKS "\"\"}"), NULL},
    {POD("{" ASKS "true}"), NULL},
    {POD("{" NAMES "\"other\"}"), NULL},
    {POD("{}"), NULL},
    {POD("[]"), NULL},
    {"{\"metadata\":{\"annotations\":{" ASKS "\"true\"}},\"spec\":{\"nodeName\":\"v\"}}",
     NULL},
    {"{\"metadata\":{\"annotations\":{" ASKS "\"true\"}},\"spec\":{\"nodeName\":\"\"}}",
     "{\"metadata\":{\"annotations\":{" NAMES "\"w\"}}}"},
    {"{\"metadata\":{}}", NULL},
    {"{}", NULL},
    {"{\"metadata\":{\"annotations\":{" ASKS "\"true\"}}}",
     "{\"metadata\":{\"annotations\":{" NAMES "\"w\"}}}"},
};

static void tells_who_asks(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *pod = read_json(cases[i].pod);
        json_t *patch = NULL;
        assert_true(fx_binding_patch_make(pod, FX_TEXT("w"), &patch));
        if (cases[i].patch == NULL) {
            assert_null(patch);
        } else {
            expect_made(patch, cases[i].patch);
        }
        json_decref(pod);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_who_asks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
