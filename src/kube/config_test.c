/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/config_test.c - valid kubeconfigs, and invalid ones with their error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kube/config.h"
#include "kube/folder_fixture.h"
#include "kube/kubeconfig.h"

/* ---- texts ------------------------------------------------------------------------- */

/* As base64: `ca data`, `cert data` and `key data`, each behind a line `-----BEGIN …`. */
#define CA_DATA   "LS0tLS1CRUdJTiBDLS0tLS0KY2EgZGF0YQo="
#define CERT_DATA "LS0tLS1CRUdJTiBDLS0tLS0KY2VydCBkYXRhCg=="
#define KEY_DATA  "LS0tLS1CRUdJTiBQLS0tLS0Ka2V5IGRhdGEK"
#define NO_PEM    "bm8gcGVt"
#define NUL_PEM   "LS0tLS1CRUdJTiAA"

#define CURRENT       "current-context: c\n"
#define CONTEXT       "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
#define CLUSTER(text) "clusters: [{name: k, cluster: " text "}]\n"
#define USER(text)    "users: [{name: u, user: " text "}]\n"
#define HTTPS         "server: 'https://h', certificate-authority-data: " CA_DATA
#define OF_CLUSTER(text) \
    CURRENT CONTEXT CLUSTER("{server: 'https://h', " text "}") USER("{}")
#define OF_USER(text) CURRENT CONTEXT CLUSTER("{" HTTPS "}") USER("{" text "}")

static const struct {
    const char *path, *text;
} files[] = {
    {"/k/ca.pem", "-----BEGIN C-----\nca file\n"},
    {"/k/sub/cert.pem", "-----BEGIN C-----\ncert file\n"},
    {"/abs/key.pem", "-----BEGIN P-----\nkey file\n"},
    {"/k/token", "\n from-file \r\n"},
    {"/k/-", "dash\n"},
    {"/k/empty", " \n"},
    {"/k/lines", "a\nb\n"},
    {"/k/text", "no pem\n"},
    {"/etc/pki/tls/certs/ca-bundle.crt", "-----BEGIN C-----\nsystem\n"},
};

static bool read_fake(const char *path, size_t max, struct fx_buf *ret_bytes,
                      struct fx_err *err) {
    (void)max;
    for (size_t i = 0; i < FX_COUNT(files); i++) {
        if (strcmp(path, files[i].path) == 0) {
            fx_buf_str(ret_bytes, files[i].text);
            return true;
        }
    }
    return fx_fail(err, FX_EIO, "%s: No such file or directory", path);
}

static bool parse_text(const char *text, const char *context,
                       struct fx_kube_config *ret_config, struct fx_err *err) {
    const struct fx_kubeconfig_source source = {
        .file = "/k/config",
        .text = fx_text_of(text),
        .context = context,
        .read = read_fake,
    };
    return fx_kubeconfig_parse(&source, ret_config, err);
}

/* The second line of PEM. */
static void print_pem(struct fx_buf *out, const char *name, const char *pem) {
    const char *line = pem == NULL ? NULL : strchr(pem, '\n');
    if (line != NULL) {
        fx_buf_printf(out, " %s=%.*s", name, (int)strcspn(line + 1, "\n"), line + 1);
    }
}

static void print_text(struct fx_buf *out, const char *name, const char *text) {
    if (text != NULL) {
        fx_buf_printf(out, " %s=%s", name, text);
    }
}

/* What there is, in one line. */
static void print_config(struct fx_buf *out, const struct fx_kube_config *config) {
    fx_buf_str(out, config->server);
    print_text(out, "name", config->server_name);
    print_pem(out, "ca", config->ca_pem);
    print_pem(out, "cert", config->cert_pem);
    print_pem(out, "key", config->key_pem.data);
    print_text(out, "token", config->token.data);
    print_text(out, "file", config->token_file);
    print_text(out, "ns", config->namespace_);
    print_text(out, "context", config->context);
}

/* ---- good ones --------------------------------------------------------------------- */

static const struct {
    const char *text, *context, *config;
} good[] = {
    {OF_USER(""), NULL, "https://h ca=ca data context=c"},
    {OF_USER(""), "c", "https://h ca=ca data context=c"},
    {"apiVersion: v1\nkind: Config\npreferences: {colors: true}\nextensions: 7\n"
     "odd: [1]\n" OF_USER("odd: 1, extensions: [], token: t"),
     NULL, "https://h ca=ca data token=t context=c"},
    {"{\"kind\":\"Config\",\"apiVersion\":\"v1\",\n\t\"current-context\":\"c\","
     "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\",\"namespace\":\"n\"}}"
     "],\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":\"https://h:6443/\","
     "\"insecure-skip-tls-verify\":true}}]}",
     NULL, "https://h:6443 ns=n context=c"},
    {"current-context: b\n"
     "contexts:\n"
     "- {name: a, context: {cluster: one, user: one}}\n"
     "- {name: b, context: {cluster: two, user: two, namespace: web}}\n"
     "clusters:\n"
     "- {name: one, cluster: {server: 'https://one', tls-server-name: uno, "
     "certificate-authority: ca.pem}}\n"
     "- {name: two, cluster: {server: 'https://two', insecure-skip-tls-verify: true, "
     "tls-server-name: ''}}\n"
     "users:\n"
     "- {name: one, user: {token: t1}}\n"
     "- {name: two, user: {token: t2}}\n",
     NULL, "https://two token=t2 ns=web context=b"},
    {"current-context: b\n"
     "contexts:\n"
     "- {name: a, context: {cluster: one, user: one}}\n"
     "- {name: b, context: {cluster: two, user: two}}\n"
     "clusters:\n"
     "- {name: one, cluster: {server: 'https://one', tls-server-name: uno, "
     "certificate-authority: ca.pem}}\n"
     "- {name: two, cluster: {server: 7, exec: {}}}\n"
     "users:\n"
     "- {name: one, user: {token: t1}}\n"
     "- {name: two, user: {exec: {command: x}}}\n",
     "a", "https://one name=uno ca=ca file token=t1 context=a"},
    /* Server. */
    {CURRENT CONTEXT USER("{}")
         CLUSTER("{server: 'HTTPS://h:1/a/b//?q#f', certificate-authority: ca.pem}"),
     NULL, "HTTPS://h:1/a/b ca=ca file context=c"},
    {CURRENT CONTEXT USER("{}")
         CLUSTER("{server: 'https://[::1]:6443?x', certificate-authority: ca.pem}"),
     NULL, "https://[::1]:6443 ca=ca file context=c"},
    /* Whom to trust. */
    {OF_CLUSTER(""), NULL, "https://h ca=system context=c"},
    {OF_CLUSTER("insecure-skip-tls-verify: false"), NULL,
     "https://h ca=system context=c"},
    {OF_CLUSTER("insecure-skip-tls-verify: null, certificate-authority: ''"), NULL,
     "https://h ca=system context=c"},
    {OF_CLUSTER("insecure-skip-tls-verify: true"), NULL, "https://h context=c"},
    {OF_CLUSTER("certificate-authority: ca.pem, proxy-url: ''"), NULL,
     "https://h ca=ca file context=c"},
    /* Plain HTTP, for kubectl proxy: no credentials are sent. */
    {CURRENT CONTEXT CLUSTER("{server: 'http://127.0.0.1:8001', certificate-authority: "
                             "missing}") USER("{token: t, tokenFile: missing}"),
     NULL, "http://127.0.0.1:8001 context=c"},
    /* Users. */
    {CURRENT "contexts: [{name: c, context: {cluster: k}}]\n" CLUSTER("{" HTTPS "}"),
     NULL, "https://h ca=ca data context=c"},
    {OF_USER("client-certificate: sub/cert.pem, client-key: /abs/key.pem"), NULL,
     "https://h ca=ca data cert=cert file key=key file context=c"},
    {OF_USER("client-certificate-data: " CERT_DATA ", client-key-data: " KEY_DATA), NULL,
     "https://h ca=ca data cert=cert data key=key data context=c"},
    {OF_USER("client-certificate-data: " CERT_DATA ", client-key-data: " KEY_DATA
             ", token: t"),
     NULL, "https://h ca=ca data cert=cert data key=key data token=t context=c"},
    {OF_USER("tokenFile: token"), NULL,
     "https://h ca=ca data token=from-file file=/k/token context=c"},
    {OF_USER("tokenFile: token, token: fixed"), NULL,
     "https://h ca=ca data token=fixed file=/k/token context=c"},
    {OF_USER("tokenFile: missing, token: fixed"), NULL,
     "https://h ca=ca data token=fixed file=/k/missing context=c"},
    {OF_USER("tokenFile: '-'"), NULL,
     "https://h ca=ca data token=dash file=/k/- context=c"},
    {OF_USER("exec: null, auth-provider: null, username: '', password: '', as: '', "
             "as-groups: [], as-user-extra: {}"),
     NULL, "https://h ca=ca data context=c"},
    /* Names that are not looked up may be duplicates; further documents are not
     * read. */
    {OF_USER("") "---\nkind: [\n", NULL, "https://h ca=ca data context=c"},
    {CURRENT CONTEXT CLUSTER("{" HTTPS
                             "}") "users: [{name: x}, {name: x}, {}, {name: u}]",
     NULL, "https://h ca=ca data context=c"},
};

static void kubeconfigs_are_understood(void **state) {
    (void)state;
    assert_int_equal(unsetenv("SSL_CERT_FILE"), 0);
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        struct fx_kube_config config = {0};
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf printed = {0};
        if (!parse_text(good[i].text, good[i].context, &config, &err)) {
            fail_msg("%s\n%s", good[i].text, err.msg);
        }
        print_config(&printed, &config);
        assert_string_equal(printed.data, good[i].config);
        fx_buf_finish(&printed);
        fx_kube_config_finish(&config);
    }
}

static void a_bundle_of_the_environment_goes_first(void **state) {
    (void)state;
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_int_equal(setenv("SSL_CERT_FILE", "/k/ca.pem", 1), 0);
    assert_true(parse_text(OF_CLUSTER(""), NULL, &config, &err));
    assert_string_equal(config.ca_pem, "-----BEGIN C-----\nca file\n");
    fx_kube_config_finish(&config);
    assert_int_equal(setenv("SSL_CERT_FILE", "/k/text", 1), 0);
    assert_false(parse_text(OF_CLUSTER(""), NULL, &config, &err));
    assert_non_null(strstr(err.msg, "certificate-authority: /k/text: not PEM"));
    assert_int_equal(unsetenv("SSL_CERT_FILE"), 0);
}

/* ---- bad ones ---------------------------------------------------------------------- */

#define INSTEAD                                                              \
    "; use a `token`, a `tokenFile` or a client certificate, for example a " \
    "token of a ServiceAccount (`kubectl create token`)"
#define ACTING \
    "impersonation is not supported; use a user that has the permissions itself"
#define PASSWORDS "basic authentication was removed in Kubernetes 1.19" INSTEAD

static const struct {
    const char *text, *context;
    enum fx_code code;
    const char *message;
} bad[] = {
    {"", NULL, FX_EINVALID, "/k/config: not a kubeconfig"},
    {"# nothing\n", NULL, FX_EINVALID, "/k/config: not a kubeconfig"},
    {"[]", NULL, FX_EINVALID, "/k/config: not a kubeconfig"},
    {"a: [\n", NULL, FX_ESYNTAX,
     "/k/config:2:1: yaml: line 1: did not find expected node content"},
    {"kind: Pod\napiVersion: v1\n", NULL, FX_EINVALID,
     "/k/config:1:7: kind: `Pod` is not `Config`: not a kubeconfig"},
    {"kind: 1\n", NULL, FX_EINVALID, "/k/config:1:7: kind: not a string"},
    {"kind: Config\napiVersion: v2\n", NULL, FX_EINVALID,
     "/k/config:2:13: apiVersion: not supported; only `v1` is"},
    /* The context. */
    {"kind: Config\n", NULL, FX_EINVALID,
     "/k/config:1:1: current-context: no context is selected; set it, or name a context"},
    {"current-context: ''\n", NULL, FX_EINVALID,
     "/k/config:1:19: current-context: no context is selected; set it, or name a "
     "context"},
    {"current-context: [c]\n", NULL, FX_EINVALID,
     "/k/config:1:18: current-context: not a string"},
    {"current-context: c\n", NULL, FX_EINVALID,
     "/k/config:1:1: contexts: there is no `c`"},
    {OF_USER(""), "d", FX_EINVALID, "/k/config:2:11: contexts: there is no `d`"},
    {OF_USER(""), "", FX_EINVALID,
     "/k/config:1:18: current-context: no context is selected; set it, or name a "
     "context"},
    {CURRENT "contexts: {c: {}}\n", NULL, FX_EINVALID,
     "/k/config:2:11: contexts: not a list"},
    {CURRENT "contexts: [7]\n", NULL, FX_EINVALID,
     "/k/config:2:12: contexts[0]: not an object with a name"},
    {CURRENT "contexts: [null]\n", NULL, FX_EINVALID,
     "/k/config:2:11: contexts[0]: not an object with a name"},
    {CURRENT "contexts: [{name: [c]}]\n", NULL, FX_EINVALID,
     "/k/config:2:19: contexts[0].name: not a string"},
    {CURRENT "contexts: [{name: c}, {name: d}, {name: c}]\n", NULL, FX_EINVALID,
     "/k/config:2:41: contexts[2].name: duplicate name `c`; rename or remove one"},
    {CURRENT "contexts: [{name: c}]\n", NULL, FX_EINVALID,
     "/k/config:2:12: contexts[0].context.cluster: the context names no cluster"},
    {CURRENT "contexts: [{name: c, context: x}]\n", NULL, FX_EINVALID,
     "/k/config:2:31: contexts[0].context: not an object"},
    {CURRENT "contexts: [{name: c, context: {cluster: k, user: u}}]\n", NULL, FX_EINVALID,
     "/k/config:1:1: clusters: there is no `k`"},
    {CURRENT CONTEXT CLUSTER("{}"), NULL, FX_EINVALID,
     "/k/config:1:1: users: there is no `u`"},
    {CURRENT CLUSTER("{" HTTPS "}")
         USER("{}") "contexts: [{name: c, context: {cluster: k, namespace: A/b}}]\n",
     NULL, FX_EINVALID,
     "/k/config:4:55: contexts[0].context.namespace: not a valid namespace name"},
    /* The cluster. */
    {CURRENT CONTEXT CLUSTER("{}") USER("{}"), NULL, FX_EINVALID,
     "/k/config:3:31: clusters[0].cluster.server: the cluster has no address"},
    {CURRENT CONTEXT CLUSTER("{server: '10.0.0.1:6443'}") USER("{}"), NULL, FX_ESYNTAX,
     "/k/config:3:41: clusters[0].cluster.server: not a URL with a scheme and a host"},
    {CURRENT CONTEXT CLUSTER("{server: 'ftp://h'}") USER("{}"), NULL, FX_EINVALID,
     "/k/config:3:41: clusters[0].cluster.server: neither http nor https"},
    {CURRENT CONTEXT CLUSTER("{server: 'https://u:p@h'}") USER("{}"), NULL, FX_ESYNTAX,
     "/k/config:3:41: clusters[0].cluster.server: a user name is not allowed in it"},
    {CURRENT CONTEXT CLUSTER("{server: \"https://h\\0\"}") USER("{}"), NULL, FX_EINVALID,
     "/k/config:3:41: clusters[0].cluster.server: contains a NUL character"},
    {OF_CLUSTER("insecure-skip-tls-verify: 'true'"), NULL, FX_EINVALID,
     "/k/config:3:80: clusters[0].cluster.insecure-skip-tls-verify: neither true nor "
     "false"},
    {OF_CLUSTER("insecure-skip-tls-verify: true, certificate-authority: ca.pem"), NULL,
     FX_EINVALID,
     "/k/config:3:31: clusters[0].cluster.insecure-skip-tls-verify: a certificate "
     "authority is also given; remove one of the two"},
    {OF_CLUSTER("certificate-authority: ca.pem, certificate-authority-data: " CA_DATA),
     NULL, FX_EINVALID,
     "/k/config:3:76: clusters[0].cluster.certificate-authority: "
     "`certificate-authority-data` is also given; remove one of the two"},
    {OF_CLUSTER("certificate-authority: gone.pem"), NULL, FX_EIO,
     "/k/config:3:76: clusters[0].cluster.certificate-authority: /k/gone.pem: No such "
     "file or directory"},
    {OF_CLUSTER("certificate-authority: text"), NULL, FX_EINVALID,
     "/k/config:3:76: clusters[0].cluster.certificate-authority: /k/text: not PEM"},
    {OF_CLUSTER("certificate-authority-data: '%%'"), NULL, FX_EINVALID,
     "/k/config:3:82: clusters[0].cluster.certificate-authority-data: not base64"},
    {OF_CLUSTER("certificate-authority-data: " NO_PEM), NULL, FX_EINVALID,
     "/k/config:3:81: clusters[0].cluster.certificate-authority-data: not PEM"},
    {OF_CLUSTER("certificate-authority-data: " NUL_PEM), NULL, FX_EINVALID,
     "/k/config:3:81: clusters[0].cluster.certificate-authority-data: not PEM"},
    {OF_CLUSTER("proxy-url: 'socks5://p'"), NULL, FX_EINVALID,
     "/k/config:3:65: clusters[0].cluster.proxy-url: proxies are not supported; set "
     "`server` to an address that can be reached directly, for example that of `kubectl "
     "proxy`"},
    /* The user. */
    {OF_USER("exec: {command: aws}"), NULL, FX_EINVALID,
     "/k/config:4:32: users[0].user.exec: credential plugins are not supported" INSTEAD},
    {OF_USER("auth-provider: {name: gcp}"), NULL, FX_EINVALID,
     "/k/config:4:41: users[0].user.auth-provider: auth providers were removed in "
     "Kubernetes 1.26" INSTEAD},
    {OF_USER("username: a, password: b"), NULL, FX_EINVALID,
     "/k/config:4:36: users[0].user.username: " PASSWORDS},
    {OF_USER("password: hunter2"), NULL, FX_EINVALID,
     "/k/config:4:36: users[0].user.password: " PASSWORDS},
    {OF_USER("as: admin"), NULL, FX_EINVALID,
     "/k/config:4:30: users[0].user.as: " ACTING},
    {OF_USER("as-uid: '1'"), NULL, FX_EINVALID,
     "/k/config:4:35: users[0].user.as-uid: " ACTING},
    {OF_USER("as-groups: [a]"), NULL, FX_EINVALID,
     "/k/config:4:37: users[0].user.as-groups: " ACTING},
    {OF_USER("as-user-extra: {a: [b]}"), NULL, FX_EINVALID,
     "/k/config:4:41: users[0].user.as-user-extra: " ACTING},
    {OF_USER("client-certificate: sub/cert.pem"), NULL, FX_EINVALID,
     "/k/config:4:25: users[0].user.client-key: a client certificate needs its key, "
     "and a key its certificate"},
    {OF_USER("client-key-data: " KEY_DATA), NULL, FX_EINVALID,
     "/k/config:4:25: users[0].user.client-certificate: a client certificate needs its "
     "key, "
     "and a key its certificate"},
    {OF_USER("client-key: gone, client-certificate: sub/cert.pem"), NULL, FX_EIO,
     "/k/config:4:38: users[0].user.client-key: /k/gone: No such file or directory"},
    {OF_USER("token: 'hunter 2'"), NULL, FX_EINVALID,
     "/k/config:4:34: users[0].user.token: invalid character in token"},
    {OF_USER("token: \"hunter2\\n\""), NULL, FX_EINVALID,
     "/k/config:4:34: users[0].user.token: invalid character in token"},
    {OF_USER("token: [hunter2]"), NULL, FX_EINVALID,
     "/k/config:4:33: users[0].user.token: not a string"},
    {OF_USER("tokenFile: gone"), NULL, FX_EIO,
     "/k/config:4:37: users[0].user.tokenFile: /k/gone: No such file or directory"},
    {OF_USER("tokenFile: empty"), NULL, FX_EINVALID,
     "/k/config:4:37: users[0].user.tokenFile: /k/empty: no token"},
    {OF_USER("tokenFile: lines"), NULL, FX_EINVALID,
     "/k/config:4:37: users[0].user.tokenFile: /k/lines: invalid character in token"},
};

static void bad_kubeconfigs_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_kube_config config = {.server = NULL};
        struct fx_err err = FX_ERR_INIT;
        if (parse_text(bad[i].text, bad[i].context, &config, &err)) {
            fail_msg("taken:\n%s", bad[i].text);
        }
        assert_string_equal(err.msg, bad[i].message);
        assert_int_equal(err.code, bad[i].code);
        assert_null(config.server);
    }
}

/* ---- files ------------------------------------------------------------------------- */

static void a_file_is_read(void **state) {
    (void)state;
    char path[PATH_ROOM];
    char token_path[PATH_ROOM];
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    path_of("config", path);
    path_of("token", token_path);
    write_file("config", CURRENT CONTEXT CLUSTER("{server: 'https://h', "
                                                 "certificate-authority: ca.pem}")
                             USER("{tokenFile: token}"));
    write_file("ca.pem", "-----BEGIN C-----\nhere\n");
    write_file("token", "secret\n");
    if (!fx_kube_config_read(path, NULL, &config, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_string_equal(config.ca_pem, "-----BEGIN C-----\nhere\n");
    assert_string_equal(config.token.data, "secret");
    assert_string_equal(config.token_file, token_path);
    fx_kube_config_finish(&config);
    assert_null(config.server);
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    char path[PATH_ROOM];
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    path_of("none", path);
    assert_false(fx_kube_config_read(path, NULL, &config, &err));
    assert_int_equal(err.code, FX_EIO);
    assert_non_null(strstr(err.msg, "none: No such file or directory"));
}

static void names_start_at_the_folder_one_is_in(void **state) {
    (void)state;
    char before[PATH_ROOM];
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    write_file("config", OF_USER("tokenFile: token"));
    write_file("token", "secret\n");
    const bool ok = fx_kube_config_read("config", NULL, &config, &err);
    assert_int_equal(chdir(before), 0);
    assert_true(ok);
    assert_string_equal(config.token_file, "./token");
    fx_kube_config_finish(&config);
}

static void files_have_bounds(void **state) {
    (void)state;
    char path[PATH_ROOM];
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    path_of("config", path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)FX_KUBECONFIG_BYTES_MAX, SEEK_SET), 0);
    assert_true(fputc('\n', file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_false(fx_kube_config_read(path, NULL, &config, &err));
    assert_int_equal(err.code, FX_ELIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kubeconfigs_are_understood),
        cmocka_unit_test(a_bundle_of_the_environment_goes_first),
        cmocka_unit_test(bad_kubeconfigs_are_refused),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(names_start_at_the_folder_one_is_in),
        cmocka_unit_test(files_have_bounds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
