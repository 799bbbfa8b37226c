/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_step.c - a deleted Secret is created again from its old
 * content and a new CA.
 */
#include "cluster/certificates/secret_step.h"

#include <stdio.h>

#include "net/tls.h"
#include "net/tls_issue.h"

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

static void move(struct fx_buf *to, struct fx_buf *from) {
    fx_tls_wipe(to);
    *to = *from;
    *from = (struct fx_buf){0};
}

/* Keeps the old content, and puts the new CA before the old one. */
static bool add_ca(struct fx_rotation *fresh, const struct fx_rotation_input *input,
                   struct fx_rotation *rotation, struct fx_err *err) {
    const bool keeps = rotation->step == FX_ROTATION_KEEP;
    const struct fx_text old =
        keeps ? input->content->ca_cert : text_of(&rotation->ca_cert);
    struct fx_buf both = {0};
    if (!fx_tls_bundle(text_of(&fresh->ca_cert), old, input->now, &both, err)) {
        fx_buf_finish(&both);
        return false;
    }
    if (keeps) {
        fx_buf_text(&rotation->cert, input->content->cert);
        fx_buf_text(&rotation->key, input->content->key);
    }
    move(&rotation->ca_cert, &both);
    move(&rotation->ca_key, &fresh->ca_key);
    return !(rotation->cert.failed || rotation->key.failed) || fx_fail_nomem(err);
}

static bool recreate(const struct fx_rotation_settings *settings,
                     const struct fx_rotation_input *input, struct fx_rotation *rotation,
                     struct fx_err *err) {
    struct fx_rotation_input without_content = *input;
    struct fx_rotation fresh = {0};
    without_content.content = NULL;
    if (!fx_rotation_decide(settings, &without_content, &fresh, err)) {
        return false;
    }
    bool ok = true;
    if (fresh.step == FX_ROTATION_CREATE) {
        ok = add_ca(&fresh, input, rotation, err);
        rotation->step = FX_ROTATION_CREATE;
        rotation->rotated_at = fresh.rotated_at;
    }
    (void)snprintf(rotation->reason, sizeof rotation->reason, "%s",
                   fresh.step == FX_ROTATION_CREATE
                       ? "the Secret was deleted: it is created again with a new CA in "
                         "addition to the old one"
                       : fresh.reason);
    rotation->check_in = fresh.check_in;
    fx_rotation_finish(&fresh);
    return ok;
}

bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *input, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) {
    struct fx_rotation rotation = {0};
    if (!fx_rotation_decide(settings, input, &rotation, err)) {
        return false;
    }
    if (deleted && (rotation.step == FX_ROTATION_RENEW_CA ||
                    rotation.step == FX_ROTATION_START_OVER)) {
        rotation.step = FX_ROTATION_CREATE; /* with a new CA already */
    } else if (deleted && !recreate(settings, input, &rotation, err)) {
        fx_rotation_finish(&rotation);
        return false;
    }
    *ret_rotation = rotation;
    return true;
}
