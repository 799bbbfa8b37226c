/* SPDX-License-Identifier: Apache-2.0
 *
 * images.c - finds the images of an object, and splits their references.
 */
#include "images.h"

#include "base/budget.h"
#include "base/image_reference.h"
#include "base/limits.h"
#include "images_extractor.h"
#include "value/pointer.h"
#include "value/tree.h"

/* One extractor on its way through an object. */
struct images_walk {
    const struct kyverno_extractor *extractor;
    struct fx_buf pointer; /* to the value that is visited */
    json_t *found;         /* the images so far, by their keys */
    struct fx_err *err;
};

/* ---- where the known kinds have images -----------------------------------------------
 */

static const struct {
    const char *kind;
    const char *pod; /* a pointer to the spec of the Pods */
} image_kinds[] = {
    {"Pod", "/spec"},
    {"DaemonSet", "/spec/template/spec"},
    {"Deployment", "/spec/template/spec"},
    {"Job", "/spec/template/spec"},
    {"StatefulSet", "/spec/template/spec"},
    {"ReplicaSet", "/spec/template/spec"},
    {"ReplicationController", "/spec/template/spec"},
    {"CronJob", "/spec/jobTemplate/spec/template/spec"},
};

static const char *const image_lists[] = {"initContainers", "containers",
                                          "ephemeralContainers"};

/* ---- one image -----------------------------------------------------------------------
 */

static bool set_text(const struct images_walk *walk, json_t *image, const char *key,
                     struct fx_text text) {
    return text.len == 0 ||
           fx_tree_set_take(image, fx_text_of(key), fx_tree_new_string(text)) ||
           fx_fail_nomem(walk->err);
}

static bool set_buf(const struct images_walk *walk, json_t *image, const char *key,
                    struct fx_buf *buf) {
    const bool ok = buf->failed ? fx_fail_nomem(walk->err)
                                : set_text(walk, image, key, fx_buf_view(buf));
    fx_buf_finish(buf);
    return ok;
}

/* `reference` has the digest if there is one, `referenceWithTag` always the tag. */
static bool set_references(const struct images_walk *walk,
                           const struct fx_image_reference *parsed, json_t *image) {
    struct fx_buf reference;
    struct fx_buf tagged;
    struct fx_image_reference without_digest = *parsed;
    without_digest.digest = FX_TEXT("");
    fx_buf_init(&reference, 0);
    fx_buf_init(&tagged, 0);
    fx_image_reference_print(&reference, parsed);
    fx_image_reference_print(&tagged, &without_digest);
    const bool ok = set_buf(walk, image, "reference", &reference);
    return set_buf(walk, image, "referenceWithTag", &tagged) && ok;
}

static json_t *create_image(const struct images_walk *walk, struct fx_text reference,
                            struct fx_text pointer) {
    struct fx_image_reference parsed;
    if (!fx_spend(8) || !fx_spend_text(reference.len)) {
        (void)fx_fail_exceeded(walk->err);
        return NULL;
    }
    if (!fx_image_reference_parse(reference, &parsed, walk->err)) {
        walk->err->code = FX_EMUTATE;
        (void)fx_err_prefix(walk->err, "invalid image '%.*s': ", FX_TEXT_ARG(reference));
        return NULL;
    }
    json_t *image = json_object();
    const bool ok = (image != NULL || fx_fail_nomem(walk->err)) &&
                    set_text(walk, image, "registry", parsed.registry) &&
                    set_text(walk, image, "name", parsed.name) &&
                    set_text(walk, image, "path", parsed.path) &&
                    set_text(walk, image, "tag", parsed.tag) &&
                    set_text(walk, image, "digest", parsed.digest) &&
                    set_references(walk, &parsed, image) &&
                    set_text(walk, image, "jsonPointer", pointer);
    return fx_tree_keep_if(ok, image);
}

/* The reference that the query of an extractor makes of a text: a new reference to a
 * string. */
static json_t *query_text(const struct images_walk *walk, json_t *text) {
    json_t *made = NULL;
    if (walk->extractor->query == NULL) {
        return json_incref(text);
    }
    if (fx_jmespath_search(walk->extractor->query, text, NULL, &made, walk->err) !=
        FX_JMESPATH_VALUE) {
        if (walk->err->code == FX_EINVALID) {
            walk->err->code = FX_EMUTATE;
        }
        return NULL;
    }
    if (!json_is_string(made)) {
        json_decref(made);
        (void)fx_fail(walk->err, FX_EMUTATE,
                      "imageExtractors: the result of jmesPath is no text");
        return NULL;
    }
    return made;
}

static bool add_image(struct images_walk *walk, struct fx_text key, json_t *text) {
    json_t *reference = query_text(walk, text);
    if (reference == NULL) {
        return false;
    }
    json_t *image =
        create_image(walk, fx_tree_text(reference), fx_buf_view(&walk->pointer));
    json_decref(reference);
    return image != NULL &&
           (fx_tree_set_take(walk->found, key, image) || fx_fail_nomem(walk->err));
}

/* ---- walking -------------------------------------------------------------------------
 */

static bool visit(struct images_walk *walk, size_t step, const json_t *node);

/* Takes the image of a holder, `{name, image}`, whose text may be missing. */
static bool visit_holder(struct images_walk *walk, const json_t *holder) {
    const struct kyverno_extractor *extractor = walk->extractor;
    json_t *text = fx_tree_view_text(holder, extractor->value);
    fx_pointer_push(&walk->pointer, extractor->value);
    struct fx_text key = fx_buf_view(&walk->pointer);
    if (extractor->key.len > 0) {
        key = fx_tree_text(fx_tree_view_text(holder, extractor->key));
        if (key.data == NULL) {
            return fx_fail(walk->err, FX_EMUTATE,
                           "an image has no key: `%.*s` is missing, or no text",
                           FX_TEXT_ARG(extractor->key));
        }
    }
    if (walk->pointer.failed) {
        return fx_fail_nomem(walk->err);
    }
    return !json_is_string(text) || add_image(walk, key, text);
}

/* Visits the child with a step more, and goes back. */
static bool visit_child(struct images_walk *walk, size_t step, struct fx_text key,
                        size_t index, const json_t *child) {
    const size_t len = walk->pointer.len;
    if (key.data != NULL) {
        fx_pointer_push(&walk->pointer, key);
    } else {
        fx_pointer_push_index(&walk->pointer, index);
    }
    const bool ok =
        walk->pointer.failed ? fx_fail_nomem(walk->err) : visit(walk, step + 1, child);
    walk->pointer.len = len;
    return ok;
}

static bool visit_all(struct images_walk *walk, size_t step, const json_t *node) {
    const struct fx_text none = {NULL, 0};
    bool ok = true;
    if (!json_is_object(node) && !json_is_array(node)) {
        return fx_fail(walk->err, FX_EMUTATE,
                       "imageExtractors: `*` needs a list or a map");
    }
    for (size_t i = 0; ok && i < json_array_size(node); i++) {
        ok = visit_child(walk, step, none, i, json_array_get(node, i));
    }
    for (void *iter = fx_node_first(node); ok && iter != NULL;
         iter = fx_node_next(node, iter)) {
        ok = visit_child(walk, step, fx_node_key(iter), 0, json_object_iter_value(iter));
    }
    return ok;
}

/* Follows the path of the extractor from `step` on. Its length is limited. */
static bool visit(struct images_walk *walk, size_t step, const json_t *node) {
    const struct kyverno_extractor *extractor = walk->extractor;
    if (!fx_spend(2)) {
        return fx_fail_exceeded(walk->err);
    }
    if (node == NULL || json_is_null(node)) {
        return true;
    }
    if (step < extractor->n_steps && fx_text_is(extractor->steps[step], "*")) {
        return visit_all(walk, step, node);
    }
    if (!json_is_object(node)) {
        return fx_fail(walk->err, FX_EMUTATE, "the place of an image is no map");
    }
    return step == extractor->n_steps
               ? visit_holder(walk, node)
               : visit_child(walk, step, extractor->steps[step], 0,
                             fx_tree_view_text(node, extractor->steps[step]));
}

/* ---- the images of an object ---------------------------------------------------------
 */

/* Adds what one extractor finds to the list of its name. */
static bool extract(const struct kyverno_extractor *extractor, const json_t *object,
                    json_t *images, struct fx_err *err) {
    json_t *found = json_incref(fx_tree_view_text(images, extractor->name));
    struct images_walk walk = {.extractor = extractor,
                               .found = found == NULL ? json_object() : found,
                               .err = err};
    if (walk.found == NULL) {
        return fx_fail_nomem(err);
    }
    fx_buf_init(&walk.pointer, 0);
    bool ok = visit(&walk, 0, object);
    fx_buf_finish(&walk.pointer);
    if (ok && found == NULL && json_object_size(walk.found) > 0) {
        ok = fx_tree_set_take(images, extractor->name, json_incref(walk.found)) ||
             fx_fail_nomem(err);
    }
    json_decref(walk.found);
    return ok;
}

/* Splits "/spec/template/spec" into steps, and adds the list and "*". */
static size_t split_place(const char *place, const char *list, struct fx_text *steps) {
    struct fx_text rest = fx_text_of(place + 1);
    size_t n = 0;
    while (rest.len > 0) {
        steps[n++] = fx_text_cut(&rest, '/');
    }
    steps[n++] = fx_text_of(list);
    steps[n++] = FX_TEXT("*");
    return n;
}

#define MOST_STANDARD_STEPS 8u

static bool extract_standard(struct fx_text kind, const json_t *object, json_t *images,
                             struct fx_err *err) {
    bool ok = true;
    for (size_t i = 0; i < FX_COUNT(image_kinds); i++) {
        if (!fx_text_is(kind, image_kinds[i].kind)) {
            continue;
        }
        for (size_t k = 0; ok && k < FX_COUNT(image_lists); k++) {
            struct fx_text steps[MOST_STANDARD_STEPS];
            const struct kyverno_extractor extractor = {
                .steps = steps,
                .n_steps = split_place(image_kinds[i].pod, image_lists[k], steps),
                .name = fx_text_of(image_lists[k]),
                .key = FX_TEXT("name"),
                .value = FX_TEXT("image"),
            };
            ok = extract(&extractor, object, images, err);
        }
    }
    return ok;
}

bool fx_kyverno_images(json_t *object, const struct kyverno_extractors *extractors,
                       json_t **ret_images, struct fx_err *err) {
    const struct fx_text kind = fx_tree_view_string(object, "kind");
    json_t *images = json_object();
    bool has_own = false;
    bool ok = images != NULL || fx_fail_nomem(err);
    for (size_t i = 0; extractors != NULL && ok && i < extractors->n; i++) {
        if (fx_text_equal(extractors->items[i].kind, kind)) {
            has_own = true;
            ok = extract(&extractors->items[i], object, images, err);
        }
    }
    if (ok && !has_own) {
        ok = extract_standard(kind, object, images, err);
    }
    *ret_images = fx_tree_keep_if(ok && json_object_size(images) > 0, images);
    return ok;
}
