/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_images.c - image("ghcr.io/org/app:1.2") and the parts of a reference.
 */
#include "location/cel_library/kyverno.h"

#include "base/image_reference.h"
#include "location/cel_library/functions.h"
#include "location/cel_library/types.h"

static FX_CEL_OPAQUE_TYPE(image_type, "kyverno.Image");

static bool is_same(const void *a, const void *b) {
    const struct fx_image_reference *one = a;
    const struct fx_image_reference *other = b;
    return fx_text_equal(one->registry, other->registry) &&
           fx_text_equal(one->path, other->path) && fx_text_equal(one->tag, other->tag) &&
           fx_text_equal(one->digest, other->digest);
}

static void print(const void *self, struct fx_buf *buf) {
    fx_image_reference_print(buf, self);
}

static const struct fx_cel_opaque_ops image_ops = {
    .type = &image_type, .equal = is_same, .unhashable = "cel.Image", .print = print};

/* Reads a reference. Errors, in run->err: FX_EMUTATE if it is invalid; FX_EDEADLINE,
 * FX_ELIMIT. */
static bool read_image(struct fx_cel_run *run, struct fx_text text,
                       struct fx_image_reference *ret_image) {
    if (!fx_cel_spend_text(run, text)) {
        return false;
    }
    if (fx_image_reference_parse(text, ret_image, run->err)) {
        return true;
    }
    run->err->code = FX_EMUTATE;
    return false;
}

static struct fx_cel_value call_image(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    struct fx_image_reference *image = fx_arena_alloc(run->arena, sizeof *image);
    if (image == NULL) {
        return fx_cel_no_memory(run);
    }
    return read_image(run, args[0].text, image) ? fx_cel_make_opaque(&image_ops, image)
                                                : fx_cel_fail_read(run);
}

static struct fx_cel_value call_is_image(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    struct fx_image_reference image;
    return fx_cel_make_readable(run, read_image(run, args[0].text, &image));
}

/* ---- parts --------------------------------------------------------------------------
 */

static const struct fx_image_reference *image_of(const struct fx_cel_value *args) {
    return args[0].opaque.data;
}

static struct fx_cel_value registry(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(image_of(args)->registry);
}

static struct fx_cel_value repository(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(image_of(args)->path);
}

static struct fx_cel_value tag(struct fx_cel_run *run, const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(image_of(args)->tag);
}

static struct fx_cel_value digest(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_string(image_of(args)->digest);
}

/* The digest, or else the tag. */
static struct fx_cel_value identifier(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    return image_of(args)->digest.len > 0 ? digest(run, args) : tag(run, args);
}

static struct fx_cel_value contains_digest(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(image_of(args)->digest.len > 0);
}

#define PART(name_, call_)          \
    {                               \
        .function = (name_),        \
        FX_CEL_METHOD(&image_type), \
        .result = &fx_cel_string,   \
        .call = (call_),            \
    }

const struct fx_cel_overload fx_cel_kyverno_images[] = {
    {.function = "image",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &image_type,
     .call = call_image,
     .cost = fx_cel_cost_text},
    {.function = "isImage",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_image,
     .cost = fx_cel_cost_text},
    PART("registry", registry),
    PART("repository", repository),
    PART("identifier", identifier),
    PART("tag", tag),
    PART("digest", digest),
    {.function = "containsDigest",
     FX_CEL_METHOD(&image_type),
     .result = &fx_cel_bool,
     .call = contains_digest},
    {.function = NULL},
};
