/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_name.c - Kyverno's functions of what names something:
 * references of images, paths of files, URLs.
 */
#include "base/image_reference.h"
#include "location/go/netip.h"
#include "location/go/path.h"
#include "location/go/url.h"
#include "location/jmespath/functions.h"

static bool call_image_normalize(const struct fx_jmespath_call *call, json_t **ret_value,
                                 struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    struct fx_image_reference image;
    struct fx_buf buf;
    if (!jmespath_spend_bytes(text.len * 2, err) ||
        !fx_image_reference_parse(text, &image, err)) {
        return false;
    }
    jmespath_result_init(&buf);
    fx_image_reference_print(&buf, &image);
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

/* The empty path stays empty, as in Go's filepath.Join. */
static bool call_path_canonicalize(const struct fx_jmespath_call *call,
                                   json_t **ret_value, struct fx_err *err) {
    const struct fx_text path = jmespath_argument_text(call, 0);
    if (!jmespath_spend_bytes(path.len * 2, err)) {
        return false;
    }
    char *room = fx_arena_alloc(call->arena, path.len + 1);
    if (room == NULL) {
        return fx_fail_nomem(err);
    }
    return fx_jmespath_give_string(path.len == 0 ? path : fx_go_path_clean(path, room),
                                   ret_value, err);
}

/* ---- is_external_url --------------------------------------------------------------- */

/* A name would have to be looked up, which no review waits for: it is an error. */
static bool read_host(struct fx_text host, struct fx_go_address *ret_address,
                      struct fx_err *err) {
    if (fx_go_address_parse(host, ret_address, err)) {
        if (!ret_address->has_zone) {
            return true;
        }
    } else if (err->code != FX_EMUTATE) {
        return false;
    }
    return fx_fail_quoted(err, FX_EINVALID, "the host ", host,
                          " is not an IP address, and Fixpoint looks up no names");
}

static bool call_is_external_url(const struct fx_jmespath_call *call, json_t **ret_value,
                                 struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    struct fx_go_url url;
    struct fx_go_address address;
    if (!jmespath_spend_bytes(text.len * 4, err)) {
        return false;
    }
    char *room = fx_arena_alloc(call->arena, text.len);
    if (room == NULL) {
        return fx_fail_nomem(err);
    }
    if (!fx_go_url_parse(text, room, &url, err)) {
        return jmespath_fail_argument(err);
    }
    if (!read_host(fx_go_url_hostname(&url), &address, err)) {
        return false;
    }
    address = fx_go_address_unmap(&address);
    return fx_jmespath_give_boolean(!fx_go_address_is_loopback(&address) &&
                                        !fx_go_address_is_private(&address),
                                    ret_value, err);
}

const struct fx_jmespath_function fx_jmespath_name_functions[] = {
    FX_JMESPATH_ROW("image_normalize", call_image_normalize,
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("path_canonicalize", call_path_canonicalize,
                    {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("is_external_url", call_is_external_url,
                    {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
