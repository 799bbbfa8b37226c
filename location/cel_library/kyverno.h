/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/kyverno.h - the functions that Kyverno gives CEL expressions of
 * its policies beside those of Kubernetes (Kyverno spec section 18), and the types of its
 * variables.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_KYVERNO_H
#define FX_LOCATION_CEL_LIBRARY_KYVERNO_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "location/cel/run.h"
#include "location/cel/type.h"
#include "location/cel_library/library.h"

/* image(), isImage(), and the parts of a reference: registry(), repository(), … */
extern const struct fx_cel_overload fx_cel_kyverno_images[];
/* regex.replace(). */
extern const struct fx_cel_overload fx_cel_kyverno_regexes[];
/* md5(), sha1(), sha256(), base64.encode(), base64.decode(), json.unmarshal(),
 * json.marshal(), yaml.parse(), math.round(), parseServiceAccount(). */
extern const struct fx_cel_overload fx_cel_kyverno_values[];
/* resource.Get(); the methods of `http`, `globalContext` and `image`, which are refused
 * when an expression is compiled. */
extern const struct fx_cel_overload fx_cel_kyverno_resources[];

/* All that expressions of Kyverno's policies have; NULL ends. */
extern const struct fx_cel_overload *const fx_cel_kyverno_libraries[];

/* The types of the variables `resource`, `http`, `globalContext` and `image`. */
extern const struct fx_cel_type fx_cel_kyverno_resource, fx_cel_kyverno_http,
    fx_cel_kyverno_global_context, fx_cel_kyverno_image_data;

/* ---- resource.Get() -----------------------------------------------------------------
 */

/* The object that an expression asks for. */
struct fx_cel_kyverno_object {
    struct fx_text group, version, resource; /* "apps", "v1", "deployments" */
    struct fx_text namespace_, name;         /* the namespace may be empty */
};

/* Finds an object. *ret_object is borrowed and lives as long as the evaluation; NULL if
 * there is none. FX_EMUTATE is an error of the expression; other failures end the
 * evaluation: FX_EINPUT (it must be fetched first), FX_ENOMEM, FX_EDEADLINE. */
typedef bool fx_cel_kyverno_get(void *context, const struct fx_cel_kyverno_object *wanted,
                                json_t **ret_object, struct fx_err *err);

struct fx_cel_kyverno_reader {
    fx_cel_kyverno_get *get;
    void *context;
};

/* The value of the variable `resource`. The reader is borrowed. */
struct fx_cel_value
fx_cel_make_kyverno_resource(const struct fx_cel_kyverno_reader *reader);

#endif
