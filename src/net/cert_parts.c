/* SPDX-License-Identifier: Apache-2.0
 *
 * net/cert_parts.c - names as an extension, dates.
 */
#include "net/cert_parts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define TAG_SEQUENCE 0x30
#define TAG_DNS_NAME 0x82 /* GeneralName [2], primitive */
#define TAG_ADDRESS  0x87 /* GeneralName [7], primitive */
#define MAX_NAME     253

size_t fx_cert_address(const char *text, unsigned char ret_bytes[16]) {
    if (inet_pton(AF_INET, text, ret_bytes) == 1) {
        return 4;
    }
    return inet_pton(AF_INET6, text, ret_bytes) == 1 ? 16 : 0;
}

/* Tag and length of a DER value; lengths here stay below 65536. */
static void write_head(struct fx_buf *der, unsigned char tag, size_t len) {
    fx_buf_char(der, (char)tag);
    if (len >= 256) {
        fx_buf_add(der, (const unsigned char[]){0x82, (unsigned char)(len >> 8)}, 2);
    } else if (len >= 128) {
        fx_buf_char(der, (char)0x81);
    }
    fx_buf_char(der, (char)(len & 0xff));
}

static bool is_host_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*";
    const size_t len = strlen(name);
    return len > 0 && len <= MAX_NAME && strspn(name, allowed) == len;
}

static bool write_name(const char *name, struct fx_buf *entries, struct fx_err *err) {
    unsigned char address[16];
    const size_t len = fx_cert_address(name, address);
    if (len > 0) {
        write_head(entries, TAG_ADDRESS, len);
        fx_buf_add(entries, address, len);
        return true;
    }
    if (!is_host_name(name)) {
        return fx_fail(err, FX_EINVALID, "`%.260s` is not a host name", name);
    }
    write_head(entries, TAG_DNS_NAME, strlen(name));
    fx_buf_str(entries, name);
    return true;
}

bool fx_cert_names_write(const char *const *names, size_t n_names, struct fx_buf *der,
                         struct fx_err *err) {
    struct fx_buf entries;
    fx_buf_init(&entries, UINT16_MAX);
    bool ok = n_names > 0 || fx_fail(err, FX_EINVALID, "a certificate needs a name");
    for (size_t i = 0; ok && i < n_names; i++) {
        ok = write_name(names[i], &entries, err);
    }
    if (ok) {
        write_head(der, TAG_SEQUENCE, entries.len);
        fx_buf_add(der, entries.data, entries.len);
        ok = (!entries.failed && !der->failed) || fx_fail_nomem(err);
    }
    fx_buf_finish(&entries);
    return ok;
}

void fx_cert_date(int64_t seconds, char out[FX_CERT_DATE]) {
    const time_t time = (time_t)seconds;
    struct tm utc = {0};
    (void)gmtime_r(&time, &utc);
    if (strftime(out, FX_CERT_DATE, "%Y%m%d%H%M%S", &utc) == 0) {
        out[0] = '\0';
    }
}
