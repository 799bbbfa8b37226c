/* SPDX-License-Identifier: Apache-2.0
 *
 * authorizers.c - the authorizer: its builder functions, check(), decisions.
 */
#include "location/cel_library/authorizer.h"

#include "location/cel/cost.h"
#include "location/cel_library/formats.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_authorizer, "kubernetes.authorization.Authorizer");
FX_CEL_OPAQUE_TYPE(fx_cel_resource_check, "kubernetes.authorization.ResourceCheck");

static FX_CEL_OPAQUE_TYPE(path_check_type, "kubernetes.authorization.PathCheck");
static FX_CEL_OPAQUE_TYPE(group_check_type, "kubernetes.authorization.GroupCheck");
static FX_CEL_OPAQUE_TYPE(decision_type, "kubernetes.authorization.Decision");

/* ---- the values -------------------------------------------------------------------- */

/* What is known of a review so far: of the authorizer, or a path, group or resource. */
struct access_check {
    const struct fx_cel_authorizer *authorizer;
    struct fx_cel_access_review review;
};

/* They are equal to nothing in Kubernetes. */
static const struct fx_cel_opaque_ops authorizer_ops = {.type = &fx_cel_authorizer};
static const struct fx_cel_opaque_ops path_ops = {.type = &path_check_type};
static const struct fx_cel_opaque_ops group_ops = {.type = &group_check_type};
static const struct fx_cel_opaque_ops resource_ops = {.type = &fx_cel_resource_check};
static const struct fx_cel_opaque_ops decision_ops = {.type = &decision_type};

static struct fx_cel_value make_check(struct fx_cel_run *run,
                                      const struct fx_cel_opaque_ops *ops,
                                      const struct access_check *check) {
    struct access_check *made = fx_arena_alloc(run->arena, sizeof *made);
    if (made == NULL) {
        return fx_cel_no_memory(run);
    }
    *made = *check;
    return fx_cel_make_opaque(ops, made);
}

static struct access_check check_of(struct fx_cel_value value) {
    const struct access_check *check = value.opaque.data;
    return *check;
}

struct fx_cel_value fx_cel_make_authorizer(struct fx_cel_run *run,
                                           const struct fx_cel_authorizer *authorizer) {
    const struct access_check check = {
        .authorizer = authorizer,
        .review.subject.user = authorizer->user,
    };
    return make_check(run, &authorizer_ops, &check);
}

struct fx_cel_value
fx_cel_make_request_resource(struct fx_cel_run *run,
                             const struct fx_cel_authorizer *authorizer,
                             const struct fx_cel_access_review *request) {
    const struct access_check check = {
        .authorizer = authorizer,
        .review =
            {
                .subject.user = authorizer->user,
                .group = request->group,
                .resource = request->resource,
                .subresource = request->subresource,
                .namespace_ = request->namespace_,
                .name = request->name,
            },
    };
    return make_check(run, &resource_ops, &check);
}

/* ---- building a review ------------------------------------------------------------- */

static bool is_blank(struct fx_text text) {
    return fx_text_trim_space(text).len == 0;
}

static struct fx_cel_value call_path(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    if (!fx_cel_spend_text(run, args[1].text)) {
        return fx_cel_fatal(run);
    }
    if (is_blank(args[1].text)) {
        return fx_cel_fail(run, "path must not be empty");
    }
    check.review.has_path = true;
    check.review.path = args[1].text;
    return make_check(run, &path_ops, &check);
}

static struct fx_cel_value call_group(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.group = args[1].text;
    return make_check(run, &group_ops, &check);
}

static struct fx_cel_value call_service_account(struct fx_cel_run *run,
                                                const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    if (!fx_cel_is_dns_subdomain(args[2].text)) {
        return fx_cel_fail(run, "Invalid service account name");
    }
    if (!fx_cel_is_dns_label(args[1].text)) {
        return fx_cel_fail(run, "Invalid service account namespace");
    }
    check.review.subject = (struct fx_cel_access_subject){
        .account_namespace = args[1].text,
        .account_name = args[2].text,
    };
    return make_check(run, &authorizer_ops, &check);
}

static struct fx_cel_value call_resource(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    if (!fx_cel_spend_text(run, args[1].text)) {
        return fx_cel_fatal(run);
    }
    if (is_blank(args[1].text)) {
        return fx_cel_fail(run, "resource must not be empty");
    }
    check.review.resource = args[1].text;
    return make_check(run, &resource_ops, &check);
}

static struct fx_cel_value call_subresource(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.subresource = args[1].text;
    return make_check(run, &resource_ops, &check);
}

static struct fx_cel_value call_namespace(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.namespace_ = args[1].text;
    return make_check(run, &resource_ops, &check);
}

static struct fx_cel_value call_name(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.name = args[1].text;
    return make_check(run, &resource_ops, &check);
}

static struct fx_cel_value call_field_selector(struct fx_cel_run *run,
                                               const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.has_field_selector = true;
    check.review.field_selector = args[1].text;
    return make_check(run, &resource_ops, &check);
}

static struct fx_cel_value call_label_selector(struct fx_cel_run *run,
                                               const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    check.review.has_label_selector = true;
    check.review.label_selector = args[1].text;
    return make_check(run, &resource_ops, &check);
}

/* ---- the review -------------------------------------------------------------------- */

/* Asks for the decision. False with run->err if there is none. */
static bool decide(struct fx_cel_run *run, const struct access_check *check,
                   struct fx_cel_access_decision *decision) {
    if (check->authorizer->review(check->authorizer->context, run, &check->review,
                                  decision, run->err)) {
        return true;
    }
    if (run->err->code != FX_EMUTATE) {
        return false;
    }
    *decision = (struct fx_cel_access_decision){
        .error = fx_text_of(fx_arena_copy(run->arena, fx_text_of(run->err->msg))),
    };
    run->err->code = FX_OK;
    return decision->error.data != NULL || fx_fail_nomem(run->err);
}

static struct fx_cel_value call_check(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    struct access_check check = check_of(args[0]);
    struct fx_cel_access_decision *decision =
        fx_arena_alloc(run->arena, sizeof *decision);
    if (decision == NULL) {
        return fx_cel_no_memory(run);
    }
    check.review.verb = args[1].text;
    return decide(run, &check, decision) ? fx_cel_make_opaque(&decision_ops, decision)
                                         : fx_cel_fatal(run);
}

static const struct fx_cel_access_decision *decision_of(struct fx_cel_value value) {
    return value.opaque.data;
}

static struct fx_cel_value call_errored(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(decision_of(args[0])->error.len > 0);
}

static struct fx_cel_value call_error(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(decision_of(args[0])->error);
}

static struct fx_cel_value call_allowed(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(decision_of(args[0])->access == FX_CEL_ACCESS_ALLOWED);
}

static struct fx_cel_value call_reason(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(decision_of(args[0])->reason);
}

/* ---- costs ------------------------------------------------------------------------- */

/* 25.6 for each character */
static uint64_t cost_selector(const struct fx_cel_value *args,
                              struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[1]) * 256, 0.1);
}

static uint64_t cost_check(const struct fx_cel_value *args, struct fx_cel_value result) {
    (void)args;
    (void)result;
    return 350000;
}

/* ---- the overloads ----------------------------------------------------------------- */

#define BUILDER(name, result_, call_, ...) \
    {.function = (name), FX_CEL_METHOD(__VA_ARGS__), .result = (result_), .call = (call_)}
#define COSTLY(name, result_, call_, cost_, receiver) \
    {.function = (name),                              \
     FX_CEL_METHOD((receiver), &fx_cel_string),       \
     .result = (result_),                             \
     .call = (call_),                                 \
     .cost = (cost_),                                 \
     .always_costs = true}

const struct fx_cel_overload fx_cel_authorizers[] = {
    BUILDER("path", &path_check_type, call_path, &fx_cel_authorizer, &fx_cel_string),
    BUILDER("group", &group_check_type, call_group, &fx_cel_authorizer, &fx_cel_string),
    BUILDER("serviceAccount", &fx_cel_authorizer, call_service_account,
            &fx_cel_authorizer, &fx_cel_string, &fx_cel_string),
    BUILDER("resource", &fx_cel_resource_check, call_resource, &group_check_type,
            &fx_cel_string),
    BUILDER("subresource", &fx_cel_resource_check, call_subresource,
            &fx_cel_resource_check, &fx_cel_string),
    BUILDER("namespace", &fx_cel_resource_check, call_namespace, &fx_cel_resource_check,
            &fx_cel_string),
    BUILDER("name", &fx_cel_resource_check, call_name, &fx_cel_resource_check,
            &fx_cel_string),
    COSTLY("fieldSelector", &fx_cel_resource_check, call_field_selector, cost_selector,
           &fx_cel_resource_check),
    COSTLY("labelSelector", &fx_cel_resource_check, call_label_selector, cost_selector,
           &fx_cel_resource_check),
    COSTLY("check", &decision_type, call_check, cost_check, &path_check_type),
    COSTLY("check", &decision_type, call_check, cost_check, &fx_cel_resource_check),
    BUILDER("errored", &fx_cel_bool, call_errored, &decision_type),
    BUILDER("error", &fx_cel_string, call_error, &decision_type),
    BUILDER("allowed", &fx_cel_bool, call_allowed, &decision_type),
    BUILDER("reason", &fx_cel_string, call_reason, &decision_type),
    {.function = NULL},
};
