/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/execute_fuzz.c - a template, and on the last line the object: the
 * execution ends, the object is unchanged, and a second execution gives the same.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/limits.h"
#include "location/sprig/sprig.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the last line begins. */
static size_t last_line(const uint8_t *data, size_t size) {
    size_t at = size;
    while (at > 0 && data[at - 1] != '\n') {
        at--;
    }
    return at;
}

struct outcome {
    bool ok;
    struct fx_buf text;
    struct fx_err err;
};

static void execute(const struct fx_gotemplate *template, json_t *target, json_t *parts,
                    struct outcome *ret_outcome) {
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Target"), target, false},
        {FX_TEXT("SelectKeyParts"), parts, true},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    fx_err_reset(&ret_outcome->err);
    fx_buf_init(&ret_outcome->text, 0);
    ret_outcome->ok =
        fx_gotemplate_execute(template, &context, &ret_outcome->text, &ret_outcome->err);
}

static void check_outcome(const struct outcome *outcome, size_t source_len) {
    const struct fx_err *err = &outcome->err;
    assert(outcome->text.len <= FX_LIMIT_TEMPLATE_OUTPUT_BYTES);
    if (!outcome->ok) {
        assert(err->code == FX_EMUTATE || err->code == FX_ELIMIT);
        assert(strncmp(err->msg, "template: fuzz:", strlen("template: fuzz:")) == 0);
        assert(err->off + err->len <= source_len);
        assert(outcome->text.len == 0);
    }
}

static void check_template(const struct fx_gotemplate *template, size_t source_len,
                           json_t *target) {
    static struct outcome outcomes[2]; /* errors are large */
    json_t *before = fx_tree_deep_copy(target);
    json_t *parts = json_pack("[i, s]", 0, "k");
    for (size_t i = 0; i < FX_COUNT(outcomes); i++) {
        execute(template, target, parts, &outcomes[i]);
        check_outcome(&outcomes[i], source_len);
    }
    assert(json_equal(before, target) || target == NULL);
    assert(outcomes[0].ok == outcomes[1].ok);
    assert(strcmp(outcomes[0].err.msg, outcomes[1].err.msg) == 0);
    assert(outcomes[0].text.len == outcomes[1].text.len);
    assert(outcomes[0].text.len == 0 ||
           memcmp(outcomes[0].text.data, outcomes[1].text.data, outcomes[0].text.len) ==
               0);
    fx_buf_finish(&outcomes[0].text);
    fx_buf_finish(&outcomes[1].text);
    json_decref(parts);
    json_decref(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t split = last_line(data, size);
    struct fx_gotemplate *template = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text source = {(const char *)data, split};
    if (fx_gotemplate_compile(FX_TEXT("fuzz"), source, &fx_sprig, &template, &err)) {
        json_t *target = json_loadb((const char *)data + split, size - split,
                                    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        check_template(template, split, target);
        json_decref(target);
    }
    fx_gotemplate_destroy(template);
    return 0;
}
