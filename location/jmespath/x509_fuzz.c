/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_fuzz.c - any bytes as a certificate and as a request for one:
 * they are read, or there is a message; and the result can be written as JSON.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/jmespath/x509.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef bool reader(struct fx_text der, json_t **ret_value, struct fx_err *err);

static void check(reader *read, struct fx_text der) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    json_t *value = NULL;
    if (!read(der, &value, &err)) {
        assert(err.code == FX_EINVALID && err.msg[0] != '\0');
        return;
    }
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    assert(!buf.failed);
    fx_buf_finish(&buf);
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text der = {(const char *)data, size};
    check(x509_read_certificate, der);
    check(x509_read_request, der);
    return 0;
}
