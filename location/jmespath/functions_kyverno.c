/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_kyverno.c - the table of Kyverno's functions.
 */
#include "location/jmespath/function.h"

const struct fx_jmespath_function fx_jmespath_kyverno_functions[] = {{.name = NULL}};
