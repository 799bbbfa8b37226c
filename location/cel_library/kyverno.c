/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno.c - the libraries of Kyverno's policies; `resource`, which reads other objects,
 * and the variables that reach beyond the cluster, which are refused: no request leaves
 * the process for an expression.
 */
#include "location/cel_library/kyverno.h"

#include "base/budget.h"
#include "location/cel/ast.h"
#include "location/cel_library/functions.h"
#include "location/cel_library/types.h"

const struct fx_cel_overload *const fx_cel_kyverno_libraries[] = {
    fx_cel_operators,
    fx_cel_standard,
    fx_cel_optionals,
    fx_cel_strings,
    fx_cel_lists,
    fx_cel_sets,
    fx_cel_regexes,
    fx_cel_urls,
    fx_cel_quantities,
    fx_cel_addresses,
    fx_cel_versions,
    fx_cel_formats,
    fx_cel_authorizers,
    fx_cel_json_patches,
    fx_cel_kyverno_images,
    fx_cel_kyverno_regexes,
    fx_cel_kyverno_values,
    fx_cel_kyverno_resources,
    NULL,
};

FX_CEL_OPAQUE_TYPE(fx_cel_kyverno_resource, "kyverno.Resource");
FX_CEL_OPAQUE_TYPE(fx_cel_kyverno_http, "kyverno.HTTP");
FX_CEL_OPAQUE_TYPE(fx_cel_kyverno_global_context, "kyverno.GlobalContext");
FX_CEL_OPAQUE_TYPE(fx_cel_kyverno_image_data, "kyverno.ImageData");

static const struct fx_cel_opaque_ops resource_ops = {.type = &fx_cel_kyverno_resource};

struct fx_cel_value
fx_cel_make_kyverno_resource(const struct fx_cel_kyverno_reader *reader) {
    return fx_cel_make_opaque(&resource_ops, reader);
}

/* ---- resource.Get() -----------------------------------------------------------------
 */

static struct fx_cel_value fail_missing(struct fx_cel_run *run,
                                        const struct fx_cel_kyverno_object *wanted) {
    return wanted->namespace_.len == 0
               ? fx_cel_fail(run, "resource.Get: no %.*s `%.*s`",
                             FX_TEXT_ARG(wanted->resource), FX_TEXT_ARG(wanted->name))
               : fx_cel_fail(run, "resource.Get: no %.*s `%.*s` in namespace `%.*s`",
                             FX_TEXT_ARG(wanted->resource), FX_TEXT_ARG(wanted->name),
                             FX_TEXT_ARG(wanted->namespace_));
}

/* resource.Get(apiVersion, resource, namespace, name) */
static struct fx_cel_value get(struct fx_cel_run *run, const struct fx_cel_value *args) {
    const struct fx_cel_kyverno_reader *reader = args[0].opaque.data;
    struct fx_text version = args[1].text;
    struct fx_cel_kyverno_object wanted = {
        .group = FX_TEXT(""),
        .resource = args[2].text,
        .namespace_ = args[3].text,
        .name = args[4].text,
    };
    json_t *object = NULL;
    if (fx_text_contains(version, FX_TEXT("/"))) {
        wanted.group = fx_text_cut(&version, '/');
    }
    wanted.version = version;
    if (!fx_spend(1)) {
        return fx_cel_exceeded(run);
    }
    if (!reader->get(reader->context, &wanted, &object, run->err)) {
        return fx_cel_fail_read(run);
    }
    return object == NULL ? fail_missing(run, &wanted) : fx_cel_make_node(object);
}

/* ---- what is refused ----------------------------------------------------------------
 */

/* The call of a function that the checker refuses. */
static struct fx_cel_value call_refused(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    (void)args;
    return fx_cel_fail(run, "the function is not available");
}

static void refuse_list(const struct fx_cel_node *call, struct fx_cel_faults *faults) {
    fx_cel_faults_add(faults, call->at,
                      "Fixpoint does not list objects for policies: resource has only "
                      "Get()");
}

static void refuse_http(const struct fx_cel_node *call, struct fx_cel_faults *faults) {
    fx_cel_faults_add(faults, call->at,
                      "Fixpoint sends no HTTP requests for policies: `http` is not "
                      "available");
}

static void refuse_context(const struct fx_cel_node *call, struct fx_cel_faults *faults) {
    fx_cel_faults_add(faults, call->at,
                      "Fixpoint does not read GlobalContextEntries: `globalContext` is "
                      "not available");
}

static void refuse_registry(const struct fx_cel_node *call,
                            struct fx_cel_faults *faults) {
    fx_cel_faults_add(faults, call->at,
                      "Fixpoint does not ask registries of images: image.GetMetadata() "
                      "is not available");
}

#define S &fx_cel_string
#define D &fx_cel_dyn

#define GET(name_)                                           \
    {                                                        \
        .function = (name_),                                 \
        FX_CEL_METHOD(&fx_cel_kyverno_resource, S, S, S, S), \
        .result = D,                                         \
        .call = get,                                         \
    }
#define REFUSED(name_, check_, ...) \
    {                               \
        .function = (name_),        \
        FX_CEL_METHOD(__VA_ARGS__), \
        .result = D,                \
        .call = call_refused,       \
        .check = (check_),          \
    }
#define REFUSED_LIST(name_)                                         \
    REFUSED(name_, refuse_list, &fx_cel_kyverno_resource, D, D, D), \
        REFUSED(name_, refuse_list, &fx_cel_kyverno_resource, D, D, D, D)
#define REFUSED_HTTP(name_)                                      \
    REFUSED(name_, refuse_http, &fx_cel_kyverno_http, D),        \
        REFUSED(name_, refuse_http, &fx_cel_kyverno_http, D, D), \
        REFUSED(name_, refuse_http, &fx_cel_kyverno_http, D, D, D)
#define REFUSED_CONTEXT(name_)                                         \
    REFUSED(name_, refuse_context, &fx_cel_kyverno_global_context, D), \
        REFUSED(name_, refuse_context, &fx_cel_kyverno_global_context, D, D)
#define REFUSED_REGISTRY(name_) \
    REFUSED(name_, refuse_registry, &fx_cel_kyverno_image_data, D)

const struct fx_cel_overload fx_cel_kyverno_resources[] = {
    GET("Get"),
    GET("get"),
    REFUSED_LIST("List"),
    REFUSED_LIST("list"),
    REFUSED_LIST("Post"),
    REFUSED_LIST("post"),
    REFUSED_HTTP("Get"),
    REFUSED_HTTP("get"),
    REFUSED_HTTP("Post"),
    REFUSED_HTTP("post"),
    REFUSED_HTTP("Client"),
    REFUSED_HTTP("client"),
    REFUSED_CONTEXT("Get"),
    REFUSED_CONTEXT("get"),
    REFUSED_REGISTRY("GetMetadata"),
    REFUSED_REGISTRY("getMetadata"),
    {.function = NULL},
};
