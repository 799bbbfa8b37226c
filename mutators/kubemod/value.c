/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/value.c - the value of an operation. A text that is not a template is
 * read once, when the rule is compiled.
 */
#include "mutators/kubemod/value.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "location/sprig/sprig.h"
#include "mutators/kubemod/select_path.h"
#include "value/tree.h"
#include "value/yaml.h"

void fx_patch_value_finish(struct patch_value *value) {
    json_decref(value->constant);
    fx_gotemplate_destroy(value->template);
    *value = (struct patch_value){0};
}

json_t *fx_patch_value_read(struct fx_text yaml, struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(yaml);
    json_t *document = NULL;
    if (reader == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    const bool ok = fx_yaml_next(reader, NULL, &document, err);
    fx_yaml_close(reader);
    if (!ok) {
        /* The text is generated, so its spans have no meaning in the policy. */
        err->code = err->code == FX_ENOMEM ? FX_ENOMEM : FX_EMUTATE;
        err->off = 0;
        err->len = 0;
        return NULL;
    }
    return document == NULL ? json_null() : document;
}

static bool compile_template(struct fx_text name, struct fx_text text,
                             struct patch_value *value, struct fx_err *err) {
    struct fx_buf rewritten;
    fx_buf_init(&rewritten, 0);
    fx_select_path_rewrite(&rewritten, text);
    const struct fx_text whole = {rewritten.data, rewritten.len};
    const bool ok = rewritten.failed ? fx_fail_nomem(err)
                                     : fx_gotemplate_compile(name, whole, &fx_sprig,
                                                             &value->template, err);
    if (!ok && rewritten.len != text.len) {
        err->off = 0; /* the span is within the rewritten text */
        err->len = 0;
    }
    fx_buf_finish(&rewritten);
    return ok;
}

static bool is_plain(struct fx_text text) {
    return !fx_text_contains(text, FX_TEXT("{{")) &&
           !fx_text_contains(text, FX_TEXT(".#"));
}

/* Returns the weight of a value. The limits of YAML bound the recursion and the sum. */
static size_t weigh(json_t *value) {
    size_t weight = 1 + json_string_length(value);
    const char *key = NULL;
    json_t *child = NULL;
    json_object_foreach (value, key, child) {
        weight += strlen(key) + weigh(child);
    }
    size_t index = 0;
    json_array_foreach (value, index, child) {
        weight += weigh(child);
    }
    return weight;
}

bool fx_patch_value_compile(struct fx_text name, const json_t *text,
                            struct patch_value *ret_value, struct fx_err *err) {
    if (text == NULL) {
        ret_value->constant = json_null();
        return true;
    }
    const struct fx_text source = fx_tree_text(text);
    if (is_plain(source)) {
        struct fx_err fault = FX_ERR_INIT;
        ret_value->constant = fx_patch_value_read(source, &fault);
        if (ret_value->constant != NULL) {
            ret_value->weight = weigh(ret_value->constant);
            return true;
        }
        if (fault.code == FX_ENOMEM) {
            return fx_fail_nomem(err);
        }
    }
    return compile_template(name, source, ret_value, err);
}

/* Subtracts the weight from the bytes that may be written. */
static bool charge_weight(size_t weight, size_t *bytes_left, struct fx_err *err) {
    if (weight > *bytes_left) {
        return fx_fail(err, FX_ELIMIT, "it writes more than it may, %zu bytes too many",
                       weight - *bytes_left);
    }
    *bytes_left -= weight;
    return true;
}

json_t *fx_patch_value_repeat(const struct patch_value *value, size_t *bytes_left,
                              struct fx_err *err) {
    return charge_weight(value->weight, bytes_left, err) ? json_incref(value->constant)
                                                         : NULL;
}

/* Reads the text, and charges for it. */
static json_t *read_charged(const struct fx_buf *text, size_t *bytes_left,
                            struct fx_err *err) {
    if (text->failed) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    if (!charge_weight(text->len, bytes_left, err)) {
        return NULL;
    }
    json_t *result = fx_patch_value_read(fx_buf_view(text), err);
    const size_t weight = result == NULL ? 0 : weigh(result);
    if (weight > text->len && !charge_weight(weight - text->len, bytes_left, err)) {
        json_decref(result);
        return NULL;
    }
    return result;
}

json_t *fx_patch_value_eval(const struct patch_value *value,
                            const struct fx_gotemplate_context *context,
                            size_t *bytes_left, struct fx_err *err) {
    if (value->constant != NULL) {
        return fx_patch_value_repeat(value, bytes_left, err);
    }
    struct fx_buf text;
    json_t *result = NULL;
    fx_buf_init(&text, 0);
    if (fx_gotemplate_execute(value->template, context, &text, err)) {
        result = read_charged(&text, bytes_left, err);
    }
    fx_buf_finish(&text);
    return result;
}
