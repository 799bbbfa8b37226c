/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/activation.c - evaluates expressions with the values of a
 * request. A value that no expression reads is not made.
 */
#include "mutators/admission_policy/activation.h"

#include <stddef.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/tree.h"

/* Variables may read earlier ones. Each level takes stack. */
#define MOST_LEVELS 100u

/* The work of one expression, in units of the thread's budget (half a second). It is far
 * more than its cost allows for, unless a function is cheap in cost and slow in time. */
#define UNITS_OF_EXPRESSION UINT64_C(50000000)

static struct fx_cel_value resolve(struct fx_cel_run *run, size_t slot);

static struct fx_cel_run make_run(struct map_activation *activation) {
    return (struct fx_cel_run){
        .arena = &activation->arena,
        .variables = activation->slots,
        .resolve = resolve,
        .context = activation,
        .cost_limit = FX_CEL_COST_LIMIT,
    };
}

static struct fx_cel_value node_or_null(const json_t *node) {
    return node == NULL ? fx_cel_make_null() : fx_cel_make_node(node);
}

/* ---- variables --------------------------------------------------------------------- */

/* Is it an error that the expression may absorb? A variable that costs too much is. */
static bool is_ordinary(const struct fx_cel_value *value, const struct fx_err *err) {
    return (value->flags & FX_CEL_FATAL) == 0 ||
           (err->code == FX_ELIMIT && fx_budget_exceeded() == FX_EXCEEDED_NOTHING);
}

static struct fx_cel_value compute(struct fx_cel_run *run,
                                   struct map_activation *activation,
                                   const struct map_variable *variable) {
    struct fx_cel_run inner = make_run(activation);
    if (activation->depth == MOST_LEVELS) {
        return fx_cel_fail(run, "variables refer to each other over more than %u levels",
                           MOST_LEVELS);
    }
    activation->depth++;
    const struct fx_cel_value value =
        fx_cel_eval(variable->expression.program, &inner, run->err);
    activation->depth--;
    activation->cost_of_variables += inner.cost;
    if (!fx_cel_is_error(value) || !is_ordinary(&value, run->err)) {
        return value;
    }
    fx_err_reset(run->err);
    return fx_cel_fail(run, "composited variable \"%s\" fails to evaluate: %s",
                       variable->name, value.error);
}

/* The value of variables.<name>, computed when it is first read. */
static struct fx_cel_value read_variable(struct fx_cel_run *run, const void *self,
                                         struct fx_text name) {
    (void)self;
    struct map_activation *activation = run->context;
    const struct map_policy *policy = activation->policy;
    for (size_t i = 0; i < policy->n_variables; i++) {
        (void)fx_spend(1);
        if (!fx_text_is(name, policy->variables[i].name)) {
            continue;
        }
        if (activation->variables[i].kind == FX_CEL_UNSET) {
            const struct fx_cel_value value =
                compute(run, activation, &policy->variables[i]);
            activation->variables[i] = value;
        }
        return activation->variables[i];
    }
    return (struct fx_cel_value){.kind = FX_CEL_UNSET};
}

static const struct fx_cel_type variables_type = {.kind = FX_CEL_TYPE_STRUCT,
                                                  .name = "kubernetes.variables"};
static const struct fx_cel_opaque_ops variables_ops = {.type = &variables_type,
                                                       .field = read_variable};

/* ---- the slots --------------------------------------------------------------------- */

/* The value of `request`; NULL without memory. */
static const json_t *describe(struct map_activation *activation) {
    json_t *object = activation->whole == NULL ? activation->object : activation->whole;
    if (activation->described == NULL) {
        activation->described = fx_map_describe_request(activation->request, object);
        if (activation->described != NULL && activation->policy->is_kyverno &&
            !fx_map_describe_objects(&activation->described, activation->request,
                                     object)) {
            json_decref(activation->described);
            activation->described = NULL;
        }
    }
    return activation->described;
}

/* Match conditions do not see it, and neither do objects without a namespace. */
static const json_t *find_namespace(const struct map_activation *activation) {
    struct fx_subject subject;
    if (activation->is_condition && !activation->policy->is_kyverno) {
        return NULL;
    }
    fx_subject_read(activation->object, &subject);
    return fx_subject_object_namespace(&subject, activation->request).len == 0
               ? NULL
               : activation->request->namespace_object;
}

/* Sets the authorizer of the user who asks. False without memory. */
static bool set_authorizer(struct map_activation *activation) {
    const json_t *request = describe(activation);
    const json_t *user = activation->request->user_info != NULL
                             ? activation->request->user_info
                             : fx_tree_view_key(request, "userInfo");
    if (user == NULL && activation->nobody == NULL) {
        activation->nobody = json_object();
    }
    activation->authorizer = (struct fx_cel_authorizer){
        .user = user != NULL ? user : activation->nobody,
        .review = fx_map_review_access,
        .context = activation,
    };
    return request != NULL && activation->authorizer.user != NULL;
}

static struct fx_cel_value make_request_resource(struct fx_cel_run *run,
                                                 struct map_activation *activation) {
    const json_t *request = activation->described;
    const json_t *resource = fx_tree_view_key(request, "resource");
    const struct fx_cel_access_review review = {
        .group = fx_tree_view_string(resource, "group"),
        .resource = fx_tree_view_string(resource, "resource"),
        .subresource = fx_tree_view_string(request, "subResource"),
        .namespace_ = fx_tree_view_string(request, "namespace"),
        .name = fx_tree_view_string(request, "name"),
    };
    return fx_cel_make_request_resource(run, &activation->authorizer, &review);
}

static struct fx_cel_value
make_authorizer(struct fx_cel_run *run, struct map_activation *activation, size_t slot) {
    if (!set_authorizer(activation)) {
        return fx_cel_no_memory(run);
    }
    return slot == MAP_SLOT_AUTHORIZER
               ? fx_cel_make_authorizer(run, &activation->authorizer)
               : make_request_resource(run, activation);
}

static struct fx_cel_value resolve(struct fx_cel_run *run, size_t slot) {
    struct map_activation *activation = run->context;
    switch ((enum map_slot)slot) {
    case MAP_SLOT_OBJECT: return node_or_null(activation->object);
    case MAP_SLOT_OLD_OBJECT:
        return node_or_null(activation->whole == NULL ? activation->request->old_object
                                                      : activation->old_pod);
    case MAP_SLOT_REQUEST: {
        const json_t *request = describe(activation);
        return request == NULL ? fx_cel_no_memory(run) : fx_cel_make_node(request);
    }
    case MAP_SLOT_NAMESPACE_OBJECT: return node_or_null(find_namespace(activation));
    case MAP_SLOT_AUTHORIZER:
    case MAP_SLOT_REQUEST_RESOURCE: return make_authorizer(run, activation, slot);
    case MAP_SLOT_VARIABLES: return fx_cel_make_opaque(&variables_ops, activation);
    case MAP_SLOT_PARAMS: return node_or_null(activation->params);
    case MAP_SLOT_IMAGES:
    case MAP_SLOT_EXCEPTIONS:
    case MAP_SLOT_RESOURCE:
    case MAP_SLOT_IMAGE_DATA:
    case MAP_SLOT_HTTP:
    case MAP_SLOT_GLOBAL_CONTEXT:
        return fx_map_resolve_kyverno(run, activation, (enum map_slot)slot);
    case MAP_SLOTS: break;
    }
    return fx_cel_make_null();
}

/* ---- evaluating -------------------------------------------------------------------- */

void fx_map_activation_init(struct map_activation *activation,
                            const struct map_policy *policy, json_t *params,
                            const struct fx_request *request) {
    memset(activation, 0, offsetof(struct map_activation, block));
    activation->policy = policy;
    activation->params = params;
    activation->request = request;
    fx_arena_init_within(&activation->arena, FX_LIMIT_ARENA_BYTES, activation->block,
                         sizeof activation->block);
}

void fx_map_activation_finish(struct map_activation *activation) {
    json_decref(activation->described);
    json_decref(activation->nobody);
    fx_arena_finish(&activation->arena);
}

bool fx_map_activation_allow(struct map_activation *activation,
                             const struct map_exception *exception) {
    if (!FX_ARENA_GROW(&activation->arena, activation->exceptions,
                       activation->n_exceptions, activation->cap_exceptions)) {
        return false;
    }
    activation->exceptions[activation->n_exceptions++] = exception;
    return true;
}

bool fx_map_activation_begin(struct map_activation *activation, json_t *object,
                             bool is_condition, uint64_t cost, struct fx_err *err) {
    const struct map_policy *policy = activation->policy;
    const size_t n = is_condition && !policy->is_kyverno ? 0 : policy->n_variables;
    activation->object = object;
    activation->is_condition = is_condition;
    activation->cost_left = cost;
    memset(activation->slots, 0, sizeof activation->slots);
    activation->variables =
        fx_arena_alloc(&activation->arena, n * sizeof *activation->variables);
    return activation->variables != NULL || fx_fail_nomem(err);
}

/* Takes the cost of an expression and of its variables. False if there is not as much. */
static bool take_cost(struct map_activation *activation, uint64_t cost) {
    const uint64_t left = activation->cost_left;
    const uint64_t of_variables = activation->cost_of_variables;
    activation->cost_left = 0;
    if (of_variables > left || cost > left - of_variables) {
        return false;
    }
    activation->cost_left = left - of_variables - cost;
    return true;
}

static enum map_evaluation fail(const struct map_expression *expression,
                                const char *reason, struct fx_buf *message) {
    fx_buf_str(message, "expression '");
    fx_buf_text(message, expression->text);
    fx_buf_printf(message, "' resulted in error: %s", reason);
    return MAP_FAILED;
}

enum map_evaluation fx_map_evaluate(struct map_activation *activation,
                                    const struct map_expression *expression,
                                    struct fx_cel_value *ret_value,
                                    struct fx_buf *message, struct fx_err *err) {
    struct fx_cel_run run = make_run(activation);
    activation->cost_of_variables = 0;
    const struct fx_bound outer = fx_budget_narrow(UNITS_OF_EXPRESSION, 0);
    *ret_value = fx_cel_eval(expression->program, &run, err);
    (void)fx_budget_widen(outer);
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        (void)fx_fail_exceeded(err);
        return MAP_BROKEN;
    }
    if (fx_cel_is_error(*ret_value) && !is_ordinary(ret_value, err)) {
        return MAP_BROKEN;
    }
    if (!take_cost(activation, run.cost)) {
        fx_buf_str(message, "validation failed due to running out of cost budget, no "
                            "further validation rules will be run");
        return MAP_EXHAUSTED;
    }
    return fx_cel_is_error(*ret_value) ? fail(expression, ret_value->error, message)
                                       : MAP_EVALUATED;
}

struct fx_cel_value fx_map_evaluate_part(struct map_activation *activation,
                                         const struct map_expression *expression,
                                         const struct fx_cel_node *node,
                                         const struct fx_cel_bound *bound, size_t n_bound,
                                         struct fx_err *err) {
    struct fx_cel_run run = make_run(activation);
    return fx_cel_eval_part(expression->program, node, bound, n_bound, &run, err);
}
