/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule.h - private: the resource ModRule (spec section 1): reads and
 * validates it. All faults are found at once, and with them those that KubeMod's webhook
 * lets through and that keep it from loading the rule.
 */
#ifndef FX_MUTATORS_KUBEMOD_RULE_H
#define FX_MUTATORS_KUBEMOD_RULE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"
#include "mutators/kubemod/modrule.h"

/* A rule under compilation. */
struct reading {
    struct fx_compilation *compilation;
    const json_t *source;
    bool is_out_of_memory;
};

/* object[key]; NULL where there is none, it is null, or `object` is no object. */
json_t *fx_reading_view(const json_t *object, const char *key);

/* `<path>: Invalid value: <value>: <words>`, a fault of `value`, or where that has no
 * place in a document, of `within`. `span` (may be NULL) knows where in its text. */
FX_PRINTF(6, 7)
void fx_reading_fault(struct reading *reading, const json_t *within, const json_t *value,
                      const char *path, const struct fx_err *span, const char *fmt, ...);

/* `<path>: Required value`, and `: <words>` where there are any: the definition requires
 * a field without words, KubeMod's validator has some. `words` may be NULL. */
void fx_reading_require(struct reading *reading, const json_t *within, const char *path,
                        const char *words);

/* A field of that JSON type: "string", "boolean", "integer", "array", "object"; NULL
 * where it is missing, null, or of another type, which is a fault. */
json_t *fx_reading_field(struct reading *reading, const json_t *object, const char *key,
                         const char *path, const char *type);

/* An error that came of compiling `value`; without memory, that. */
void fx_reading_compile_fault(struct reading *reading, const json_t *value,
                              const char *path, const struct fx_err *err);

/* Has the list more entries than a rule may have? That is a fault. */
bool fx_reading_is_too_long(struct reading *reading, const json_t *list,
                            const char *path);

/* A warning about calls that fail on every object: KubeMod takes them, and an item of
 * `match` then never holds, or with `negate` always. */
void fx_reading_warn_of_calls(struct reading *reading, const json_t *select,
                              const char *path, const struct fx_jsonpath *compiled);

/* A warning about every field that is not in the list; NULL ends it. */
void fx_reading_warn_unknown(struct reading *reading, const json_t *object,
                             const char *path, const char *const *known);

/* rule_match.c, rule_patch.c: a list of the spec. */
void fx_reading_match(struct reading *reading, const json_t *spec, struct modrule *rule);
void fx_reading_patch(struct reading *reading, const json_t *spec, struct modrule *rule);

/* Compiles the rule. Errors: FX_EINVALID, all faults in the words of a 422 of Kubernetes,
 * and one by one in the compilation; FX_ENOMEM. */
bool fx_rule_compile(json_t *source, struct fx_compilation *ret_compilation,
                     struct fx_err *err) FX_MUST_USE;

#endif
