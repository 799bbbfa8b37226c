/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds.h - the kinds of case files. A new kind is one file with its run function, and
 * one row in kinds.c.
 */
#ifndef FX_CONFORMANCE_KINDS_H
#define FX_CONFORMANCE_KINDS_H

#include <jansson.h>

#include "base/text.h"
#include "result.h"

struct fx_case_kind {
    const char *folder;
    const char *name; /* the start of the file's name; NULL for any */

    /* Runs one case (a JSON object). NULL if no case is run; `skipped` has the reason. */
    void (*run)(json_t *row, struct fx_case_result *result);
    const char *skipped;
};

/* Returns the kind of the file at `path` by its folder and name; NULL if it has none. */
const struct fx_case_kind *fx_case_kind_of(struct fx_text path);

/* documents.c */
void fx_case_yaml(json_t *row, struct fx_case_result *result);
void fx_case_json(json_t *row, struct fx_case_result *result);
/* location.c, match.c, conflicts.c, mutate.c: Gatekeeper */
void fx_case_location(json_t *row, struct fx_case_result *result);
void fx_case_match(json_t *row, struct fx_case_result *result);
void fx_case_conflicts(json_t *row, struct fx_case_result *result);
void fx_case_mutate(json_t *row, struct fx_case_result *result);
/* kubemod_modrules.c, kubemod_pathtemplates.c: KubeMod */
void fx_case_modrules(json_t *row, struct fx_case_result *result);
void fx_case_pathtemplates(json_t *row, struct fx_case_result *result);

/* kubemod_gotemplate.c: KubeMod's templates */
void fx_case_gotemplate(json_t *row, struct fx_case_result *result);
/* kubemod_jsonpath.c */
void fx_case_jsonpath(json_t *row, struct fx_case_result *result);
void fx_case_number_text(json_t *row, struct fx_case_result *result);

/* cel.c: expressions of admission policies */
void fx_case_cel(json_t *row, struct fx_case_result *result);

/* kyverno_jmespath.c: queries of Kyverno */
void fx_case_jmespath(json_t *row, struct fx_case_result *result);

/* map.c: MutatingAdmissionPolicies */
void fx_case_map(json_t *row, struct fx_case_result *result);

/* kyverno_mpol.c: MutatingPolicies, whose rows fx_case_kyverno_mutate() hands over */
void fx_case_kyverno_mpol(json_t *row, struct fx_case_result *result);

/* kyverno_mutate.c: what of Kyverno's cases are MutatingAdmissionPolicies */
void fx_case_kyverno_mutate(json_t *row, struct fx_case_result *result);
#define FX_CASE_KYVERNO_SKIPPED "not marked core: what an API server or a script adds"

/* kyverno_rules.c */
void fx_case_kyverno_rules(json_t *row, struct fx_case_result *result);

/* kyverno_targets.c */
bool fx_case_kyverno_has_targets(const json_t *row);
void fx_case_kyverno_targets(json_t *row, struct fx_case_result *result);

/* kyverno_wildcard.c */
void fx_case_wildcard(json_t *row, struct fx_case_result *result);

/* kyverno_patch.c */
void fx_case_condition(json_t *row, struct fx_case_result *result);
void fx_case_pattern(json_t *row, struct fx_case_result *result);
void fx_case_preprocess(json_t *row, struct fx_case_result *result);

#endif
