/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509.h - private to the room: certificates and requests for them, as
 * the JSON of the structs of Go's package crypto/x509.
 *
 * What is read goes into one object. Members that cannot be made for lack of memory are
 * remembered as a failure, which x509_finish() reports.
 */
#ifndef FX_LOCATION_JMESPATH_X509_H
#define FX_LOCATION_JMESPATH_X509_H

#include <stdbool.h>

#include <jansson.h>

#include "base/der.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct x509_run {
    json_t *object; /* the result */
    bool failed;    /* no memory */
    struct fx_err *err;
};

/* ---- x509_values.c: parts of the result ----------------------------------------------
 */

/* Sets a member; `value` is consumed, and NULL is a failure. */
void x509_set(struct x509_run *run, json_t *object, const char *name, json_t *value);

/* The same for numbers, booleans, strings, null, and for bytes in base64 (null if there
 * are none). */
void x509_set_integer(struct x509_run *run, const char *name, int64_t integer);
void x509_set_boolean(struct x509_run *run, const char *name, bool truth);
void x509_set_null(struct x509_run *run, const char *name);
void x509_set_bytes(struct x509_run *run, const char *name, struct fx_text bytes);

/* Appends an element to the list `name` of the object, which is null before the first.
 * `value` is consumed. */
void x509_append(struct x509_run *run, json_t *object, const char *name, json_t *value);

/* New values; NULL without memory. Strings that are not UTF-8 get U+FFFD. */
json_t *x509_base64(struct fx_text bytes);
json_t *x509_string(struct fx_text bytes);

/* The content of an object identifier as a list of numbers, or as a text; NULL without
 * memory. False if it is none. */
bool x509_oid_list(struct fx_text content, json_t **ret_list);
bool x509_oid_text(struct fx_text content, json_t **ret_text);

/* The content of an integer of any size: in decimal. Empty without memory. */
bool x509_integer_text(struct fx_text content, struct fx_buf *buf);

/* Fails with FX_EINVALID: "invalid certificate: <what>". Always false. */
bool x509_fail(struct x509_run *run, const char *what);

/* ---- x509_names.c, x509_extensions.c
 * --------------------------------------------------- */

/* Reads a distinguished name, the content of a sequence, into the member `name`. */
bool x509_read_name(struct x509_run *run, const char *name,
                    struct fx_text content) FX_MUST_USE;

/* Makes the value of an attribute: a string, also of bytes (in base64), or an integer;
 * null for any other type, as in Go. NULL without memory. */
json_t *x509_attribute_value(unsigned tag, struct fx_text content);

/* Reads a list of extensions, the content of a sequence, into `Extensions` and the
 * members that they stand for. Of a request only alternative names count (`is_request`).
 */
bool x509_read_extensions(struct x509_run *run, struct fx_text content,
                          bool is_request) FX_MUST_USE;

/* ---- x509_alternatives.c: names and addresses in extensions
 * ---------------------------- */

/* Each reads the content of one extension. Those of a certificate set members of it.
 * *ret_handled is false if the extension has nothing that Go knows. Errors: FX_EINVALID.
 */
bool x509_read_alternatives(struct x509_run *run, struct fx_text value,
                            bool *ret_handled) FX_MUST_USE;
bool x509_read_constraints(struct x509_run *run, struct fx_text value, bool is_critical,
                           bool *ret_handled) FX_MUST_USE;
bool x509_read_distribution(struct x509_run *run, struct fx_text value) FX_MUST_USE;
bool x509_read_authority(struct x509_run *run, struct fx_text value) FX_MUST_USE;

/* ---- x509_parts.c
 * ---------------------------------------------------------------------- */

/* Opens what is signed, and sets `Raw`, the member `raw` for the bytes that are signed,
 * `Signature` and `SignatureAlgorithm`. *ret_content is what is signed. */
bool x509_open_signed(struct x509_run *run, struct fx_text der, const char *raw,
                      struct fx_text *ret_content) FX_MUST_USE;

/* Takes a distinguished name, into the member `name`, and its bytes into `raw`. */
bool x509_take_name(struct x509_run *run, struct fx_text *from, const char *name,
                    const char *raw) FX_MUST_USE;

/* Takes the public key. Errors: FX_EINVALID, also if it is not of RSA. */
bool x509_take_key(struct x509_run *run, struct fx_text *from) FX_MUST_USE;

/* Gives the result if everything before was `ok` and there was memory for it; otherwise
 * frees it. */
bool x509_finish(struct x509_run *run, bool ok, json_t **ret_value) FX_MUST_USE;

/* ---- x509_certificate.c, x509_request.c
 * ------------------------------------------------- */

/* Reads a certificate, or a request for one, with an RSA key. Gives a new reference.
 * Errors: FX_EINVALID, FX_ENOMEM. */
bool x509_read_certificate(struct fx_text der, json_t **ret_value,
                           struct fx_err *err) FX_MUST_USE;
bool x509_read_request(struct fx_text der, json_t **ret_value,
                       struct fx_err *err) FX_MUST_USE;

#endif
