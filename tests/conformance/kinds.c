/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds.c - the table of kinds, and the row for a path.
 */
#include "kinds.h"

#include <ctype.h>

#include "base/macros.h"

static const struct fx_case_kind kinds[] = {
    {"documents", "yaml", fx_case_yaml, NULL},
    {"documents", "json", fx_case_json, NULL},
    {"gatekeeper", "location", fx_case_location, NULL},
    {"gatekeeper", "match", fx_case_match, NULL},
    {"gatekeeper", "conflicts", fx_case_conflicts, NULL},
    {"gatekeeper", "mutate", fx_case_mutate, NULL},
    {"gatekeeper", "random", fx_case_mutate, NULL},
    {"gatekeeper", "external", fx_case_mutate, NULL},
    {"kubemod", "modrules", fx_case_modrules, NULL},
    {"kubemod", "pathtemplates", fx_case_pathtemplates, NULL},
    {"kubemod", "gotemplate", fx_case_gotemplate, NULL},
    {"kubemod", "jsonpath", fx_case_jsonpath, NULL},
    {"kubemod", "number-text", fx_case_number_text, NULL},
    {"kubemod", NULL, NULL, "KubeMod: not in this version"},
    {"admission-policy", "cel", fx_case_cel, NULL},
    {"admission-policy", "k8slib", fx_case_cel, NULL},
    {"admission-policy", "map", fx_case_map, NULL},
    {"admission-policy", "server", fx_case_map, NULL},
    {"kyverno", "wildcard", fx_case_wildcard, NULL},
    {"kyverno", "jmespath", fx_case_jmespath, NULL},
    {"kyverno", "mutate", fx_case_kyverno_mutate, NULL},
    {"kyverno", NULL, NULL, FX_CASE_KYVERNO_SKIPPED},
};

/* Removes the text after the last `separator`, and the separator, from *text, and returns
 * it. Without a separator it returns the whole text. */
static struct fx_text take_last(struct fx_text *text, char separator) {
    size_t start = text->len;
    while (start > 0 && text->data[start - 1] != separator) {
        start--;
    }
    const struct fx_text last = {text->data + start, text->len - start};
    text->len = start > 0 ? start - 1 : 0;
    return last;
}

/* True if the file is of this kind. Files of the kind "random" are also "random-2" and
 * "random.r2". */
static bool names(const struct fx_case_kind *kind, struct fx_text name) {
    const struct fx_text own = fx_text_of(kind->name);
    return own.len == 0 ||
           (fx_text_starts(name, own) &&
            (name.len == own.len || isalpha((unsigned char)name.data[own.len]) == 0));
}

const struct fx_case_kind *fx_case_kind_of(struct fx_text path) {
    struct fx_text name = take_last(&path, '/');
    const struct fx_text folder = take_last(&path, '/');
    if (fx_text_contains(name, FX_TEXT("."))) {
        (void)take_last(&name, '.');
    }
    for (size_t i = 0; i < FX_COUNT(kinds); i++) {
        if (fx_text_is(folder, kinds[i].folder) && names(&kinds[i], name)) {
            return &kinds[i];
        }
    }
    return NULL;
}
