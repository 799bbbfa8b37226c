/* SPDX-License-Identifier: Apache-2.0
 *
 * base/image_reference_fuzz.c - the reference of an image. Its parts are within it, and
 * what is printed is a reference with the same parts.
 */
#include <assert.h>
#include <stdint.h>

#include "base/image_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printed(const struct fx_image_reference *image) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    struct fx_image_reference again;
    fx_buf_init(&buf, 0);
    fx_image_reference_print(&buf, image);
    if (image->registry.len > 0) {
        assert(fx_image_reference_parse(fx_buf_view(&buf), &again, &err));
        assert(fx_text_equal(again.registry, image->registry));
        assert(fx_text_equal(again.path, image->path));
        assert(fx_text_equal(again.name, image->name));
        assert(fx_text_equal(again.digest, image->digest));
        assert(image->digest.len > 0 || fx_text_equal(again.tag, image->tag));
    }
    fx_buf_finish(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_image_reference image;
    const struct fx_text reference = {(const char *)data, size};
    if (fx_image_reference_parse(reference, &image, &err)) {
        assert(fx_text_ends(image.path, image.name) && image.name.len > 0);
        assert(image.tag.len > 0 || image.digest.len > 0);
        check_printed(&image);
    } else {
        assert(err.code == FX_EINVALID);
    }
    return 0;
}
