/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve_cluster.h - the flags of `fixpoint serve` for a cluster, and the settings
 * that follow from them and the environment of a Pod.
 */
#ifndef FX_CLI_SERVE_CLUSTER_H
#define FX_CLI_SERVE_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "cli/operations.h"
#include "cli/options.h"
#include "cluster/cluster.h"
#include "kube/config.h"

/* As given. */
struct fx_cluster_flags {
    const char *kubeconfig, *context;
    const char *apis;
    const char *tls_secret, *service, *mutating, *validating, *lease;
    struct fx_strings also_mutating;
    bool no_rotation, no_events;
    uint64_t ca_validity, cert_validity, rotation_wait;
};

#define FX_CLUSTER_FLAG(type, field) offsetof(type, cluster.field)

/* Their rows in the table of a command whose values, of that type, hold them as
 * `cluster`. */
#define FX_CLUSTER_OPTIONS(type)                                                         \
    FX_OPTION_ROW(                                                                       \
        "kubeconfig", '\0', TEXT, FX_CLUSTER_FLAG(type, kubeconfig), "FILE", NULL,       \
        "watch the policies of this cluster (default: the cluster of the Pod)"),         \
        FX_OPTION_ROW("context", '\0', TEXT, FX_CLUSTER_FLAG(type, context), "NAME",     \
                      NULL, "context of the kubeconfig (default: its current context)"), \
        FX_OPTION_ROW(                                                                   \
            "apis", '\0', TEXT, FX_CLUSTER_FLAG(type, apis), "LIST", NULL,               \
            "dialects whose policies are watched in the cluster, separated by "          \
            "commas (default: all); an unknown name prints the list"),                   \
        FX_OPTION_ROW(                                                                   \
            "tls-secret", '\0', TEXT, FX_CLUSTER_FLAG(type, tls_secret), "NAME", NULL,   \
            "create the serving certificate, keep it in this Secret and rotate it"),     \
        FX_OPTION_ROW(                                                                   \
            "cert-service-name", '\0', TEXT, FX_CLUSTER_FLAG(type, service), "NAME",     \
            NULL,                                                                        \
            "Service that the certificate is for (default fixpoint-webhook-service)"),   \
        FX_OPTION_ROW("ca-validity", '\0', DURATION, FX_CLUSTER_FLAG(type, ca_validity), \
                      "TIME", NULL,                                                      \
                      "validity of the CA certificate in the Secret (default 87600h)"),  \
        FX_OPTION_ROW(                                                                   \
            "cert-validity", '\0', DURATION, FX_CLUSTER_FLAG(type, cert_validity),       \
            "TIME", NULL,                                                                \
            "validity of the serving certificate in the Secret (default 8760h)"),        \
        FX_OPTION_ROW("rotation-wait", '\0', DURATION,                                   \
                      FX_CLUSTER_FLAG(type, rotation_wait), "TIME", NULL,                \
                      "time between the steps of a rotation (default 60s)"),             \
        FX_OPTION_ROW("disable-cert-rotation", '\0', FLAG,                               \
                      FX_CLUSTER_FLAG(type, no_rotation), NULL, NULL,                    \
                      "do not write the Secret or any caBundle"),                        \
        FX_OPTION_ROW("mutating-webhook-configuration-name", '\0', TEXT,                 \
                      FX_CLUSTER_FLAG(type, mutating), "NAME", NULL,                     \
                      "MutatingWebhookConfiguration whose caBundle Fixpoint maintains "  \
                      "(default gatekeeper-mutating-webhook-configuration)"),            \
        FX_OPTION_ROW(                                                                   \
            "validating-webhook-configuration-name", '\0', TEXT,                         \
            FX_CLUSTER_FLAG(type, validating), "NAME", NULL,                             \
            "ValidatingWebhookConfiguration whose caBundle Fixpoint maintains (default " \
            "gatekeeper-validating-webhook-configuration)"),                             \
        FX_OPTION_ROW("additional-mutating-webhook-configs-to-rotate-certs", '\0', LIST, \
                      FX_CLUSTER_FLAG(type, also_mutating), "NAME", NULL,                \
                      "additional MutatingWebhookConfiguration whose caBundle Fixpoint " \
                      "maintains (repeats)"),                                            \
        FX_OPTION_ROW("lease-name", '\0', TEXT, FX_CLUSTER_FLAG(type, lease), "NAME",    \
                      NULL,                                                              \
                      "Lease by which one replica is elected for cluster-wide writes "   \
                      "(default fixpoint)"),                                             \
        FX_OPTION_ROW("no-events", '\0', FLAG, FX_CLUSTER_FLAG(type, no_events), NULL,   \
                      NULL, "do not write Events about invalid mutators")

/* The settings that follow from the flags. */
struct fx_cluster_settings {
    struct fx_cluster_options options; /* borrows from all that is below */
    struct fx_kube_config config;
    struct fx_cluster_secret_options secret;
    char *own_namespace, *pod;
    const char *mutating[1 + 16]; /* names of configurations, borrowed */
    char **names;                 /* of the certificate */
    size_t n_names;
};

void fx_cluster_settings_finish(struct fx_cluster_settings *settings);

/* Are policies read from a cluster: by these flags, or as the process runs in a Pod? */
bool fx_cluster_flags_mean_one(const struct fx_cluster_flags *flags);

/* The fault of the flags, together with n_files paths of policies, as a message; or NULL.
 */
const char *fx_cluster_flags_fault(const struct fx_cluster_flags *flags, size_t n_files);

/* Other values of the command line that the settings need; borrowed like the flags. */
struct fx_cluster_context {
    const struct fx_operations *operations;
    unsigned apis; /* that --apis names (cluster/policies/kinds.h) */
    const struct fx_dialect_settings *settings;
    const struct fx_strings *tls_names;
    const char *own_namespace; /* --own-namespace, or NULL */
    bool publishes;            /* there is a bundle to publish: --tls-ca */
};

/* Fills `ret_settings` (zeroed), which borrows from the flags and the context. The caller
 * finishes it in any case. Errors: those of kube/config.h; FX_EINVALID. */
bool fx_cluster_settings_read(const struct fx_cluster_flags *flags,
                              const struct fx_cluster_context *context,
                              struct fx_cluster_settings *ret_settings,
                              struct fx_err *err) FX_MUST_USE;

/* Can a certificate be made by them, and rotated (cluster/certificates/rotation.h), and
 * does its authority last as long? Else the error begins with the flag that is to be
 * changed. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_cluster_settings_check(const struct fx_cluster_settings *settings,
                               struct fx_err *err) FX_MUST_USE;

#endif
