/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/sprig.c - all tables, and the functions that a template must not use,
 * each with a reason for the author of the policy. They are refused when the policy is
 * loaded, not when an object is reviewed.
 */
#include "location/sprig/sprig.h"

#include <stddef.h>

#include "location/sprig/functions.h"

#define RANDOM                                                                      \
    "it gives a different result in each evaluation, so no object would converge; " \
    "derive the text from the object instead, for example with `sha256sum` of its name"
#define CLOCK                                                                       \
    "it gives a different result in each evaluation, so no object would converge; " \
    "write a fixed date, or take one of the object's own with `toDate`"
#define HASH                                                                            \
    "it uses a random salt, so no object would converge, and the policy would contain " \
    "the hashed text; keep the hash in a Secret"
#define PASSWORD                                                              \
    "the policy would show the master password to all its readers; keep the " \
    "password in a Secret"
#define CIPHER "the policy would show the key to all its readers; keep it in a Secret"
#define CERTIFICATE                                                                      \
    "it creates a different key in each evaluation, so no object would converge; let a " \
    "controller issue certificates, and name the Secret that it fills"
#define NETWORK                                                                       \
    "a review does not wait for the network, and the answer changes from one to the " \
    "next; write the address, or let the program look it up"

static const struct function functions_refused[] = {
    {.name = "now", .refused = CLOCK},
    {.name = "ago", .refused = CLOCK},
    {.name = "randAlphaNum", .refused = RANDOM},
    {.name = "randAlpha", .refused = RANDOM},
    {.name = "randAscii", .refused = RANDOM},
    {.name = "randNumeric", .refused = RANDOM},
    {.name = "randBytes", .refused = RANDOM},
    {.name = "randInt", .refused = RANDOM},
    {.name = "shuffle", .refused = RANDOM},
    {.name = "uuidv4", .refused = RANDOM},
    {.name = "bcrypt", .refused = HASH},
    {.name = "htpasswd", .refused = HASH},
    {.name = "derivePassword", .refused = PASSWORD},
    {.name = "encryptAES", .refused = CIPHER},
    {.name = "decryptAES", .refused = CIPHER},
    {.name = "genPrivateKey", .refused = CERTIFICATE},
    {.name = "buildCustomCert",
     .refused = "the policy would show the private key to all its readers; name a Secret "
                "of type kubernetes.io/tls"},
    {.name = "genCA", .refused = CERTIFICATE},
    {.name = "genCAWithKey", .refused = CERTIFICATE},
    {.name = "genSelfSignedCert", .refused = CERTIFICATE},
    {.name = "genSelfSignedCertWithKey", .refused = CERTIFICATE},
    {.name = "genSignedCert", .refused = CERTIFICATE},
    {.name = "genSignedCertWithKey", .refused = CERTIFICATE},
    {.name = "getHostByName", .refused = NETWORK},
    {.name = NULL},
};

static const struct function *const tables[] = {
    functions_strings, functions_case,     functions_split,   functions_integers,
    functions_floats,  functions_defaults, functions_json,    functions_lists,
    functions_dicts,   functions_dates,    functions_regex,   functions_encoding,
    functions_urls,    functions_semver,   functions_refused, NULL,
};

const struct fx_gotemplate_library fx_sprig = {tables};
