/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver_fuzz.c - a constraint, and behind the first line end a
 * version: a version prints as one that is equal to it, and meets the constraint that
 * names it; a constraint `or` itself says the same.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "location/gotemplate/value.h"
#include "location/sprig/semver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

static void check_version(const struct semantic_version *version) {
    struct fx_err err = FX_ERR_INIT;
    struct semantic_version again;
    bool meets = false;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_char(&buf, '=');
    version_print(&buf, version);
    const struct fx_text constraint = {buf.data, buf.len};
    assert(version_parse((struct fx_text){buf.data + 1, buf.len - 1}, &again, &err));
    assert(version_compare(version, &again) == 0);
    assert(version_check(version, constraint, &meets, &err) && meets);
    fx_buf_finish(&buf);
}

static void check_twice(const struct semantic_version *version, struct fx_text constraint,
                        bool meets) {
    struct fx_err err = FX_ERR_INIT;
    bool again = !meets;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_text(&buf, constraint);
    fx_buf_str(&buf, " || ");
    fx_buf_text(&buf, constraint);
    const struct fx_text both = {buf.data, buf.len};
    assert(version_check(version, both, &again, &err) && again == meets);
    fx_buf_finish(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(text, '\n', size);
    if (line == NULL) {
        return 0;
    }
    const struct fx_text constraint = {text, (size_t)(line - text)};
    struct fx_err err = FX_ERR_INIT;
    struct semantic_version version = {.major = 1};
    if (version_parse((struct fx_text){line + 1, size - constraint.len - 1}, &version,
                      &err)) {
        check_version(&version);
    } else {
        check_failure(&err);
    }
    bool meets = false;
    fx_err_reset(&err);
    if (version_check(&version, constraint, &meets, &err)) {
        check_twice(&version, constraint, meets);
    } else {
        check_failure(&err);
    }
    return 0;
}
