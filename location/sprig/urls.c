/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/urls.c - urlParse and urlJoin: URLs of any sort as maps.
 */
#include "location/go/url.h"
#include "location/sprig/functions.h"

static bool url_parse(struct template_run *run, struct fx_text text,
                      struct fx_go_url *ret_url) {
    char *room = run_alloc(run, text.len);
    return room != NULL && fx_go_url_parse(text, room, ret_url, run->err);
}

/* ---- the functions ----------------------------------------------------------------- */

static bool put(struct template_call *call, struct map *map, const char *key,
                struct fx_text text) {
    return value_map_put(call->run, map, fx_text_of(key), value_string(text));
}

static bool put_user(struct template_call *call, struct map *map,
                     const struct fx_go_url *url) {
    struct value user = {.kind = VALUE_STRING};
    fx_go_url_print_user(run_scratch(call->run), url);
    return run_take_scratch(call->run, &user) && put(call, map, "userinfo", user.string);
}

/* Adds the library's prefix to Go's message. */
static bool fail_in(struct template_call *call, const char *what) {
    if (call->err->code == FX_EMUTATE) {
        (void)fx_err_prefix(call->err, "unable to parse %s: ", what);
    }
    return false;
}

static bool call_url_parse(struct template_call *call) {
    struct fx_go_url url;
    if (!url_parse(call->run, call->arguments[0].string, &url)) {
        return fail_in(call, "url");
    }
    struct map *map = value_map_new(call->run);
    if (map == NULL || !put(call, map, "scheme", url.scheme) ||
        !put(call, map, "host", url.host) ||
        !put(call, map, "hostname", fx_go_url_hostname(&url)) ||
        !put(call, map, "path", url.path) || !put(call, map, "query", url.query) ||
        !put(call, map, "opaque", url.opaque) ||
        !put(call, map, "fragment", url.fragment) || !put_user(call, map, &url)) {
        return false;
    }
    return return_map(call, map);
}

/* Gets a part; empty where the map does not have it. */
static bool get(struct template_call *call, const char *key, struct fx_text *ret_text) {
    struct value value;
    *ret_text = (struct fx_text){0};
    if (!value_map_get(call->run, call->arguments[0].map, fx_text_of(key), &value)) {
        return false;
    }
    if (value.kind == VALUE_MISSING) {
        return true;
    }
    if (value.kind == VALUE_NIL) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_NIL);
    }
    if (value.kind != VALUE_STRING) {
        return fx_fail(call->err, FX_EMUTATE,
                       "unable to parse %s key, must be of type string, but %s found",
                       key, value_kind_name(&value));
    }
    *ret_text = value.string;
    return true;
}

/* Parses the user info as that of `proto://…@host`, as the library does. */
static bool join_user(struct template_call *call, struct fx_text userinfo,
                      struct fx_go_url *url) {
    struct fx_go_url with_user;
    struct value text;
    struct fx_buf *buf = run_scratch(call->run);
    if (userinfo.len == 0) {
        return true;
    }
    fx_buf_str(buf, "proto://");
    fx_buf_text(buf, userinfo);
    fx_buf_str(buf, "@host");
    if (!run_take_scratch(call->run, &text)) {
        return false;
    }
    if (!url_parse(call->run, text.string, &with_user)) {
        return fail_in(call, "userinfo in dict");
    }
    url->has_user = with_user.has_user;
    url->has_password = with_user.has_password;
    url->user = with_user.user;
    url->password = with_user.password;
    return true;
}

static bool call_url_join(struct template_call *call) {
    struct fx_go_url url = {.has_user = false};
    struct fx_text userinfo;
    if (!get(call, "scheme", &url.scheme) || !get(call, "host", &url.host) ||
        !get(call, "path", &url.path) || !get(call, "query", &url.query) ||
        !get(call, "opaque", &url.opaque) || !get(call, "fragment", &url.fragment) ||
        !get(call, "userinfo", &userinfo) || !join_user(call, userinfo, &url)) {
        return false;
    }
    fx_go_url_print(run_scratch(call->run), &url);
    return run_take_scratch(call->run, call->ret);
}

const struct function functions_urls[] = {
    FUNCTION("urlParse", call_url_parse, 8, STRING),
    FUNCTION("urlJoin", call_url_join, 8, MAP),
    {.name = NULL},
};
