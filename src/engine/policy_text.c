/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/policy_text.c - JSON text with sorted keys, so that equal policies have one
 * text.
 */
#include "engine/policy_text.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "value/json.h"

struct fx_policy_text {
    atomic_uint refs;
    size_t len;
    char bytes[];
};

struct fx_policy_text *fx_policy_text_create(const json_t *policy) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, policy, FX_JSON_COMPACT | FX_JSON_SORT_KEYS);
    struct fx_policy_text *text = buf.failed ? NULL : malloc(sizeof *text + buf.len);
    if (text != NULL) {
        atomic_init(&text->refs, 1);
        text->len = buf.len;
        memcpy(text->bytes, buf.data, buf.len);
    }
    fx_buf_finish(&buf);
    return text;
}

struct fx_policy_text *fx_policy_text_ref(struct fx_policy_text *text) {
    (void)atomic_fetch_add_explicit(&text->refs, 1, memory_order_relaxed);
    return text;
}

void fx_policy_text_unref(struct fx_policy_text *text) {
    if (text != NULL &&
        atomic_fetch_sub_explicit(&text->refs, 1, memory_order_acq_rel) == 1) {
        free(text);
    }
}

static struct fx_text text_of(const struct fx_policy_text *text) {
    return text == NULL ? FX_TEXT("") : (struct fx_text){text->bytes, text->len};
}

bool fx_policy_text_equal(const struct fx_policy_text *a,
                          const struct fx_policy_text *b) {
    return fx_text_equal(text_of(a), text_of(b));
}

json_t *fx_policy_text_read(const struct fx_policy_text *text) {
    struct fx_err err = FX_ERR_INIT;
    return text == NULL ? json_null() : fx_json_read(text_of(text), NULL, &err);
}
