/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies_fuzz.c - any bytes build; they build again over themselves, and over
 * policies that were there before.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] =
    "{apiVersion: mutations.gatekeeper.sh/v1, kind: AssignMetadata, metadata: {name: "
    "a},\n"
    " spec: {location: metadata.labels.a, parameters: {assign: {value: b}}}}\n";

static struct fx_policies *build(struct fx_text text,
                                 const struct fx_policies *previous) {
    const struct fx_policy_input inputs[] = {
        {.file = "fuzz.yaml", .text = text},
        {.file = "good.yaml", .text = FX_TEXT(good)},
    };
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_policies_build(inputs, 2, previous, 1, &policies, &err);
    assert(ok);
    return policies;
}

/* Every finding can be printed, in one line or three. */
static void check_findings(const struct fx_policies *policies) {
    for (size_t i = 0; i < policies->findings.n_items && i < 100; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        struct fx_buf printed;
        fx_buf_init(&printed, 0);
        fx_finding_print(&printed, finding, i % 2 == 0);
        assert(!printed.failed && printed.data[printed.len - 1] == '\n');
        size_t n_lines = 0;
        for (size_t at = 0; at < printed.len; at++) {
            n_lines += printed.data[at] == '\n';
        }
        assert(n_lines == (finding->excerpt == NULL  ? 1
                           : finding->caret_len == 0 ? 2
                                                     : 3));
        fx_buf_finish(&printed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_policies *first = build(text, NULL);
    check_findings(first);
    assert(first->snapshot->n_mutators >= 1);
    /* The same again: the same mutators, and no more findings (fewer where the file
     * breaks off: then what comes before the break is not compiled again). */
    struct fx_policies *again = build(text, first);
    assert(again->snapshot->n_mutators == first->snapshot->n_mutators);
    assert(again->snapshot->n_resources == first->snapshot->n_resources);
    assert(again->namespaces.n_objects == first->namespaces.n_objects);
    assert(again->findings.n_items <= first->findings.n_items);
    assert((again->findings.n_items == 0) == (first->findings.n_items == 0));
    /* A broken file keeps what the file gave. */
    struct fx_policies *broken = build(FX_TEXT("{"), first);
    assert(broken->snapshot->n_mutators == first->snapshot->n_mutators ||
           first->files[0].n_units == 0);
    assert(broken->snapshot->n_resources == first->snapshot->n_resources);
    check_findings(broken);
    fx_policies_unref(first);
    fx_policies_unref(broken);
    fx_policies_unref(again);
    return 0;
}
