/* SPDX-License-Identifier: Apache-2.0
 *
 * optionals.c - optional values (spec/cel.md sections 4 and 7). The evaluator has `or`
 * and `orValue` itself, because they evaluate their argument only if they need it.
 */
#include "location/cel_library/library.h"

#include "location/cel/functions.h"

static struct fx_cel_value of(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return fx_cel_new_optional(run, args[0]);
}

static struct fx_cel_value none(struct fx_cel_run *run, const struct fx_cel_value *args) {
    (void)run;
    (void)args;
    return fx_cel_optional_none();
}

static bool is_zero(struct fx_cel_value value) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_NULL: return true;
    case FX_CEL_BOOL: return !value.boolean;
    case FX_CEL_INT: return value.integer == 0;
    case FX_CEL_UINT: return value.uinteger == 0;
    case FX_CEL_DOUBLE: return value.real == 0;
    case FX_CEL_STRING:
    case FX_CEL_BYTES: return value.text.len == 0;
    case FX_CEL_DURATION: return value.duration == 0;
    case FX_CEL_TIMESTAMP:
        return value.timestamp.seconds == FX_CEL_FIRST_SECOND &&
               value.timestamp.nanoseconds == 0;
    case FX_CEL_LIST: return fx_cel_list_size(value) == 0;
    case FX_CEL_MAP: return fx_cel_map_size(value) == 0;
    case FX_CEL_STRUCT: /* JSONPatch{} is a value */
        return value.structure->type != &fx_cel_json_patch &&
               value.structure->fields.n == 0;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_TYPE:
    case FX_CEL_OPTIONAL:
    case FX_CEL_OPAQUE: break;
    }
    return false;
}

static struct fx_cel_value of_non_zero(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return is_zero(args[0]) ? fx_cel_optional_none() : fx_cel_new_optional(run, args[0]);
}

static struct fx_cel_value value_of(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    return args[0].inner != NULL ? *args[0].inner
                                 : fx_cel_fail(run, "optional.none() dereference");
}

static struct fx_cel_value has_value(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(args[0].inner != NULL);
}

/* The values of the optionals that have one. */
static struct fx_cel_value unwrap(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    const size_t n = fx_cel_list_size(args[0]);
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    for (size_t i = 0; i < n && !fx_cel_is_error(list); i++) {
        const struct fx_cel_value element = fx_cel_list_at(args[0], i);
        if (!fx_spend(1)) {
            return fx_cel_exceeded(run);
        }
        if (element.kind != FX_CEL_OPTIONAL) {
            return fx_cel_fail(run, "value of type %s is not optional",
                               fx_cel_type_name(element));
        }
        if (element.inner != NULL && !fx_cel_list_add(run, list, *element.inner)) {
            return fx_cel_no_memory(run);
        }
    }
    return list;
}

const struct fx_cel_overload fx_cel_optionals[] = {
    {.function = "optional.of",
     FX_CEL_FUNCTION(&fx_cel_v),
     .result = &fx_cel_optional_v,
     .call = of},
    {.function = "optional.ofNonZeroValue",
     FX_CEL_FUNCTION(&fx_cel_v),
     .result = &fx_cel_optional_v,
     .call = of_non_zero},
    {.function = "optional.none", .result = &fx_cel_optional_v, .call = none},
    {.function = "value",
     FX_CEL_METHOD(&fx_cel_optional_v),
     .result = &fx_cel_v,
     .call = value_of},
    {.function = "hasValue",
     FX_CEL_METHOD(&fx_cel_optional_v),
     .result = &fx_cel_bool,
     .call = has_value},
    {.function = "or",
     FX_CEL_METHOD(&fx_cel_optional_v, &fx_cel_optional_v),
     .result = &fx_cel_optional_v},
    {.function = "orValue",
     FX_CEL_METHOD(&fx_cel_optional_v, &fx_cel_v),
     .result = &fx_cel_v},
    {.function = "optional.unwrap",
     FX_CEL_FUNCTION(&fx_cel_list_optional_t),
     .result = &fx_cel_list_t,
     .call = unwrap},
    {.function = "unwrapOpt",
     FX_CEL_METHOD(&fx_cel_list_optional_t),
     .result = &fx_cel_list_t,
     .call = unwrap},
    {.function = NULL},
};
