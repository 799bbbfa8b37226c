/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/url.h - private: URLs of any sort as Go's net/url takes them apart
 * and puts them together. (base/url.h is for those that we call.)
 */
#ifndef FX_LOCATION_SPRIG_URL_H
#define FX_LOCATION_SPRIG_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

/* What is not there is empty. Escapes are resolved, but for opaque and query. */
struct url {
    struct fx_text scheme; /* in lower case */
    struct fx_text opaque; /* mailto:it */
    bool has_user, has_password;
    struct fx_text user, password;
    struct fx_text host; /* with port and brackets */
    struct fx_text path;
    bool has_query; /* `?` was there, perhaps with nothing behind it */
    struct fx_text query;
    struct fx_text fragment;
};

/* Texts are borrowed from `text` or lie in the run's memory. False with run->err: of a
 * text that is no URL in Go's words, `parse "…": …`. */
bool url_parse(struct run *run, struct fx_text text, struct url *ret_url) FX_MUST_USE;

/* The host without port and brackets. */
struct fx_text url_hostname(const struct url *url);

/* Appends it, with the escapes that it needs. */
void url_print(struct fx_buf *buf, const struct url *url);

/* The same of user and password alone. */
void url_print_user(struct fx_buf *buf, const struct url *url);

#endif
