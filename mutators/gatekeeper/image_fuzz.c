/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_fuzz.c - three parts and a reference, a line each: whatever
 * the reference is, it prints as it was, and sound parts settle in it.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mutators/gatekeeper/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes the next line off the text. */
static struct fx_text next_line(struct fx_text *rest) {
    const char *end = rest->len > 0 ? memchr(rest->data, '\n', rest->len) : NULL;
    struct fx_text line = *rest;
    if (end != NULL) {
        line.len = (size_t)(end - rest->data);
        *rest = (struct fx_text){end + 1, rest->len - line.len - 1};
    } else {
        *rest = (struct fx_text){rest->data, 0};
    }
    return line;
}

static struct fx_text printed(struct fx_buf *buf, const struct image *image) {
    fx_buf_reset(buf);
    fx_buf_str(buf, "");
    fx_image_print(buf, image);
    assert(!buf->failed);
    return (struct fx_text){buf->data, buf->len};
}

/* As a policy is checked. */
static bool are_sound(const struct image *parts) {
    const bool formed = (parts->domain.len == 0 || fx_image_is_domain(parts->domain)) &&
                        (parts->path.len == 0 || fx_image_is_path(parts->path)) &&
                        (parts->tag.len == 0 || fx_image_is_tag(parts->tag));
    return formed &&
           (parts->domain.len > 0 || fx_image_split(parts->path).domain.len == 0);
}

/* Spec section 3.5: a second application may change the reference, since its first `/`
 * was in the tag; a third one never does. With a domain the first one settles it. */
static void check_replace(struct fx_text reference, const struct image *parts) {
    struct fx_buf bufs[3];
    struct fx_text text = reference;
    for (size_t i = 0; i < 3; i++) {
        fx_buf_init(&bufs[i], 0);
        const struct image before = fx_image_split(text);
        const struct image after = fx_image_replace(before, parts);
        const struct fx_text next = printed(&bufs[i], &after);
        const bool equal = fx_image_equal(&before, &after);
        assert(!equal || fx_text_equal(text, next));
        assert(equal || i == 0 || (i == 1 && parts->domain.len == 0));
        text = next;
    }
    const struct image settled = fx_image_split(text);
    assert(parts->domain.len == 0 || fx_text_equal(settled.domain, parts->domain));
    assert(parts->path.len == 0 || fx_text_equal(settled.path, parts->path));
    for (size_t i = 0; i < 3; i++) {
        fx_buf_finish(&bufs[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_text rest = {(const char *)data, size};
    struct image parts = {0};
    parts.domain = next_line(&rest);
    parts.path = next_line(&rest);
    parts.tag = next_line(&rest);

    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    const struct image image = fx_image_split(rest);
    assert(fx_text_equal(printed(&buf, &image), rest));
    if (are_sound(&parts)) {
        check_replace(rest, &parts);
    }
    fx_buf_finish(&buf);
    return 0;
}
