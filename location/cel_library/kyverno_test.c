/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/kyverno_test.c - the functions of Kyverno's policies.
 */
#include "location/cel_library/kyverno.h"
#include "location/cel_library/testing.h"

static const struct library_case image_cases[] = {
    {"image('ghcr.io/org/app:1.2')", "ghcr.io/org/app:1.2", 2},
    {"image('ghcr.io/org/app:1.2').registry()", "ghcr.io", 0},
    {"image('nginx').registry()", "docker.io", 0},
    {"image('localhost:5000/a/b').registry()", "localhost:5000", 0},
    {"image('ghcr.io/org/app:1.2').repository()", "org/app", 0},
    {"image('ghcr.io/org/app:1.2').tag()", "1.2", 0},
    {"image('nginx').tag()", "latest", 0},
    {"image('nginx').identifier()", "latest", 0},
    {"image('nginx').digest()", "", 0},
    {"image('nginx').containsDigest()", "false", 0},
    {"image('a/b@sha256:"
     "0123456789012345678901234567890123456789012345678901234567890123').identifier()",
     "sha256:0123456789012345678901234567890123456789012345678901234567890123", 0},
    {"image('a/b@sha256:"
     "0123456789012345678901234567890123456789012345678901234567890123')"
     ".containsDigest()",
     "true", 0},
    {"image('nginx') == image('docker.io/nginx:latest')", "true", 0},
    {"image('nginx') == image('nginx:1')", "false", 0},
    {"image('A b')", "! invalid reference of an image", 0},
    {"isImage('A b')", "false", 0},
    {"isImage('nginx:1')", "true", 1},
};

static void images(void **state) {
    (void)state;
    check_cases_with(fx_cel_kyverno_libraries, image_cases, FX_COUNT(image_cases));
}

static const struct library_case regex_cases[] = {
    {"regex.replace('docker.io/nginx', '^docker\\\\.io/(.*)', r'my.io/\\1')",
     "my.io/nginx", 0},
    {"regex.replace('a1b22', '[0-9]+', 'x')", "axbx", 0},
    {"regex.replace('a1b22', '[0-9]+', '')", "ab", 0},
    {"regex.replace('abc', 'x*', '-')", "-a-b-c-", 0},
    {"regex.replace('a1b22c3', '([0-9])', r'<\\0\\1>', 2)", "a<11>b<22>2c3", 0},
    {"regex.replace('aaa', 'a', 'b', 0)", "aaa", 0},
    {"regex.replace('aaa', 'a', 'b', -1)", "bbb", 0},
    {"regex.replace('a', '(b)?a', r'[\\1]')", "[]", 0},
    {"regex.replace('a', 'a', r'\\\\')", "\\", 0},
    {"regex.replace('a', 'a', '$1')", "$1", 0},
    {"regex.replace('', 'a', 'b')", "", 0},
    {"regex.replace('a', 'a', r'\\1')",
     "! replacement string references group 1 but regex has only 0 group(s)", 0},
    {"regex.replace('a', 'a', r'\\x')",
     "! invalid replacement string: a backslash must come before a digit or a backslash",
     0},
    {"regex.replace('a', 'a', r'x' + '\\\\')",
     "! invalid replacement string: a backslash must come before a digit or a backslash",
     0},
    {"regex.replace('a', '(' + 'a', 'b')",
     "! error parsing regexp: missing closing ): `(a`", 0},
};

static void regexes(void **state) {
    (void)state;
    check_cases_with(fx_cel_kyverno_libraries, regex_cases, FX_COUNT(regex_cases));
}

static const struct library_case value_cases[] = {
    {"md5('abc')", "900150983cd24fb0d6963f7d28e17f72", 0},
    {"sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d", 0},
    {"sha256('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
     1},
    {"base64.encode(b'a\\xffb')", "Yf9i", 0},
    {"string(base64.decode('YWI='))", "ab", 0},
    {"base64.decode('Yf9i') == b'a\\xffb'", "true", 0},
    {"base64.decode('a?')", "! illegal base64 data at input byte 1", 0},
    {"json.unmarshal('{\"a\": [1, \"x\", true, 1.5]}').a", "[1, x, true, 1.5]", 0},
    {"json.unmarshal('{\"a\": {\"b\": \"c\"}}')['a'].b", "c", 0},
    {"json.unmarshal('null') == null", "true", 0},
    {"has(json.unmarshal('{}').a)", "false", 0},
    {"yaml.parse('a: [1, x]\\nb: {c: d}').b.c", "d", 0},
    {"yaml.parse('') == null", "true", 0},
    {"yaml.parse('---\\na: 1\\n---\\na: 2\\n').a", "1", 0},
    {"parseServiceAccount('system:serviceaccount:ns:me')", "{Namespace: ns, Name: me}",
     0},
    {"parseServiceAccount('me').Name", "", 0},
};

static void values(void **state) {
    (void)state;
    check_cases_with(fx_cel_kyverno_libraries, value_cases, FX_COUNT(value_cases));
}

/* ---- resource ---------------------------------------------------------------------- */

/* The object asked for, as one that has the question. */
static bool find(void *context, const struct fx_cel_kyverno_object *wanted,
                 json_t **ret_object, struct fx_err *err) {
    json_t *object = context;
    *ret_object = fx_text_is(wanted->name, "none") ? NULL : object;
    const bool is_asked = fx_text_is(wanted->group, "apps") &&
                          fx_text_is(wanted->version, "v1") &&
                          fx_text_is(wanted->resource, "deployments") &&
                          fx_text_is(wanted->namespace_, "ns");
    return is_asked || fx_fail(err, FX_EMUTATE, "not this one");
}

static const struct library_case resource_cases[] = {
    {"resource.Get('apps/v1', 'deployments', 'ns', 'a').x", "y", 4},
    {"resource.get('apps/v1', 'deployments', 'ns', 'a').x", "y", 0},
    {"resource.Get('apps/v1', 'deployments', 'ns', 'none')",
     "! resource.Get: no deployments `none` in namespace `ns`", 0},
    {"resource.Get('v1', 'deployments', 'ns', 'a')", "! not this one", 0},
};

static void resources(void **state) {
    (void)state;
    static const struct fx_cel_variable variable = {"resource", &fx_cel_kyverno_resource};
    const struct fx_cel_env env = {
        .variables = &variable, .n_variables = 1, .libraries = fx_cel_kyverno_libraries};
    json_t *object = json_pack("{s:s}", "x", "y");
    const struct fx_cel_kyverno_reader reader = {.get = find, .context = object};
    struct fx_cel_value value = fx_cel_make_kyverno_resource(&reader);
    for (size_t i = 0; i < FX_COUNT(resource_cases); i++) {
        check_case(&env, &value, &resource_cases[i]);
    }
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images),
        cmocka_unit_test(regexes),
        cmocka_unit_test(values),
        cmocka_unit_test(resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
