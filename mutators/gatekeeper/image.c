/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image.c - splitting and joining image references.
 */
#include "mutators/gatekeeper/image.h"

/* The offset of the first of the two characters, or the text's length. */
static size_t find(struct fx_text text, char one, char other) {
    size_t at = 0;
    while (at < text.len && text.data[at] != one && text.data[at] != other) {
        at++;
    }
    return at;
}

static struct fx_text first(struct fx_text text, size_t len) {
    return (struct fx_text){text.data, len};
}

static struct fx_text behind(struct fx_text text, size_t len) {
    return (struct fx_text){len == 0 ? text.data : text.data + len, text.len - len};
}

/* Is what stands before the first `/` a domain? */
static bool is_domain(struct fx_text text) {
    return find(text, '.', ':') < text.len || fx_text_is(text, "localhost");
}

struct image fx_image_split(struct fx_text reference) {
    struct image image = {FX_TEXT(""), reference, FX_TEXT("")};
    const size_t slash = find(reference, '/', '/');
    if (slash < reference.len && is_domain(first(reference, slash))) {
        image.domain = first(reference, slash);
        image.path = behind(reference, slash + 1);
    }
    const size_t tag = find(image.path, ':', '@');
    image.tag = behind(image.path, tag);
    image.path = first(image.path, tag);
    return image;
}

static struct fx_text either(struct fx_text preferred, struct fx_text other) {
    return preferred.len > 0 ? preferred : other;
}

struct image fx_image_replace(struct image image, const struct image *parts) {
    return (struct image){
        .domain = either(parts->domain, image.domain),
        .path = either(parts->path, image.path),
        .tag = either(parts->tag, image.tag),
    };
}

bool fx_image_equal(const struct image *a, const struct image *b) {
    return fx_text_equal(a->domain, b->domain) && fx_text_equal(a->path, b->path) &&
           fx_text_equal(a->tag, b->tag);
}

void fx_image_print(struct fx_buf *buf, const struct image *image) {
    if (image->domain.len > 0) {
        fx_buf_text(buf, image->domain);
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, image->path);
    fx_buf_text(buf, image->tag);
}
