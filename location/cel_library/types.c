/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c - what the functions that read texts share.
 */
#include "location/cel_library/types.h"

#include "base/budget.h"
#include "location/cel/cost.h"

struct fx_cel_value fx_cel_fail_read(struct fx_cel_run *run) {
    if (run->err->code != FX_EMUTATE) {
        return fx_cel_fatal(run);
    }
    run->err->code = FX_OK;
    return fx_cel_fail(run, "%s", run->err->msg);
}

struct fx_cel_value fx_cel_make_readable(struct fx_cel_run *run, bool ok) {
    if (!ok && run->err->code != FX_EMUTATE) {
        return fx_cel_fatal(run);
    }
    run->err->code = FX_OK;
    return fx_cel_make_bool(ok);
}

bool fx_cel_spend_text(struct fx_cel_run *run, struct fx_text text) {
    return fx_spend(text.len / FX_BUDGET_BYTES + 1) || fx_fail_exceeded(run->err);
}

bool fx_cel_prefix_quoted(struct fx_err *err, const char *before, struct fx_text text,
                          const char *after) {
    struct fx_buf buf;
    if (err->code != FX_EMUTATE) {
        return false;
    }
    fx_buf_init(&buf, 0);
    fx_text_quote_in_error(&buf, text);
    if (buf.failed) {
        return fx_buf_fail(&buf, err, FX_EMUTATE);
    }
    (void)fx_err_prefix(err, "%s%s%s", before, buf.data, after);
    fx_buf_finish(&buf);
    return false;
}

struct fx_cel_value fx_cel_make_valid_string(struct fx_cel_run *run,
                                             struct fx_text text) {
    struct fx_buf buf;
    if (fx_text_is_utf8(text)) {
        return fx_cel_make_string(text);
    }
    fx_buf_init(&buf, 0);
    fx_text_repair(&buf, text);
    return fx_cel_take_buf(run, &buf);
}

uint64_t fx_cel_cost_text(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_traverse(args[0]);
}
