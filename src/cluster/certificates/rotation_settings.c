/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_settings.c - which validities and waits leave room for a
 * rotation.
 */
#include "cluster/certificates/rotation.h"

#include "base/buf.h"
#include "net/cert_parts.h"

#define VALIDITY_MAX (INT64_C(1000) * 366 * 86400)

static bool check_names(const struct fx_rotation_settings *settings, struct fx_err *err) {
    struct fx_buf der;
    fx_buf_init(&der, 0);
    const bool ok = fx_cert_names_write(settings->names, settings->n_names, &der, err);
    fx_buf_finish(&der);
    return ok;
}

static bool check_validity(const char *what, int64_t validity, int64_t wait,
                           struct fx_err *err) {
    if (validity <= 0 || validity > VALIDITY_MAX) {
        return fx_fail(err, FX_EINVALID, "the validity of the %s cannot be %lld s", what,
                       (long long)validity);
    }
    return validity / 3 > 2 * wait ||
           fx_fail(err, FX_EINVALID,
                   "a third of the validity of the %s (%lld s) must be longer than twice "
                   "the wait (%lld s)",
                   what, (long long)validity, (long long)wait);
}

bool fx_rotation_check_settings(const struct fx_rotation_settings *settings,
                                enum fx_rotation_setting *ret_which, struct fx_err *err) {
    if (settings->wait < 0 || settings->wait > VALIDITY_MAX) {
        *ret_which = FX_ROTATION_WAIT;
        return fx_fail(err, FX_EINVALID, "the wait cannot be %lld s",
                       (long long)settings->wait);
    }
    if (!check_validity("CA", settings->ca_validity, settings->wait, err)) {
        *ret_which = FX_ROTATION_CA_VALIDITY;
        return false;
    }
    if (!check_validity("certificate", settings->leaf_validity, settings->wait, err)) {
        *ret_which = FX_ROTATION_LEAF_VALIDITY;
        return false;
    }
    *ret_which = FX_ROTATION_NAMES;
    return check_names(settings, err);
}
