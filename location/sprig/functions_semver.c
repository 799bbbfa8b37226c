/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions_semver.c - semver and semverCompare.
 */
#include "location/sprig/functions.h"

#include "location/sprig/semver.h"

static bool call_semver(struct call *call) {
    struct version *version = run_alloc(call->run, sizeof *version);
    if (version == NULL ||
        !version_parse(call->arguments[0].string, version, call->err)) {
        return false;
    }
    *call->ret = value_object(&version_type, version);
    return true;
}

/* A mistake in the constraint is told before one in the version. */
static bool call_semver_compare(struct call *call) {
    const struct version any = {.major = 0};
    struct version version;
    bool meets = false;
    const struct fx_text constraint = call->arguments[0].string;
    if (!version_check(&any, constraint, &meets, call->err) ||
        !version_parse(call->arguments[1].string, &version, call->err) ||
        !version_check(&version, constraint, &meets, call->err)) {
        return false;
    }
    *call->ret = value_bool(meets);
    return true;
}

const struct function functions_semver[] = {
    {.name = "semver",
     .call = call_semver,
     .parameters = {PARAMETER_STRING, PARAMETER_NONE},
     .price = 4},
    {.name = "semverCompare",
     .call = call_semver_compare,
     .parameters = {PARAMETER_STRING, PARAMETER_STRING, PARAMETER_NONE},
     .price = 8},
    {.name = NULL},
};
