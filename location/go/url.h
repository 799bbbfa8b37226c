/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/url.h - URLs of any sort, as Go's package net/url splits and joins them.
 * (base/url.h is for those that Fixpoint calls.)
 */
#ifndef FX_LOCATION_GO_URL_H
#define FX_LOCATION_GO_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Missing parts are empty. Escapes are decoded, except in opaque, raw_path and query. */
struct fx_go_url {
    struct fx_text scheme; /* in lower case */
    struct fx_text opaque; /* mailto:it */
    bool has_user, has_password;
    struct fx_text user, password;
    struct fx_text host; /* with port and brackets */
    bool omits_host;     /* scheme:/path */
    struct fx_text path;
    struct fx_text raw_path; /* the path as it was written; empty: escape `path` */
    bool has_query;          /* there was a `?`, also with an empty query */
    struct fx_text query;
    struct fx_text fragment;
};

/* url.Parse. The parts are borrowed from the text or from `room`, which has text.len
 * bytes for what is decoded. Errors: FX_EMUTATE with Go's message, FX_ENOMEM. */
bool fx_go_url_parse(struct fx_text text, char *room, struct fx_go_url *ret_url,
                     struct fx_err *err) FX_MUST_USE;

/* url.ParseRequestURI: is it an absolute URL, or an absolute path? Errors: as above. */
bool fx_go_url_check_request(struct fx_text text, struct fx_err *err) FX_MUST_USE;

/* The host without port and brackets, and the port; empty: there is none. */
struct fx_text fx_go_url_hostname(const struct fx_go_url *url);
struct fx_text fx_go_url_port(const struct fx_go_url *url);

/* Append the URL (URL.String), its `user:password`, and the path with escapes
 * (URL.EscapedPath). */
void fx_go_url_print(struct fx_buf *buf, const struct fx_go_url *url);
void fx_go_url_print_user(struct fx_buf *buf, const struct fx_go_url *url);
void fx_go_url_print_path(struct fx_buf *buf, const struct fx_go_url *url);

/* Appends a part of a query without its escapes (QueryUnescape). False, with nothing
 * appended, if an escape is invalid. */
bool fx_go_url_unescape_query(struct fx_buf *buf, struct fx_text text) FX_MUST_USE;

#endif
