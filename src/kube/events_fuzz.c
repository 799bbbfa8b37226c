/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/events_fuzz.c - the bytes of a watch: at once, byte by byte, and in pieces whose
 * sizes the input says, they are the same events and the same end.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "kube/events.h"
#include "kube/object.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_LINE 4096u

struct outcome {
    struct fx_buf reported;
    enum fx_code code;
    bool ok;
};

static bool on_event(enum fx_kube_event event, json_t *object, void *user,
                     struct fx_err *err) {
    static const struct fx_kube_resource resource = {"", "v1", "namespaces", "Namespace"};
    struct outcome *outcome = user;
    struct fx_kube_identity identity;
    struct fx_kube_type_meta kind;
    (void)err;
    assert(json_is_object(object));
    fx_buf_printf(&outcome->reported, "%d ", (int)event);
    if (fx_kube_object_identify(object, &identity)) {
        assert(identity.name.len > 0 && identity.version.len > 0);
        assert(memchr(identity.name.data, '/', identity.name.len) == NULL);
        assert(fx_kube_type_meta_init(&kind, &resource));
        assert(fx_kube_object_strip(object, &kind, outcome->reported.len % 2 == 0));
        fx_kube_type_meta_finish(&kind);
    }
    fx_json_write(&outcome->reported, object, FX_JSON_COMPACT);
    return true;
}

/* In pieces: one byte each; or all; or as many as the bytes themselves say. */
static void run(struct fx_text bytes, int way, struct outcome *ret_outcome) {
    struct fx_kube_events events;
    struct fx_err err = FX_ERR_INIT;
    bool ok = true;
    *ret_outcome = (struct outcome){0};
    fx_kube_events_init(&events, MAX_LINE, true, on_event, ret_outcome);
    while (ok && bytes.len > 0) {
        const size_t wanted = way == 0   ? bytes.len
                              : way == 1 ? 1
                                         : (size_t)(uint8_t)bytes.data[0] + 1;
        const size_t len = wanted < bytes.len ? wanted : bytes.len;
        ok = fx_kube_events_feed(&events, (struct fx_text){bytes.data, len}, &err);
        bytes = (struct fx_text){bytes.data + len, bytes.len - len};
    }
    ret_outcome->ok = ok && fx_kube_events_end(&events, &err);
    ret_outcome->code = ret_outcome->ok ? FX_OK : err.code;
    assert(ret_outcome->ok || err.msg[0] != '\0');
    fx_kube_events_finish(&events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct outcome outcomes[3];
    const struct fx_text bytes = {(const char *)data, size};
    for (int way = 0; way < 3; way++) {
        run(bytes, way, &outcomes[way]);
        assert(outcomes[way].ok == outcomes[0].ok);
        assert(outcomes[way].code == outcomes[0].code);
        assert(outcomes[way].reported.len == outcomes[0].reported.len);
        assert(outcomes[way].reported.len == 0 ||
               memcmp(outcomes[way].reported.data, outcomes[0].reported.data,
                      outcomes[0].reported.len) == 0);
    }
    for (int way = 0; way < 3; way++) {
        fx_buf_finish(&outcomes[way].reported);
    }
    return 0;
}
