/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply_inputs.c - checks the options of `apply`, `diff` and `explain`, and reads
 * their files.
 */
#include <string.h>

#include "cli/apply.h"
#include "engine/request.h"

const char *const fx_apply_operation_words[] = {"CREATE", "UPDATE", "DELETE", NULL};
enum { OPERATION_CREATE };

void fx_apply_inputs_finish(struct fx_apply_inputs *inputs) {
    fx_policies_unref(inputs->policies);
    fx_input_objects_finish(&inputs->objects);
    fx_input_objects_finish(&inputs->old);
    fx_namespaces_finish(&inputs->namespaces);
    fx_provider_loop_finish(&inputs->providers);
}

/* ---- checking and reading -------------------------------------------------------- */

static const char *usage_fault(const struct fx_apply_values *values) {
    const bool old_is_stdin = values->old != NULL && strcmp(values->old, "-") == 0;
    const size_t n_stdin = fx_strings_count_stdin(&values->policies) +
                           fx_strings_count_stdin(&values->objects) + old_is_stdin;
    if (values->policies.n_items == 0) {
        return "-p is missing: it names the policies";
    }
    if (values->objects.n_items == 0) {
        return "-f is missing: it names the objects";
    }
    if (n_stdin > 1) {
        return "standard input (-) can be read only once";
    }
    if (values->old != NULL && values->operation == OPERATION_CREATE) {
        return "--old: a CREATE request has no old object; use --operation UPDATE";
    }
    if (values->expand && values->output == FX_FORMAT_REVIEW) {
        return "--expand: resultants have no review; use another -o";
    }
    return fx_provider_flags_fault(&values->provider);
}

/* Reads what the policies are to be applied to. */
static enum fx_exit read_objects(const struct fx_apply_values *values,
                                 struct fx_apply_inputs *inputs) {
    enum fx_exit status =
        fx_input_read_objects(&values->objects, values->color, &inputs->objects);
    if (status == FX_EXIT_DONE && values->old != NULL) {
        const char *path = values->old;
        const struct fx_strings paths = {&path, 1, 1};
        status = fx_input_read_objects(&paths, values->color, &inputs->old);
    }
    struct fx_err err = FX_ERR_INIT;
    if (status == FX_EXIT_DONE && !fx_input_namespaces(inputs->policies, &inputs->objects,
                                                       &inputs->namespaces, &err)) {
        status = fx_say_err(&err);
    }
    return status;
}

enum fx_exit fx_apply_read(const struct fx_apply_values *values,
                           struct fx_apply_inputs *ret_inputs) {
    const char *fault = usage_fault(values);
    if (fault != NULL) {
        fx_say("%s", fault);
        return FX_EXIT_USAGE;
    }
    const struct fx_input_policies policies = {
        .paths = &values->policies,
        .flags = &values->provider,
        .settings = &values->settings,
        .namespace_ = values->namespace_,
        .object_paths = &values->objects,
        .objects = &ret_inputs->objects,
        .color = values->color,
    };
    const enum fx_exit status = fx_input_read_policies(&policies, &ret_inputs->policies);
    if (status != FX_EXIT_DONE) {
        return status;
    }
    ret_inputs->findings = fx_input_say_findings(ret_inputs->policies, values->color);
    if (ret_inputs->findings != FX_EXIT_DONE && !values->keep_going) {
        return ret_inputs->findings;
    }
    return read_objects(values, ret_inputs);
}

/* ---- asking ---------------------------------------------------------------------- */

static bool same_identity(const json_t *a, const json_t *b) {
    struct fx_subject left;
    struct fx_subject right;
    fx_subject_read(a, &left);
    fx_subject_read(b, &right);
    return fx_text_equal(left.group, right.group) &&
           fx_text_equal(left.kind, right.kind) && fx_text_equal(left.name, right.name) &&
           fx_text_equal(left.namespace_, right.namespace_);
}

static json_t *find_old(const struct fx_input_objects *old, const json_t *object) {
    for (size_t i = 0; i < old->n_items; i++) {
        if (same_identity(old->items[i].root, object)) {
            return old->items[i].root;
        }
    }
    return NULL;
}

struct fx_question fx_apply_question(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     const struct fx_input_object *object) {
    return (struct fx_question){
        .snapshot = inputs->policies->snapshot,
        .namespaces = &inputs->namespaces,
        .operation = fx_apply_operation_words[values->operation],
        .namespace_ = values->namespace_,
        .user = values->user,
        .groups = &values->groups,
        .old_object = find_old(&inputs->old, object->root),
        .providers = &inputs->providers,
        .timeout_ms = values->timeout,
    };
}
