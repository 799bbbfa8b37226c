/* SPDX-License-Identifier: Apache-2.0
 *
 * versions.c - semver() and its methods.
 */
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_semver, "kubernetes.Semver");

const struct fx_cel_overload fx_cel_versions[] = {
    {.function = "semver",
     .n_args = 1,
     .args = {&fx_cel_string},
     .result = &fx_cel_semver},
    {.function = "semver",
     .n_args = 2,
     .args = {&fx_cel_string, &fx_cel_bool},
     .result = &fx_cel_semver},
    {.function = "isSemver",
     .n_args = 1,
     .args = {&fx_cel_string},
     .result = &fx_cel_bool},
    {.function = "isSemver",
     .n_args = 2,
     .args = {&fx_cel_string, &fx_cel_bool},
     .result = &fx_cel_bool},
    {.function = "major",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_semver},
     .result = &fx_cel_int},
    {.function = "minor",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_semver},
     .result = &fx_cel_int},
    {.function = "patch",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_semver},
     .result = &fx_cel_int},
    {.function = "compareTo",
     .is_member = true,
     .n_args = 2,
     .args = {&fx_cel_semver, &fx_cel_semver},
     .result = &fx_cel_int},
    {.function = "isLessThan",
     .is_member = true,
     .n_args = 2,
     .args = {&fx_cel_semver, &fx_cel_semver},
     .result = &fx_cel_bool},
    {.function = "isGreaterThan",
     .is_member = true,
     .n_args = 2,
     .args = {&fx_cel_semver, &fx_cel_semver},
     .result = &fx_cel_bool},
    {.function = NULL},
};
