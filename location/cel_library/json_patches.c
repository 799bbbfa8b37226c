/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patches.c - jsonpatch.escapeKey(): a key as a step of a JSON pointer.
 */
#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

static struct fx_cel_value call_escape_key(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    const struct fx_text key = args[0].text;
    struct fx_buf buf;
    if (!fx_cel_spend_text(run, key)) {
        return fx_cel_fatal(run);
    }
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < key.len; i++) {
        switch (key.data[i]) {
        case '~': fx_buf_str(&buf, "~0"); break;
        case '/': fx_buf_str(&buf, "~1"); break;
        default: fx_buf_char(&buf, key.data[i]); break;
        }
    }
    return fx_cel_take_buf(run, &buf);
}

const struct fx_cel_overload fx_cel_json_patches[] = {
    {.function = "jsonpatch.escapeKey",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_string,
     .call = call_escape_key,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = NULL},
};
