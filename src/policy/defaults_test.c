/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/defaults_test.c - the defaults of policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/check.h"
#include "value/documents.h"
#include "value/equal.h"

static json_t *must_read(const char *text) {
    struct fx_documents documents = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_documents_read(fx_text_of(text), &documents, &err));
    json_t *root = json_incref(documents.items[0].root);
    fx_documents_finish(&documents);
    return root;
}

#define SPEC(type, spec) "{" type ", spec: " spec "}"
#define MODRULE          "apiVersion: api.kubemod.io/v1beta1, kind: ModRule"

static const struct {
    const char *object, *expected; /* NULL: the same */
} cases[] = {
    {SPEC(MODRULE, "{}"), SPEC(MODRULE, "{admissionOperations: [CREATE, UPDATE]}")},
    {SPEC(MODRULE, "{admissionOperations: [DELETE]}"), NULL},
    {SPEC("apiVersion: api.kubemod.io/v2, kind: ModRule", "{}"), NULL},
    {SPEC("apiVersion: api.kubemod.io/v1beta1, kind: Other", "{}"), NULL},
    {SPEC("apiVersion: mutations.gatekeeper.sh/v1, kind: Assign", "{}"), NULL},
    {SPEC("apiVersion: v1, kind: ModRule", "{}"), NULL},
    {"[]", NULL},
    {"{}", NULL},
};

static void sets_defaults(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].object);
        struct fx_err err = FX_ERR_INIT;
        json_t *object = must_read(cases[i].object);
        json_t *root = json_incref(object);
        assert_true(fx_policy_set_defaults(&root, &err));
        if (cases[i].expected == NULL) {
            assert_ptr_equal(root, object);
        } else {
            json_t *expected = must_read(cases[i].expected);
            json_t *before = must_read(cases[i].object);
            assert_true(fx_equal(root, expected));
            assert_true(fx_equal(object, before)); /* it was a copy */
            json_decref(expected);
            json_decref(before);
        }
        json_decref(root);
        json_decref(object);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
