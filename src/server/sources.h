/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sources.h - where policies, namespaces and perhaps the certificate come from:
 * files or a cluster. Main thread only, unless a function says otherwise.
 */
#ifndef FX_SERVER_SOURCES_H
#define FX_SERVER_SOURCES_H

#include <stdbool.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"

struct fx_server;

/* Reads the first version of the files, blocking, or starts to watch the cluster. Errors:
 * FX_EIO, FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_sources_start(struct fx_server *server, struct fx_err *err) FX_MUST_USE;

/* Reports the active policies to the cluster (statuses, Events). */
void fx_sources_report(struct fx_server *server);

/* The policies for a review that begins now, as a new reference: the active ones, or none
 * while passthrough is on. Called by the serving thread of that number. */
struct fx_policies *fx_sources_get_policies(const struct fx_server *server,
                                            unsigned thread);

/* Looks up an input that a review under these policies needs (not a call). FOUND:
 * *ret_value is a new reference. WAIT: it must be fetched from the API server. FAILED:
 * see `err`, which must be empty before. Any thread. */
enum fx_lookup fx_sources_find_input(const struct fx_server *server,
                                     const struct fx_policies *policies,
                                     const struct fx_input_key *key, json_t **ret_value,
                                     struct fx_err *err);

/* Are policies loaded? If not, *ret_reason says what is missing; it is valid until the
 * next iteration. */
bool fx_sources_ready(const struct fx_server *server, const char **ret_reason);

/* Reads the sources again now, and ends every quarantine. */
void fx_sources_reload(struct fx_server *server);

/* Turns passthrough on (SIGUSR1: objects pass unchanged) or off (SIGUSR2). */
void fx_sources_set_passthrough(struct fx_server *server, bool on);

/* Closes the sources, when no review needs them any more. */
void fx_sources_close(struct fx_server *server);

#endif
