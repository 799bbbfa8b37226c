/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sources.h - where policies, namespaces and perhaps the certificate come from:
 * files, or a cluster. Main thread only, but for the two that say otherwise.
 */
#ifndef FX_SERVER_SOURCES_H
#define FX_SERVER_SOURCES_H

#include <stdbool.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"

struct fx_server;

/* Reads the first version of the files, blocking, or begins to watch the cluster. Errors:
 * FX_EIO, FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_sources_start(struct fx_server *server, struct fx_err *err) FX_MUST_USE;

/* Others are in force than before: what the cluster is told of them may change. */
void fx_sources_report(struct fx_server *server);

/* The policies that a review which begins now is to see, as a new reference: those in
 * force, or none at all while everything is let pass. By the thread of that number. */
struct fx_policies *fx_sources_get_policies(const struct fx_server *server,
                                            unsigned thread);

/* An object that a review under these policies needs, as a new reference; WAIT: only the
 * API server can know it. `err` is a fresh one. By any thread. */
enum fx_lookup fx_sources_find_object(const struct fx_server *server,
                                      const struct fx_policies *policies,
                                      const struct fx_reference *reference,
                                      json_t **ret_object, struct fx_err *err);

/* Are there policies? Else what is waited for, text that stays until the loop goes on. */
bool fx_sources_ready(const struct fx_server *server, const char **ret_reason);

/* Reads again now; who is in quarantine comes back. */
void fx_sources_reload(struct fx_server *server);

/* Everything is let pass unchanged (SIGUSR1), or no more (SIGUSR2). */
void fx_sources_set_passthrough(struct fx_server *server, bool passes);

/* Ends it; nobody samples any more. */
void fx_sources_close(struct fx_server *server);

#endif
