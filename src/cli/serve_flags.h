/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve_flags.h - flags of `fixpoint serve`: --operation, and the flags for a
 * cluster, with the settings that follow from them and from the environment of a Pod.
 */
#ifndef FX_CLI_SERVE_FLAGS_H
#define FX_CLI_SERVE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/options.h"
#include "cluster/cluster.h"
#include "kube/config.h"

#define FX_OPERATIONS_KNOWN 7

/* `--operation` (spec section 9): which functions of the webhook a process serves. Values
 * that have no function here are accepted, because existing manifests have them. */
struct fx_operations {
    bool mutates; /* mutation-webhook: POST /v1/mutate */
    bool admits;  /* webhook: POST /v1/admit and /v1/admitlabel */
    bool reports; /* mutation-status: status.byPod of mutators */
    /* The operations that a status reports, sorted: the given ones, or all that are
     * served. */
    const char *names[FX_OPERATIONS_KNOWN];
    size_t n_names;
};

/* Reads the operations; one item may hold several, separated by commas. None: all that
 * Fixpoint implements. Errors: FX_EINVALID for a word that is not an operation. */
bool fx_operations_read(const struct fx_strings *names,
                        struct fx_operations *ret_operations,
                        struct fx_err *err) FX_MUST_USE;

/* The flags as they were given. */
struct fx_cluster_flags {
    const char *kubeconfig, *context;
    const char *apis;
    unsigned native;   /* enum fx_native_mode */
    unsigned existing; /* enum fx_existing_mode */
    size_t existing_qps;
    const char *tls_secret, *service, *mutating, *validating, *lease;
    struct fx_strings also_mutating;
    bool no_rotation, no_events;
    uint64_t ca_validity, cert_validity, rotation_wait;
};

/* The settings that follow from the flags. */
struct fx_cluster_settings {
    struct fx_cluster_options options; /* borrows from the members below */
    struct fx_kube_config config;
    struct fx_cluster_secret_options secret;
    char *own_namespace, *pod;
    const char *mutating[1 + 16]; /* names of configurations, borrowed */
    char **names;                 /* of the certificate */
    size_t n_names;
};

void fx_cluster_settings_finish(struct fx_cluster_settings *settings);

/* Are policies read from a cluster, because of these flags or because this is a Pod? */
bool fx_cluster_flags_mean_one(const struct fx_cluster_flags *flags);

/* The message of what is wrong with the flags, given n_files paths of policies; or
 * NULL. */
const char *fx_cluster_flags_fault(const struct fx_cluster_flags *flags, size_t n_files);

/* Other values of the command line that the settings need. Borrowed. */
struct fx_cluster_context {
    const struct fx_operations *operations;
    unsigned apis; /* of --apis (cluster/policies/kinds.h) */
    const struct fx_dialect_settings *settings;
    const struct fx_strings *tls_names;
    const char *own_namespace; /* --own-namespace, or NULL */
    bool publishes;            /* --tls-ca is given: there is a bundle to publish */
};

/* Fills `ret_settings` (zeroed), which borrows from the flags and the context. The caller
 * finishes it in any case. Errors: those of kube/config.h; FX_EINVALID. */
bool fx_cluster_settings_read(const struct fx_cluster_flags *flags,
                              const struct fx_cluster_context *context,
                              struct fx_cluster_settings *ret_settings,
                              struct fx_err *err) FX_MUST_USE;

/* Checks that a certificate can be made and rotated with these settings
 * (cluster/certificates/rotation.h), and that it does not outlive its CA. The error
 * begins with the flag that is wrong. Errors: FX_EINVALID, FX_ENOMEM. */
bool fx_cluster_settings_check(const struct fx_cluster_settings *settings,
                               struct fx_err *err) FX_MUST_USE;

/* The words of the option, in the order of enum fx_on_error; NULL-terminated. */
#define FX_ON_ERROR_WORD(name, text) [FX_ON_ERROR_##name] = (text),
#define FX_ON_ERROR_WORDS            ((const char *const[]){FX_ON_ERRORS(FX_ON_ERROR_WORD) NULL})

#define FX_ON_ERROR_OPTION(type)                                                         \
    FX_OPTION_ROW("on-error", '\0', CHOICE, offsetof(type, on_error), "WHAT",            \
                  FX_ON_ERROR_WORDS,                                                     \
                  "if a mutation fails: deny (default), defer (HTTP 500, failurePolicy " \
                  "decides) or allow (unchanged, with a warning)")

#endif
