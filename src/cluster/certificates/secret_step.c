/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_step.c - a deleted Secret, put together from what it held
 * and what a new one would hold.
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

/* What the Secret held stays, but for its authority, before which a new one comes. */
static bool put_before(struct fx_rotation *fresh, const struct fx_rotation_input *view,
                       struct fx_rotation *rotation, struct fx_err *err) {
    const bool keeps = rotation->step == FX_ROTATION_KEEP;
    const struct fx_text old =
        keeps ? view->content->ca_cert : text_of(&rotation->ca_cert);
    struct fx_buf both;
    fx_buf_init(&both, 0);
    if (!fx_tls_bundle(text_of(&fresh->ca_cert), old, view->now, &both, err)) {
        fx_buf_finish(&both);
        return false;
    }
    if (keeps) {
        fx_buf_text(&rotation->cert, view->content->cert);
        fx_buf_text(&rotation->key, view->content->key);
    }
    move(&rotation->ca_cert, &both);
    move(&rotation->ca_key, &fresh->ca_key);
    return !(rotation->cert.failed || rotation->key.failed) || fx_fail_nomem(err);
}

static bool make_again(const struct fx_rotation_settings *settings,
                       const struct fx_rotation_input *view, struct fx_rotation *rotation,
                       struct fx_err *err) {
    struct fx_rotation_input nothing = *view;
    struct fx_rotation fresh = {0};
    nothing.content = NULL;
    if (!fx_rotation_decide(settings, &nothing, &fresh, err)) {
        return false;
    }
    bool ok = true;
    if (fresh.step == FX_ROTATION_CREATE) {
        ok = put_before(&fresh, view, rotation, err);
        rotation->step = FX_ROTATION_CREATE;
        rotation->rotated_at = fresh.rotated_at;
    }
    (void)snprintf(rotation->reason, sizeof rotation->reason, "%s",
                   fresh.step == FX_ROTATION_CREATE
                       ? "the Secret was deleted: a new authority comes beside the old"
                       : fresh.reason);
    rotation->look_in = fresh.look_in;
    fx_rotation_finish(&fresh);
    return ok;
}

bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *view, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) {
    struct fx_rotation rotation = {0};
    if (!fx_rotation_decide(settings, view, &rotation, err)) {
        return false;
    }
    if (deleted && (rotation.step == FX_ROTATION_RENEW_CA ||
                    rotation.step == FX_ROTATION_START_OVER)) {
        rotation.step = FX_ROTATION_CREATE; /* that is a new authority already */
    } else if (deleted && !make_again(settings, view, &rotation, err)) {
        fx_rotation_finish(&rotation);
        return false;
    }
    *ret_rotation = rotation;
    return true;
}
