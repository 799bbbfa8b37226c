/* SPDX-License-Identifier: Apache-2.0
 *
 * formats.c - named formats and their validate().
 */
#include "location/cel_library/formats.h"

#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_format, "kubernetes.NamedFormat");

static const struct fx_cel_type optional_format = {
    .kind = FX_CEL_TYPE_OPTIONAL,
    .name = "optional_type",
    .params = {&fx_cel_format},
};

/* ---- the values -------------------------------------------------------------------- */

static const struct named_format {
    const char *function; /* what follows "format." */
    const char *name;
    enum fx_cel_format_number number;
    unsigned factor;
} formats[] = {
#define X(constant, stem, function, name, factor) \
    {function, name, FX_CEL_FORMAT_##constant, factor},
    FX_CEL_FORMATS(X)
#undef X
};

static bool format_equal(const void *a, const void *b) {
    return a == b;
}

static void format_print(const void *self, struct fx_buf *buf) {
    const struct named_format *format = self;
    fx_buf_str(buf, format->name);
}

static const struct fx_cel_opaque_ops format_ops = {
    .type = &fx_cel_format,
    .equal = format_equal,
    .unhashable = "cel.Format",
    .print = format_print,
};

/* ---- the functions ----------------------------------------------------------------- */

static struct fx_cel_value call_named(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    for (size_t i = 0; i < FX_COUNT(formats); i++) {
        if (fx_text_is(args[0].text, formats[i].function)) {
            return fx_cel_new_optional(run, fx_cel_make_opaque(&format_ops, &formats[i]));
        }
    }
    return fx_cel_optional_none();
}

/* format.uri() and the like */
#define X(constant, stem, function, name, factor)                                   \
    static struct fx_cel_value call_##stem(struct fx_cel_run *run,                  \
                                           const struct fx_cel_value *args) {       \
        (void)run;                                                                  \
        (void)args;                                                                 \
        return fx_cel_make_opaque(&format_ops, &formats[FX_CEL_FORMAT_##constant]); \
    }
FX_CEL_FORMATS(X)
#undef X

/* optional.none() for a valid text, else the messages. */
static struct fx_cel_value call_validate(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    const struct named_format *format = args[0].opaque.data;
    struct fx_cel_value messages = fx_cel_new_list(run, 0);
    if (messages.kind != FX_CEL_LIST) {
        return messages;
    }
    if (!fx_cel_spend_text(run, args[1].text) ||
        !fx_cel_format_validate(run, format->number, args[1].text, messages)) {
        return fx_cel_fatal(run);
    }
    messages.flags |= FX_CEL_NATIVE;
    return fx_cel_list_size(messages) == 0 ? fx_cel_optional_none()
                                           : fx_cel_new_optional(run, messages);
}

static uint64_t cost_validate(const struct fx_cel_value *args,
                              struct fx_cel_value result) {
    const bool is_format =
        args[0].kind == FX_CEL_OPAQUE && args[0].opaque.ops == &format_ops;
    const struct named_format *format = is_format ? args[0].opaque.data : &formats[0];
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[1]) + 1, 0.1) * format->factor;
}

const struct fx_cel_overload fx_cel_formats[] = {
    {.function = "format.named",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &optional_format,
     .call = call_named},
    {.function = "validate",
     FX_CEL_METHOD(&fx_cel_format, &fx_cel_string),
     .result = &fx_cel_optional_list_string,
     .call = call_validate,
     .cost = cost_validate,
     .always_costs = true},
#define X(constant, stem, function_, name, factor) \
    {.function = "format." function_, .result = &fx_cel_format, .call = call_##stem},
    FX_CEL_FORMATS(X)
#undef X
        {.function = NULL},
};
