/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/filters.h - Kyverno's configuration, a ConfigMap: which requests no rule of
 * Kyverno sees (spec/kyverno.md section 3, the last paragraph).
 */
#ifndef FX_KYVERNO_FILTERS_H
#define FX_KYVERNO_FILTERS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"
#include "engine/kind.h"
#include "engine/request.h"
#include "engine/unit.h"

/* The row for the table of kinds: the ConfigMap `kyverno` in Fixpoint's own namespace; in
 * files, of any namespace. Link steps look it up: fx_link_find(link, &row, no namespace,
 * KYVERNO_CONFIG_NAME). It is no policy: other ConfigMaps, and other uses of this one,
 * are not affected. */
#define KYVERNO_CONFIG_NAME "kyverno"
#define KYVERNO_CONFIG_KIND                     \
    {                                           \
        .group = "",                            \
        .kind = "ConfigMap",                    \
        .resource = "configmaps",               \
        .versions = fx_kyverno_config_versions, \
        .name = KYVERNO_CONFIG_NAME,            \
        .scope = FX_SCOPE_OWN,                  \
        .role = FX_ROLE_PARAMETER,              \
        .keeps = FX_KIND_KEEP_DATA,             \
    }
extern const char *const fx_kyverno_config_versions[];

struct kyverno_filters; /* opaque, immutable; a linkable of a unit */

/* Compiles the ConfigMap: the linkable of the compilation. Reads resourceFilters,
 * excludeGroups, excludeUsernames, excludeRoles, excludeClusterRoles, and the
 * namespaceSelector and objectSelector of webhooks; other keys are for Kyverno. What
 * Kyverno skips is skipped with a warning. Errors: FX_EINVALID for values that are no
 * strings, FX_ELIMIT, FX_ENOMEM. */
bool fx_kyverno_filters_compile(json_t *config_map,
                                struct fx_compilation *ret_compilation,
                                struct fx_err *err) FX_MUST_USE;

/* Returns the filters of the unit of the ConfigMap, borrowed; NULL if `unit` is NULL. */
const struct kyverno_filters *fx_kyverno_filters_of(const struct fx_unit *unit);

/* Do the filters look at the old object of a request? NULL: no. */
bool fx_kyverno_filters_read_old_object(const struct kyverno_filters *filters);

/* Do the filters exclude the request? Then no rule of Kyverno matches it. Looks at the
 * object's kind, name and namespace, the labels of the object and of its Namespace, the
 * resource in request->admission, and the user: its name, groups, roles and cluster
 * roles. What is not there excludes nothing. `filters` may be NULL. The outcome is kept
 * in request->memo, so that each request is asked about once. Spends from the thread's
 * budget; if that is exceeded, the result is of no use. */
bool fx_kyverno_filters_exclude(const struct kyverno_filters *filters,
                                const struct fx_request *request,
                                const struct fx_subject *subject);

#endif
