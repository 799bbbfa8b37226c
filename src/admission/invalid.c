/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/invalid.c - metav1.Status with StatusDetails.
 */
#include "admission/invalid.h"

#include "base/limits.h"
#include "engine/request.h"
#include "value/json.h"

static void add_string(struct fx_buf *body, struct fx_text text) {
    fx_json_write_string(body, text, FX_JSON_COMPACT);
}

/* Appends what was printed, as a string, and drops it. */
static void add_printed(struct fx_buf *body, struct fx_buf *words) {
    add_string(body, (struct fx_text){words->data, words->len});
    fx_buf_fail_as(body, words);
    fx_buf_finish(words);
}

static size_t count_told(const struct fx_compilation *told) {
    return told->n_faults < FX_LIMIT_REPORTED_FAULTS ? told->n_faults
                                                     : FX_LIMIT_REPORTED_FAULTS;
}

/* `<Kind>.<group> "<name>" is invalid: <fault>`; several stand in brackets. */
static void add_message(struct fx_buf *body, const struct fx_subject *policy,
                        const struct fx_compilation *told) {
    const size_t n = count_told(told);
    const size_t n_more = told->n_faults - n + told->n_more_faults;
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_buf_text(&words, policy->kind);
    fx_buf_char(&words, '.');
    fx_buf_text(&words, policy->group);
    fx_buf_str(&words, " \"");
    fx_buf_text(&words, policy->name);
    fx_buf_printf(&words, "\" is invalid: %s", told->n_faults > 1 ? "[" : "");
    for (size_t i = 0; i < n; i++) {
        const struct fx_text field = fx_fault_field(&told->faults[i]);
        fx_buf_str(&words, i == 0 ? "" : ", ");
        fx_buf_text(&words, field);
        fx_buf_str(&words, field.len == 0 ? "" : ": ");
        fx_fault_print(&words, &told->faults[i]);
    }
    if (n_more > 0) {
        fx_buf_printf(&words, ", and %zu more", n_more);
    }
    fx_buf_str(&words, told->n_faults > 1 ? "]" : "");
    add_printed(body, &words);
}

static void add_cause(struct fx_buf *body, const struct fx_fault *fault) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_fault_print(&words, fault);
    fx_buf_str(body, "{\"reason\":\"");
    fx_buf_str(body, fx_fault_type_name(fault->type));
    fx_buf_str(body, "\",\"message\":");
    add_printed(body, &words);
    fx_buf_str(body, ",\"field\":");
    add_string(body, fx_fault_field(fault));
    fx_buf_char(body, '}');
}

static void add_details(struct fx_buf *body, const struct fx_subject *policy,
                        const struct fx_compilation *told) {
    fx_buf_str(body, "{\"name\":");
    add_string(body, policy->name);
    fx_buf_str(body, ",\"group\":");
    add_string(body, policy->group);
    fx_buf_str(body, ",\"kind\":");
    add_string(body, policy->kind);
    fx_buf_str(body, ",\"causes\":[");
    for (size_t i = 0; i < count_told(told); i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_cause(body, &told->faults[i]);
    }
    fx_buf_str(body, "]}");
}

void fx_invalid_add_status(struct fx_buf *body, const json_t *policy,
                           const struct fx_compilation *told) {
    struct fx_subject subject;
    fx_subject_read(policy, &subject);
    fx_buf_str(body, ",\"status\":{\"message\":");
    add_message(body, &subject, told);
    fx_buf_str(body, ",\"reason\":\"Invalid\",\"details\":");
    add_details(body, &subject, told);
    fx_buf_str(body, ",\"code\":422}");
}
