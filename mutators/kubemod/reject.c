/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/reject.c - "ns/name", or "ns/name: "message"".
 */
#include "mutators/kubemod/reject.h"

#include "mutators/kubemod/modrule.h"
#include "value/tree.h"

const struct fx_denial fx_reject_denial = {
    .begin = "operation rejected by the following ModRule(s): ",
    .between = ",",
};

static bool execute(const struct modrule *rule, const struct fx_request *request,
                    json_t *root, struct fx_buf *words, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    json_t *namespace_ = fx_tree_new_string(fx_modrule_namespace(request, &subject));
    if (namespace_ == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), namespace_, false},
        {FX_TEXT("Target"), root, false},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    const bool ok = fx_gotemplate_execute(rule->message, &context, words, err) &&
                    (!words->failed || fx_fail_nomem(err));
    json_decref(namespace_);
    return ok;
}

bool fx_reject_validate(const struct fx_mutator *self, const struct fx_request *request,
                        json_t *root, struct fx_buf *entry, struct fx_err *note,
                        struct fx_err *err) {
    const struct modrule *rule = (const struct modrule *)self;
    struct fx_buf words;
    fx_buf_init(&words, 0);
    bool ok = rule->message == NULL || execute(rule, request, root, &words, err);
    if (!ok && !fx_err_is_ours(err)) {
        (void)fx_fail(note, err->code, "its `rejectMessage` fails: %s", err->msg);
        fx_err_reset(err);
        fx_buf_reset(&words);
        ok = true;
    }
    fx_buf_str(entry, self->full_name);
    if (words.len > 0) {
        fx_buf_str(entry, ": \"");
        fx_buf_text(entry, (struct fx_text){words.data, words.len});
        fx_buf_char(entry, '"');
    }
    fx_buf_finish(&words);
    return ok;
}
