/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/authorizers_test.c - the authorizer: what is asked, and what
 * expressions see of the answer.
 */
#include "location/cel_library/authorizer.h"
#include "location/cel_library/testing.h"

static const struct fx_cel_variable variables[] = {
    {"authorizer", &fx_cel_authorizer},
    {"authorizer.requestResource", &fx_cel_resource_check},
};

static const struct fx_cel_env env = {
    .variables = variables,
    .n_variables = FX_COUNT(variables),
    .libraries = fx_cel_policy_libraries,
};

static void add_part(struct fx_buf *buf, const char *name, struct fx_text text) {
    if (text.len > 0) {
        fx_buf_printf(buf, " %s=%.*s", name, FX_TEXT_ARG(text));
    }
}

/* Writes what is asked. */
static void print_review(struct fx_buf *buf, const struct fx_cel_access_review *review) {
    const json_t *user = review->subject.user;
    fx_buf_str(buf, user == NULL ? "account"
                                 : json_string_value(json_object_get(user, "username")));
    add_part(buf, "account-namespace", review->subject.account_namespace);
    add_part(buf, "account-name", review->subject.account_name);
    add_part(buf, "verb", review->verb);
    add_part(buf, "path", review->path);
    add_part(buf, "group", review->group);
    add_part(buf, "resource", review->resource);
    add_part(buf, "subresource", review->subresource);
    add_part(buf, "namespace", review->namespace_);
    add_part(buf, "name", review->name);
    fx_buf_str(buf, review->has_field_selector ? " with" : "");
    add_part(buf, "fields", review->field_selector);
    fx_buf_str(buf, review->has_label_selector ? " with" : "");
    add_part(buf, "labels", review->label_selector);
}

/* The reason is what was asked. The verbs "deny", "ignore", "fail" and "wait" give other
 * answers than yes. */
static bool answer(void *context, struct fx_cel_run *run,
                   const struct fx_cel_access_review *review,
                   struct fx_cel_access_decision *ret_decision, struct fx_err *err) {
    struct fx_buf buf;
    (void)context;
    if (fx_text_is(review->verb, "fail")) {
        return fx_fail(err, FX_EMUTATE, "no answer");
    }
    if (fx_text_is(review->verb, "wait")) {
        return fx_fail(err, FX_EINPUT, "the answer must be fetched");
    }
    fx_buf_init(&buf, 0);
    print_review(&buf, review);
    const struct fx_cel_value reason = fx_cel_take_buf(run, &buf);
    if (reason.kind != FX_CEL_STRING) {
        return false;
    }
    *ret_decision = (struct fx_cel_access_decision){
        .access = fx_text_is(review->verb, "deny")     ? FX_CEL_ACCESS_DENIED
                  : fx_text_is(review->verb, "ignore") ? FX_CEL_ACCESS_NO_OPINION
                                                       : FX_CEL_ACCESS_ALLOWED,
        .reason = reason.text,
    };
    return true;
}

/* The variables of a request by jane for the scale of a Deployment. */
struct authorizer_play {
    struct fx_arena arena;
    struct fx_err err;
    struct fx_cel_authorizer authorizer;
    struct fx_cel_value values[FX_COUNT(variables)];
    json_t *user;
};

static void play_init(struct authorizer_play *play) {
    *play = (struct authorizer_play){.err = FX_ERR_INIT,
                                     .user = json_pack("{s:s}", "username", "jane")};
    assert_non_null(play->user);
    fx_arena_init(&play->arena, (size_t)1 << 20);
    play->authorizer = (struct fx_cel_authorizer){.user = play->user, .review = answer};
    struct fx_cel_run run = {.arena = &play->arena, .err = &play->err};
    const struct fx_cel_access_review request = {
        .group = FX_TEXT("apps"),
        .resource = FX_TEXT("deployments"),
        .subresource = FX_TEXT("scale"),
        .namespace_ = FX_TEXT("shop"),
        .name = FX_TEXT("web"),
    };
    play->values[0] = fx_cel_make_authorizer(&run, &play->authorizer);
    play->values[1] = fx_cel_make_request_resource(&run, &play->authorizer, &request);
}

static void play_finish(struct authorizer_play *play) {
    fx_arena_finish(&play->arena);
    json_decref(play->user);
}

#define PODS "authorizer.group('').resource('pods')"

static const struct library_case cases[] = {
    {"authorizer.path('/healthz').check('get').reason()", "jane verb=get path=/healthz",
     350003},
    {"authorizer.group('apps').resource('deployments').subresource('status')"
     ".namespace('test').name('backend').check('create').reason()",
     "jane verb=create group=apps resource=deployments subresource=status "
     "namespace=test name=backend",
     350007},
    {PODS ".fieldSelector('a=b').labelSelector('').check('list').reason()",
     "jane verb=list resource=pods with fields=a=b with", 350081},
    {"authorizer.serviceAccount('shop', 'robot').path('/').check('get').reason()",
     "account account-namespace=shop account-name=robot verb=get path=/", 350004},
    {"authorizer.requestResource.check('update').reason()",
     "jane verb=update group=apps resource=deployments subresource=scale "
     "namespace=shop name=web",
     350002},
    {PODS ".check('get').allowed()", "true", 350004},
    {PODS ".check('deny').allowed()", "false", 0},
    {PODS ".check('ignore').allowed()", "false", 0},
    {PODS ".check('deny').errored()", "false", 0},
    {PODS ".check('deny').error()", "", 0},
    {PODS ".check('fail').allowed()", "false", 0},
    {PODS ".check('fail').errored()", "true", 0},
    {PODS ".check('fail').error()", "no answer", 0},
    {"authorizer.path(' ')", "! path must not be empty", 0},
    {"authorizer.group('').resource('')", "! resource must not be empty", 0},
    {"authorizer.serviceAccount('a.b', 'c')", "! Invalid service account namespace", 0},
    {"authorizer.serviceAccount('a', 'B')", "! Invalid service account name", 0},
    {"authorizer == authorizer", "! no such overload", 0},
};

static void checks(void **state) {
    (void)state;
    struct authorizer_play play;
    play_init(&play);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        check_case(&env, play.values, &cases[i]);
    }
    play_finish(&play);
}

/* Nothing absorbs an answer that is missing. */
static void missing_answers_end_it(void **state) {
    (void)state;
    struct authorizer_play play;
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_program *program =
        compile(&env, PODS ".check('wait').allowed() || true");
    play_init(&play);
    struct fx_cel_run run = {
        .arena = &play.arena, .variables = play.values, .cost_limit = FX_CEL_COST_LIMIT};
    const struct fx_cel_value value = fx_cel_eval(program, &run, &err);
    assert_true(fx_cel_is_error(value) && (value.flags & FX_CEL_FATAL) != 0);
    assert_int_equal(err.code, FX_EINPUT);
    play_finish(&play);
    fx_cel_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
        cmocka_unit_test(missing_answers_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
