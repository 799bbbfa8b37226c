/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/filters_fuzz.c - two JSON texts with a line break between them: the
 * `data` of Kyverno's ConfigMap, and a request with `object`, `user` and `admission`. The
 * ConfigMap compiles or there is a reason; the answer about the request is the same
 * twice.
 */
#include <assert.h>
#include <stdint.h>

#include "base/budget.h"
#include "mutators/kyverno/filters.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS (1u << 20)

static void ask(struct fx_linkable *linkable, const json_t *about) {
    const struct fx_unit unit = {.linkable = linkable};
    const struct fx_request request = {
        .user_info = fx_tree_view_key(about, "user"),
        .admission = fx_tree_view_key(about, "admission"),
        .roles = fx_tree_view_key(about, "roles"),
        .cluster_roles = fx_tree_view_key(about, "clusterRoles"),
        .old_object = fx_tree_view_key(about, "old"),
        .namespace_object = fx_tree_view_key(about, "namespace"),
    };
    struct fx_subject subject;
    fx_subject_read(fx_tree_view_key(about, "object"), &subject);
    const struct kyverno_filters *filters = fx_kyverno_filters_of(&unit);
    const struct fx_bound bound = fx_budget_narrow(MOST_UNITS, 0);
    const bool first = fx_kyverno_filters_exclude(filters, &request, &subject);
    const bool again = fx_kyverno_filters_exclude(filters, &request, &subject);
    assert(first == again || fx_budget_exceeded() != FX_EXCEEDED_NOTHING);
    (void)fx_budget_widen(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    json_t *values = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    json_t *about = fx_json_read(rest, NULL, &err);
    if (values != NULL && about != NULL) {
        json_t *config_map = json_object();
        struct fx_compilation made = {0};
        assert(config_map != NULL && json_object_set(config_map, "data", values) == 0);
        fx_err_reset(&err);
        const bool ok = fx_kyverno_filters_compile(config_map, &made, &err);
        assert(ok == (made.linkable != NULL));
        assert(ok || (err.code != FX_OK && err.msg[0] != '\0'));
        if (ok) {
            ask(made.linkable, about);
            made.linkable->destroy(made.linkable);
            made.linkable = NULL;
        }
        fx_compilation_finish(&made);
        json_decref(config_map);
    }
    json_decref(values);
    json_decref(about);
    return 0;
}
