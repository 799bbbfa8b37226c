/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/testing.h - for the tests of this room: executes a template on an
 * object.
 */
#ifndef FX_LOCATION_SPRIG_TESTING_H
#define FX_LOCATION_SPRIG_TESTING_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/sprig/sprig.h"

/* Executes the template, named `t`, with the object as `.Target`, two key parts, and a
 * namespace. On failure `text` is empty. */
static inline bool testing_run(struct fx_text template, json_t *target,
                               struct fx_buf *text, struct fx_err *err) {
    struct fx_gotemplate *program = NULL;
    json_t *parts = json_pack("[i, s]", 1, "k");
    json_t *name = json_string("ns1");
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), name, false},
        {FX_TEXT("Target"), target, false},
        {FX_TEXT("SelectedItem"), NULL, false},
        {FX_TEXT("SelectKeyParts"), parts, true},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    const bool ok =
        fx_gotemplate_compile(FX_TEXT("t"), template, &fx_sprig, &program, err) &&
        fx_gotemplate_execute(program, &context, text, err);
    fx_gotemplate_destroy(program);
    json_decref(name);
    json_decref(parts);
    return ok;
}

#endif
