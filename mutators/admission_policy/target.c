/* SPDX-License-Identifier: Apache-2.0
 *
 * target.c - finds the schema of a kind, and the ways in which a mutation fails.
 */
#include "mutators/admission_policy/target.h"

#include <stdarg.h>

#include "base/budget.h"

bool fx_map_reject(struct fx_map_refusal *refusal, unsigned code, struct fx_err *err) {
    if (refusal->message.failed || refusal->message.data == NULL) {
        return fx_fail_nomem(err);
    }
    refusal->code = code;
    return fx_fail(err, FX_EMUTATE, "%s", refusal->message.data);
}

bool fx_map_reject_with(struct fx_map_refusal *refusal, unsigned code, struct fx_err *err,
                        const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fx_buf_vprintf(&refusal->message, fmt, args);
    va_end(args);
    return fx_map_reject(refusal, code, err);
}

bool fx_map_fail_work(struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
                                                       : fx_fail_nomem(err);
}

void fx_map_target_print_api_version(struct fx_buf *buf,
                                     const struct fx_map_target *target) {
    if (target->group.len > 0) {
        fx_buf_text(buf, target->group);
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, target->version);
}

bool fx_map_target_find(struct fx_text group, struct fx_text version, struct fx_text kind,
                        const struct fx_schema_set *further,
                        struct fx_map_target *ret_target, struct fx_map_refusal *refusal,
                        struct fx_err *err) {
    struct fx_schema schema = {NULL, 0};
    const struct fx_schema builtin =
        fx_schema_find(&fx_schema_builtin, group, version, kind);
    if (further != NULL) {
        schema = fx_schema_find(further, group, version, kind);
    }
    if (schema.set == NULL) {
        schema = builtin;
    }
    if (schema.set == NULL) {
        return fx_map_reject_with(
            refusal, 503, err,
            "Resource kind %.*s/%.*s, Kind=%.*s not found. There can be a delay between "
            "when CustomResourceDefinitions are created and when they are available.",
            (int)group.len, group.data, (int)version.len, version.data, (int)kind.len,
            kind.data);
    }
    *ret_target = (struct fx_map_target){.group = group,
                                         .version = version,
                                         .kind = kind,
                                         .schema = schema,
                                         .is_decoded = builtin.set != NULL};
    return true;
}
