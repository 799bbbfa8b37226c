/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_values.c - the values of which a decoded certificate consists.
 */
#include "base/base64.h"
#include "base/budget.h"
#include "base/buf.h"
#include "location/jmespath/x509.h"
#include "value/tree.h"

bool x509_fail(struct x509_run *run, const char *what) {
    return fx_fail(run->err, FX_EINVALID, "invalid certificate: %s", what);
}

/* ---- members ----------------------------------------------------------------------- */

void x509_set(struct x509_run *run, json_t *object, const char *name, json_t *value) {
    run->failed |= !fx_tree_set_take(object, fx_text_of(name), value);
}

void x509_set_integer(struct x509_run *run, const char *name, int64_t integer) {
    x509_set(run, run->object, name, json_integer(integer));
}

void x509_set_boolean(struct x509_run *run, const char *name, bool truth) {
    x509_set(run, run->object, name, json_boolean(truth));
}

void x509_set_null(struct x509_run *run, const char *name) {
    x509_set(run, run->object, name, json_null());
}

void x509_set_bytes(struct x509_run *run, const char *name, struct fx_text bytes) {
    x509_set(run, run->object, name,
             bytes.data == NULL ? json_null() : x509_base64(bytes));
}

void x509_append(struct x509_run *run, json_t *object, const char *name, json_t *value) {
    json_t *list = fx_tree_view_key(object, name);
    if (!json_is_array(list)) {
        x509_set(run, object, name, json_array());
        list = fx_tree_view_key(object, name);
    }
    run->failed |= !fx_tree_append_take(list, value);
}

/* ---- values ------------------------------------------------------------------------ */

static json_t *take_string(struct fx_buf *buf) {
    json_t *string = buf->failed ? NULL : fx_tree_new_string(fx_buf_view(buf));
    fx_buf_finish(buf);
    return string;
}

json_t *x509_base64(struct fx_text bytes) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_base64_encode(&buf, bytes);
    return take_string(&buf);
}

json_t *x509_string(struct fx_text bytes) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_text_repair(&buf, bytes);
    return take_string(&buf);
}

/* ---- object identifiers ------------------------------------------------------------ */

bool x509_oid_text(struct fx_text content, json_t **ret_text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (!fx_der_oid_print(&buf, content)) {
        fx_buf_finish(&buf);
        return false;
    }
    *ret_text = take_string(&buf);
    return true;
}

/* Appends the numbers of a text such as "2.5.4.3". */
static json_t *list_of(struct fx_text text) {
    json_t *list = json_array();
    bool ok = list != NULL;
    while (ok && text.len > 0) {
        const struct fx_text digits = fx_text_cut(&text, '.');
        int64_t number = 0;
        for (size_t i = 0; i < digits.len; i++) {
            number = number * 10 + (int64_t)fx_digit_of(digits.data[i]);
        }
        ok = fx_tree_append_take(list, json_integer(number));
    }
    return fx_tree_keep_if(ok, list);
}

bool x509_oid_list(struct fx_text content, json_t **ret_list) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    const bool is_oid = fx_der_oid_print(&buf, content);
    *ret_list = is_oid && !buf.failed ? list_of(fx_buf_view(&buf)) : NULL;
    fx_buf_finish(&buf);
    return is_oid;
}

/* ---- integers ---------------------------------------------------------------------- */

#define MOST_INTEGER_BYTES 2048u /* 16384 bits: twice what Go accepts for RSA */
#define LIMB               UINT32_C(1000000000)
#define LIMBS              (MOST_INTEGER_BYTES * 8 / 29) /* each holds at least 29 bits */

/* limbs = limbs × 256 + byte */
static void push_byte(uint32_t *limbs, size_t *n, unsigned byte) {
    uint64_t carry = byte;
    for (size_t i = 0; i < *n; i++) {
        carry += (uint64_t)limbs[i] * 256;
        limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    if (carry > 0) {
        limbs[(*n)++] = (uint32_t)carry;
    }
}

/* Negative numbers are those of their complement, less one. */
bool x509_integer_text(struct fx_text content, struct fx_buf *buf) {
    uint32_t limbs[LIMBS + 1];
    size_t n = 0;
    const bool is_negative =
        content.len > 0 && ((unsigned char)content.data[0] & 0x80) != 0;
    if (content.len == 0 || content.len > MOST_INTEGER_BYTES ||
        !fx_spend(content.len * content.len / 32)) {
        return false;
    }
    for (size_t i = 0; i < content.len; i++) {
        const unsigned byte = (unsigned char)content.data[i];
        push_byte(limbs, &n, is_negative ? ~byte & 0xFF : byte);
    }
    if (is_negative) { /* adds one: the complement's last byte may be 0xFF, so with carry
                        */
        uint64_t carry = 1;
        for (size_t i = 0; i < n && carry > 0; i++) {
            carry += limbs[i];
            limbs[i] = (uint32_t)(carry % LIMB);
            carry /= LIMB;
        }
        if (carry > 0) {
            limbs[n++] = (uint32_t)carry;
        }
    }
    fx_buf_str(buf, is_negative ? "-" : "");
    fx_buf_number(buf, n == 0 ? 0 : limbs[n - 1]);
    for (size_t i = n; i > 1; i--) {
        fx_buf_padded(buf, limbs[i - 2], 9);
    }
    return true;
}
