/* SPDX-License-Identifier: Apache-2.0
 *
 * urls.c - url(), isURL() and the parts of URLs.
 */
#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"
#include "location/go/url.h"

FX_CEL_OPAQUE_TYPE(fx_cel_url, "kubernetes.URL");

/* ---- the values -------------------------------------------------------------------- */

struct url_value {
    struct fx_go_url url;
    struct fx_text text; /* as Go writes it: equal texts are equal URLs */
};

static bool url_equal(const void *left, const void *right) {
    const struct url_value *a = left;
    const struct url_value *b = right;
    return fx_text_equal(a->text, b->text);
}

static void url_print(const void *self, struct fx_buf *buf) {
    const struct url_value *value = self;
    fx_buf_text(buf, value->text);
}

static const struct fx_cel_opaque_ops url_ops = {
    .type = &fx_cel_url,
    .equal = url_equal,
    .print = url_print,
};

static const struct fx_go_url *url_of(struct fx_cel_value value) {
    const struct url_value *url = value.opaque.data;
    return &url->url;
}

/* Is it what url() accepts? Errors, in run->err: FX_EMUTATE with Go's message, FX_ENOMEM,
 * FX_EDEADLINE, FX_ELIMIT. */
static bool check(struct fx_cel_run *run, struct fx_text text) {
    return fx_cel_spend_text(run, text) && fx_go_url_check_request(text, run->err);
}

/* Kubernetes reads the text twice: only url.ParseRequestURI refuses relative URLs, only
 * url.Parse knows fragments. */
static bool read_url(struct fx_cel_run *run, struct fx_text text, struct url_value *url) {
    struct fx_buf buf;
    char *room = fx_arena_alloc(run->arena, text.len);
    if (room == NULL) {
        return fx_fail_nomem(run->err);
    }
    if (!check(run, text) || !fx_go_url_parse(text, room, &url->url, run->err)) {
        return false;
    }
    fx_buf_init(&buf, 0);
    fx_go_url_print(&buf, &url->url);
    const char *copy = buf.failed ? NULL : fx_arena_copy(run->arena, fx_buf_view(&buf));
    url->text = (struct fx_text){copy, buf.len};
    fx_buf_finish(&buf);
    return copy != NULL || fx_fail_nomem(run->err);
}

/* ---- the functions ----------------------------------------------------------------- */

static struct fx_cel_value call_url(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    struct url_value *url = fx_arena_alloc(run->arena, sizeof *url);
    if (url == NULL) {
        return fx_cel_no_memory(run);
    }
    if (read_url(run, args[0].text, url)) {
        return fx_cel_make_opaque(&url_ops, url);
    }
    if (run->err->code == FX_EMUTATE) {
        (void)fx_err_prefix(run->err, "URL parse error during conversion from string: ");
    }
    return fx_cel_fail_read(run);
}

static struct fx_cel_value call_is_url(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return fx_cel_make_readable(run, check(run, args[0].text));
}

static struct fx_cel_value call_scheme(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(url_of(args[0])->scheme);
}

static struct fx_cel_value call_host(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    return fx_cel_make_valid_string(run, url_of(args[0])->host);
}

static struct fx_cel_value call_hostname(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    return fx_cel_make_valid_string(run, fx_go_url_hostname(url_of(args[0])));
}

static struct fx_cel_value call_port(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(fx_go_url_port(url_of(args[0])));
}

static struct fx_cel_value call_escaped_path(struct fx_cel_run *run,
                                             const struct fx_cel_value *args) {
    const struct fx_go_url *url = url_of(args[0]);
    struct fx_buf buf;
    if (!fx_cel_spend_text(run, url->path)) {
        return fx_cel_fatal(run);
    }
    fx_buf_init(&buf, 0);
    fx_go_url_print_path(&buf, url);
    return fx_cel_take_buf(run, &buf);
}

/* ---- the query --------------------------------------------------------------------- */

/* Decodes a name or value of the query. UNSET: an escape is invalid. */
static struct fx_cel_value decode(struct fx_cel_run *run, struct fx_text text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (!fx_go_url_unescape_query(&buf, text)) {
        fx_buf_finish(&buf);
        return (struct fx_cel_value){.kind = FX_CEL_UNSET};
    }
    const struct fx_cel_value string = fx_cel_take_buf(run, &buf);
    return string.kind == FX_CEL_STRING ? fx_cel_make_valid_string(run, string.text)
                                        : string;
}

/* Adds the value to the list of values with this name. */
static bool add_value(struct fx_cel_run *run, struct fx_cel_value query,
                      struct fx_cel_value name, struct fx_cel_value value) {
    struct fx_cel_value values;
    if (fx_cel_map_find(query, name, &values)) {
        return fx_cel_list_add(run, values, value);
    }
    values = fx_cel_new_list(run, 1);
    if (values.kind != FX_CEL_LIST) {
        return false;
    }
    values.flags |= FX_CEL_NATIVE;
    return fx_cel_list_add(run, values, value) &&
           fx_cel_map_set(run, query, name, values);
}

/* A parameter that Go cannot read is not there. */
static bool add_parameter(struct fx_cel_run *run, struct fx_cel_value query,
                          struct fx_text parameter) {
    if (parameter.len == 0 || fx_text_contains(parameter, FX_TEXT(";"))) {
        return true;
    }
    const struct fx_cel_value name = decode(run, fx_text_cut(&parameter, '='));
    const struct fx_cel_value value = decode(run, parameter);
    if (name.kind == FX_CEL_UNSET || value.kind == FX_CEL_UNSET) {
        return true;
    }
    return name.kind == FX_CEL_STRING && value.kind == FX_CEL_STRING &&
           add_value(run, query, name, value);
}

static struct fx_cel_value call_query(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    struct fx_text rest = url_of(args[0])->query;
    struct fx_cel_value query = fx_cel_new_map(run, 0);
    if (query.kind != FX_CEL_MAP) {
        return query;
    }
    query.flags |= FX_CEL_NATIVE;
    while (rest.len > 0) {
        const struct fx_text parameter = fx_text_cut(&rest, '&');
        if (!fx_cel_spend_text(run, parameter)) {
            return fx_cel_fatal(run);
        }
        if (!add_parameter(run, query, parameter)) {
            return fx_cel_no_memory(run);
        }
    }
    return query;
}

/* ---- the overloads ----------------------------------------------------------------- */

#define PART(name, result_, call_) \
    {.function = (name), FX_CEL_METHOD(&fx_cel_url), .result = (result_), .call = (call_)}

const struct fx_cel_overload fx_cel_urls[] = {
    {.function = "url",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_url,
     .call = call_url,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "isURL",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_url},
    PART("getScheme", &fx_cel_string, call_scheme),
    PART("getHost", &fx_cel_string, call_host),
    PART("getHostname", &fx_cel_string, call_hostname),
    PART("getPort", &fx_cel_string, call_port),
    PART("getEscapedPath", &fx_cel_string, call_escaped_path),
    PART("getQuery", &fx_cel_map_string_list_string, call_query),
    {.function = NULL},
};
