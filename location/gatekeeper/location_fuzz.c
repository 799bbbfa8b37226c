/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_fuzz.c - any text: either a reason with a span within it,
 * or a location that prints, parses back where its names allow it, and can be walked.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"
#include "value/equal.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char object_text[] =
    "{\"a\":{\"b\":{\"c\":1},\"l\":[{\"k\":\"v\",\"n\":1},{\"k\":5},{\"k\":\"v\"}]},"
    "\"l\":[{\"k\":\"v\"},7],\"s\":\"x\",\"z\":null}";

static json_t *object(void) {
    static struct fx_err err;
    json_t *value = fx_json_read(FX_TEXT(object_text), NULL, &err);
    assert(value != NULL);
    return value;
}

/* Does the name print so that it reads back? Only bare odd runes do not. */
static bool reads_back(struct fx_text name) {
    static const char quoted_if_any[] = "'\"\t\n \\*[]:.";
    bool quoted = name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9');
    bool word = true;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        quoted = quoted || memchr(quoted_if_any, c, sizeof quoted_if_any - 1) != NULL;
        word = word && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-');
    }
    return quoted || word;
}

static bool all_read_back(const struct fx_location *location) {
    for (size_t i = 0; i < location->n_steps; i++) {
        const json_t *value = location->steps[i].value;
        const struct fx_text text = {json_string_value(value), json_string_length(value)};
        if (!reads_back(location->steps[i].name) ||
            (json_is_string(value) && !reads_back(text))) {
            return false;
        }
    }
    return true;
}

static void check_print(const struct fx_location *location) {
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_location_print(&printed, location);
    assert(!printed.failed);
    struct fx_location *again = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok =
        fx_location_parse((struct fx_text){printed.data, printed.len}, &again, &err);
    if (all_read_back(location) && (ok || err.code != FX_ELIMIT)) {
        assert(ok && again->n_steps == location->n_steps &&
               fx_location_has_prefix(location, again));
    }
    fx_location_destroy(again);
    fx_buf_finish(&printed);
}

struct constant {
    json_t *value;
};

static bool set(const void *user, json_t *old, enum fx_write *ret_write,
                json_t **ret_value, struct fx_err *err) {
    (void)old;
    (void)err;
    *ret_write = FX_WRITE_SET;
    *ret_value = json_incref(((const struct constant *)user)->value);
    return true;
}

/* The object is written through a second reference: the first one's view stays. */
static void check_walk(const struct fx_location *location) {
    json_t *before = object();
    json_t *root = json_incref(before);
    const struct constant constant = {json_object_get(before, "z")};
    const struct fx_setter setter = {set, &constant};
    struct fx_written written = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_location_write(location, NULL, &setter, &root, &written, &err)) {
        assert(written.changed != fx_equal(root, before));
        assert(written.changed || root == before);
    } else {
        assert(err.code == FX_EMUTATE && err.msg[0] != '\0');
    }
    json_t *untouched = object();
    assert(fx_equal(before, untouched));
    json_decref(untouched);
    json_decref(root);
    json_decref(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_location *location = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text text = {(const char *)data, size};
    if (!fx_location_parse(text, &location, &err)) {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        assert(err.len == 0 || err.off + err.len <= size + 1);
        return 0;
    }
    check_print(location);
    check_walk(location);
    fx_location_destroy(location);
    return 0;
}
