/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/provider_test.c - kind Provider: what is refused, and the
 * declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/resource.h"
#include "mutators/gatekeeper/resource_testing.h"

#define PROVIDER(spec)                                                      \
    "{'apiVersion':'externaldata.gatekeeper.sh/v1beta1','kind':'Provider'," \
    "'metadata':{'name':'p'},'spec':" spec "}"
#define WITH_URL(url)   PROVIDER("{'url':'" url "','caBundle':'Y2E='}")
#define WITH_BUNDLE(ca) PROVIDER("{'url':'https://p/','caBundle':'" ca "'}")
#define ONLY_HTTPS      "only HTTPS scheme is supported for Providers"
#define NO_BASE64(at) \
    "failed to base64 decode caBundle: illegal base64 data at input byte " at

static const struct refusal refused[] = {
    {"{'apiVersion':'externaldata.gatekeeper.sh/v1alpha1','kind':'Provider','spec':[]}",
     "json: cannot unmarshal array into Go struct field Provider.spec of type "
     "v1alpha1.ProviderSpec",
     "[]", 0, 0},
    {PROVIDER("{'url':5}"),
     "json: cannot unmarshal number into Go struct field ProviderSpec.spec.url of type "
     "string",
     "5", 0, 0},
    {PROVIDER("{'timeout':'3s'}"),
     "json: cannot unmarshal string into Go struct field ProviderSpec.spec.timeout of "
     "type int",
     "'3s'", 0, 0},
    {PROVIDER("{'timeout':1.5}"),
     "json: cannot unmarshal number 1.5 into Go struct field ProviderSpec.spec.timeout "
     "of type int",
     "1.5", 0, 0},
    {PROVIDER("{'caBundle':{}}"),
     "json: cannot unmarshal object into Go struct field ProviderSpec.spec.caBundle of "
     "type string",
     "{}", 0, 0},
    {"{'apiVersion':'externaldata.gatekeeper.sh/v1beta1','kind':'Provider','metadata':{},"
     "'spec':{'url':''}}",
     "provider name can not be empty. value ", NULL, 0, 0},
    /* In the order of Gatekeeper: each of these has all the later faults as well. */
    {PROVIDER("{'timeout':-1}"), "invalid provider url. value: ", "{'timeout':-1}", 0, 0},
    {PROVIDER("{'url':'','timeout':-1}"), "invalid provider url. value: ", "''", 0, 0},
    {PROVIDER("{'url':'http://p','timeout':-1}"),
     "provider timeout should be a positive integer. value: -1", "-1", 0, 0},
    {PROVIDER("{'url':'http://p'}"), ONLY_HTTPS, "'http://p'", 0, 0},
    {PROVIDER("{'url':'https://p','caBundle':''}"),
     "caBundle should be set for HTTPS scheme", "''", 0, 0},
    {PROVIDER("{'url':'https://p'}"), "caBundle should be set for HTTPS scheme",
     "{'url':'https://p'}", 0, 0},
    {WITH_BUNDLE("!"), NO_BASE64("0"), "'!'", 0, 1},
    /* URLs: what has no scheme, or another. */
    {WITH_URL("p"), ONLY_HTTPS, "'p'", 0, 0},
    {WITH_URL("p:443"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("//p/"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("/https://p"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("1https://p"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("https"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("httpsx://p"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("ftp://p"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL(":p"), ONLY_HTTPS, NULL, 0, 0},
    {WITH_URL("h\\u0000ttps://p"), ONLY_HTTPS, NULL, 0, 0},
    /* What Gatekeeper takes, and can never ask. */
    {WITH_URL("https:p"),
     "invalid provider url. value: https:p: not a URL with a scheme and a host",
     "'https:p'", 0, 7},
    {WITH_URL("https://"), "invalid provider url. value: https://: no host", "'https://'",
     8, 0},
    {WITH_URL("https://p:0/"),
     "invalid provider url. value: https://p:0/: a port is 1 to 65535", NULL, 10, 1},
    {WITH_URL("https://u@p/"),
     "invalid provider url. value: https://u@p/: a user name is not allowed in it", NULL,
     8, 2},
    {WITH_URL("https://p q/"),
     "invalid provider url. value: https://p q/: a character that no URL has", NULL, 9,
     1},
    /* The byte is the one that Go names. */
    {WITH_BUNDLE("Y"), NO_BASE64("0"), NULL, 0, 1},
    {WITH_BUNDLE("YQ"), NO_BASE64("0"), NULL, 0, 1},
    {WITH_BUNDLE("YWJjY"), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("YWJjYWI"), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("YW!j"), NO_BASE64("2"), NULL, 2, 1},
    {WITH_BUNDLE("YWJj-w=="), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("="), NO_BASE64("0"), NULL, 0, 1},
    {WITH_BUNDLE("Y="), NO_BASE64("1"), NULL, 1, 1},
    {WITH_BUNDLE("Y==="), NO_BASE64("1"), NULL, 1, 1},
    {WITH_BUNDLE("YQ="), NO_BASE64("3"), NULL, 3, 0},
    {WITH_BUNDLE("YQ=x"), NO_BASE64("2"), NULL, 2, 1},
    {WITH_BUNDLE("YQ=\\n"), NO_BASE64("4"), NULL, 4, 0},
    {WITH_BUNDLE("YQ=\\nx"), NO_BASE64("3"), NULL, 3, 1},
    {WITH_BUNDLE("YQ==x"), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("YQ==\\r\\nYQ=="), NO_BASE64("6"), NULL, 6, 1},
    {WITH_BUNDLE("YWI=="), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("YWI=YWI="), NO_BASE64("4"), NULL, 4, 1},
    {WITH_BUNDLE("YW\\nJ"), NO_BASE64("1"), NULL, 1, 1},
    {WITH_BUNDLE("\\u00e4"), NO_BASE64("0"), NULL, 0, 1},
    {WITH_BUNDLE("YWJj\\u0000"), NO_BASE64("4"), NULL, 4, 1},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

static const struct {
    const char *policy, *url, *pem;
    uint64_t timeout_ms;
} good[] = {
    {PROVIDER("{'url':'https://p:8443/v?x=1','timeout':3,'caBundle':'Y2E='}"),
     "https://p:8443/v?x=1", "ca", 3000},
    {"{'apiVersion':'externaldata.gatekeeper.sh/v1alpha1','kind':'Provider','metadata':{"
     "'name':'p'},'spec':{'url':'https://p','caBundle':'Y2\\nE=\\n'}}",
     "https://p", "ca", 0},
    {PROVIDER("{'url':'HTTPS://P','timeout':null,'caBundle':'Y2E='}"), "HTTPS://P", "ca",
     0},
    {PROVIDER("{'url':'https://p','timeout':86400,'caBundle':'Y2E='}"), "https://p", "ca",
     86400000},
    {PROVIDER("{'url':'https://p','timeout':9223372036854775807,'caBundle':'Y2E='}"),
     "https://p", "ca", 86400000},
};

static void compiles(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        json_t *policy = must_read(good[i].policy);
        struct fx_compilation made = must_yield(policy, 1);
        assert_int_equal(made.n_warnings, 0);
        assert_int_equal(made.resources[0]->ops->type, FX_RESOURCE_PROVIDER);
        assert_string_equal(made.resources[0]->name, "p");
        assert_ptr_equal(made.resources[0]->source, policy);
        const struct fx_provider *provider =
            (const struct fx_provider *)made.resources[0];
        assert_true(fx_text_is(provider->url, good[i].url));
        assert_string_equal(provider->ca_pem, good[i].pem);
        assert_int_equal(provider->ca_pem_len, strlen(good[i].pem));
        assert_int_equal(provider->timeout_ms, good[i].timeout_ms);
        fx_compilation_finish(&made);
        json_decref(policy);
    }
}

static const struct warned warned[] = {
    {PROVIDER("{'url':'https://p','caBundle':'Y2E='},'status':{'byPod':[]}"), "", 1},
    {PROVIDER("{'url':'https://p','caBundle':'Y2E=','insecureTLSSkipVerify':'x'}"),
     "unknown field 'spec.insecureTLSSkipVerify' @ 'x'", 1},
};

static void warns(void **state) {
    (void)state;
    expect_warnings(warned, FX_COUNT(warned));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(compiles),
        cmocka_unit_test(warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
