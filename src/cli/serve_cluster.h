/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve_cluster.h - the flags of `fixpoint serve` that are about a cluster, and what
 * they and the environment of a Pod come to.
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
    {"kubeconfig",                                                                       \
     '\0',                                                                               \
     FX_OPTION_TEXT,                                                                     \
     FX_CLUSTER_FLAG(type, kubeconfig),                                                  \
     "FILE",                                                                             \
     NULL,                                                                               \
     "policies: those of this cluster, watched (default: of the Pod's own)"},            \
        {"context",                                                                      \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, context),                                                 \
         "NAME",                                                                         \
         NULL,                                                                           \
         "a context of the kubeconfig (default: its current one)"},                      \
        {"apis",                                                                         \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, apis),                                                    \
         "LIST",                                                                         \
         NULL,                                                                           \
         "whose policies of the cluster are read, with commas between: gatekeeper (our " \
         "own group's, too), kubemod (default: both)"},                                  \
        {"tls-secret",                                                                   \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, tls_secret),                                              \
         "NAME",                                                                         \
         NULL,                                                                           \
         "the certificate: made by ourselves, kept in this Secret and rotated"},         \
        {"cert-service-name",                                                            \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, service),                                                 \
         "NAME",                                                                         \
         NULL,                                                                           \
         "the Service it is for (default fixpoint-webhook-service)"},                    \
        {"ca-validity",                                                                  \
         '\0',                                                                           \
         FX_OPTION_DURATION,                                                             \
         FX_CLUSTER_FLAG(type, ca_validity),                                             \
         "TIME",                                                                         \
         NULL,                                                                           \
         "of the authority in the Secret (default 87600h)"},                             \
        {"cert-validity",                                                                \
         '\0',                                                                           \
         FX_OPTION_DURATION,                                                             \
         FX_CLUSTER_FLAG(type, cert_validity),                                           \
         "TIME",                                                                         \
         NULL,                                                                           \
         "of the certificate in the Secret (default 8760h)"},                            \
        {"rotation-wait",                                                                \
         '\0',                                                                           \
         FX_OPTION_DURATION,                                                             \
         FX_CLUSTER_FLAG(type, rotation_wait),                                           \
         "TIME",                                                                         \
         NULL,                                                                           \
         "between the steps of a rotation (default 60s)"},                               \
        {"disable-cert-rotation",                                                        \
         '\0',                                                                           \
         FX_OPTION_FLAG,                                                                 \
         FX_CLUSTER_FLAG(type, no_rotation),                                             \
         NULL,                                                                           \
         NULL,                                                                           \
         "write neither the Secret nor a caBundle"},                                     \
        {"mutating-webhook-configuration-name",                                          \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, mutating),                                                \
         "NAME",                                                                         \
         NULL,                                                                           \
         "whose caBundle is kept true (default "                                         \
         "gatekeeper-mutating-webhook-configuration)"},                                  \
        {"validating-webhook-configuration-name",                                        \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, validating),                                              \
         "NAME",                                                                         \
         NULL,                                                                           \
         "the same (default gatekeeper-validating-webhook-configuration)"},              \
        {"additional-mutating-webhook-configs-to-rotate-certs",                          \
         '\0',                                                                           \
         FX_OPTION_LIST,                                                                 \
         FX_CLUSTER_FLAG(type, also_mutating),                                           \
         "NAME",                                                                         \
         NULL,                                                                           \
         "the same (repeats)"},                                                          \
        {"lease-name",                                                                   \
         '\0',                                                                           \
         FX_OPTION_TEXT,                                                                 \
         FX_CLUSTER_FLAG(type, lease),                                                   \
         "NAME",                                                                         \
         NULL,                                                                           \
         "the Lease that settles which replica sweeps (default fixpoint)"},              \
        {"no-events",                                                                    \
         '\0',                                                                           \
         FX_OPTION_FLAG,                                                                 \
         FX_CLUSTER_FLAG(type, no_events),                                               \
         NULL,                                                                           \
         NULL,                                                                           \
         "write no Events about invalid mutators"}

/* What they come to. */
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

/* Is a cluster the source of policies, by these flags or by being in a Pod? */
bool fx_cluster_flags_mean_one(const struct fx_cluster_flags *flags);

/* What of them makes no sense, also beside so many files of policies, as the sentence
 * that says so; NULL. */
const char *fx_cluster_flags_fault(const struct fx_cluster_flags *flags, size_t n_files);

/* What else they need to know of the command line; borrowed like the flags. */
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
