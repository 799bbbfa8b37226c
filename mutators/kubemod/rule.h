/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule.h - private: the resource ModRule (spec section 1): reads and
 * validates it. It finds all errors at once. Some of these errors KubeMod's webhook
 * accepts, although KubeMod then cannot load the rule.
 */
#ifndef FX_MUTATORS_KUBEMOD_RULE_H
#define FX_MUTATORS_KUBEMOD_RULE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"
#include "mutators/kubemod/modrule.h"

/* A rule that is being compiled. */
struct rule_reading {
    struct fx_compilation *compilation;
    const json_t *source;
    bool is_out_of_memory;
};

/* Records that memory ran out, unless `ok`. */
static inline void fx_reading_need(struct rule_reading *reading, bool ok) {
    reading->is_out_of_memory = reading->is_out_of_memory || !ok;
}

/* Returns object[key]; NULL if it is missing or null, or if `object` is not an object. */
json_t *fx_reading_view(const json_t *object, const char *key);

/* Adds the error `<path>: Invalid value: <value>: <reason>` at `value`, or at `within` if
 * `value` has no position in the document. `span` (may be NULL) is the position in the
 * text of the value. */
FX_PRINTF(6, 7)
void fx_reading_fault(struct rule_reading *reading, const json_t *within,
                      const json_t *value, const char *path, const struct fx_err *span,
                      const char *fmt, ...);

/* Adds the error `<path>: Required value`, followed by `: <reason>` unless `reason` is
 * NULL. The CRD's message for a required field has no reason; that of KubeMod's validator
 * has one. */
void fx_reading_require(struct rule_reading *reading, const json_t *within,
                        const char *path, const char *reason);

/* Returns a field of that JSON type: "string", "boolean", "integer", "array", "object".
 * Returns NULL if it is missing or null, or if it has another type, which is an error. */
json_t *fx_reading_field(struct rule_reading *reading, const json_t *object,
                         const char *key, const char *path, const char *type);

/* Adds an error from compiling `value`, or records that memory ran out. */
void fx_reading_compile_fault(struct rule_reading *reading, const json_t *value,
                              const char *path, const struct fx_err *err);

/* Returns true and adds an error if the list has more entries than a rule may have. */
bool fx_reading_is_too_long(struct rule_reading *reading, const json_t *list,
                            const char *path);

/* Adds a warning about calls that fail on every object. KubeMod accepts them, but an item
 * of `match` with such a call never holds, or always holds with `negate`. */
void fx_reading_warn_of_calls(struct rule_reading *reading, const json_t *select,
                              const char *path, const struct fx_jsonpath *compiled);

/* Adds a warning for every field that is not in the list, which NULL ends. */
void fx_reading_warn_unknown(struct rule_reading *reading, const json_t *object,
                             const char *path, const char *const *known);

/* Read the entries of `spec.match` and of `spec.patch`. */
void fx_reading_match(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule);
void fx_reading_patch(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule);

/* Compiles the rule. Errors: FX_EINVALID with all errors in the form of Kubernetes'
 * status 422, FX_ENOMEM. The compilation has each of the errors. */
bool fx_rule_compile(json_t *source, struct fx_compilation *ret_compilation,
                     struct fx_err *err) FX_MUST_USE;

#endif
