/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/versions_fuzz.c - a version prints as itself; a normalized one
 * does not change when it is normalized again.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/semver.h"
#include "location/cel_library/versions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

static void check_normalized(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_semver version;
    struct fx_semver again;
    struct fx_buf once;
    struct fx_buf twice;
    fx_buf_init(&once, 0);
    fx_buf_init(&twice, 0);
    if (fx_cel_semver_normalize(&once, text, &err) &&
        fx_semver_parse(fx_buf_view(&once), &version, &err)) {
        assert(fx_cel_semver_normalize(&twice, fx_buf_view(&once), &err));
        assert(fx_semver_parse(fx_buf_view(&twice), &again, &err));
        assert(fx_semver_compare(&version, &again) == 0);
    } else {
        check_failure(&err);
    }
    fx_buf_finish(&once);
    fx_buf_finish(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    struct fx_semver version;
    check_normalized(text);
    if (!fx_semver_parse(text, &version, &err)) {
        check_failure(&err);
        return 0;
    }
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_semver_print(&buf, &version);
    assert(fx_text_equal(fx_buf_view(&buf), text));
    fx_buf_finish(&buf);
    return 0;
}
