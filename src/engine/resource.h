/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/resource.h - what policies define besides mutators: the head of all resources.
 * A dialect's compile makes them, and they are in the snapshot.
 */
#ifndef FX_ENGINE_RESOURCE_H
#define FX_ENGINE_RESOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/mutator.h"

enum fx_resource_type {
    FX_RESOURCE_PROVIDER,  /* an HTTPS server that provides values (see below) */
    FX_RESOURCE_EXCLUSION, /* excludes namespaces from mutation */
    FX_RESOURCE_EXPANSION, /* makes the objects that a controller will create for another
                            */
};

struct fx_resource;

/* The functions of a resource. One const table for each kind of a dialect. */
struct fx_resource_ops {
    enum fx_resource_type type;
    const char *kind; /* of the object that it is read from: "Provider" */
    void (*destroy)(struct fx_resource *self); /* frees it and all that it owns */

    /* Of an exclusion: is an object of this namespace excluded from mutation? Returns the
     * message of the answer (a constant), or NULL if it is not excluded. An empty name
     * stands for a cluster-scoped object. */
    const char *(*excludes)(const struct fx_resource *self, struct fx_text namespace_);

    /* Of an expansion: does it apply to the object, by its apiVersion and kind? */
    bool (*expands)(const struct fx_resource *self, const json_t *object);

    /* Of an expansion that applies: makes the object that a controller will create for
     * `generator`, in its namespace, or in `namespace_` if it has none. Returns a new
     * reference, or NULL with the error: FX_EINVALID with the dialect's message,
     * FX_ENOMEM. */
    json_t *(*expand)(const struct fx_resource *self, const json_t *generator,
                      struct fx_text namespace_, struct fx_err *err);
};

/* The struct of a resource begins with it. Immutable and counted when it is in a
 * snapshot. */
struct fx_resource {
    const struct fx_resource_ops *ops;
    atomic_uint refs;
    char *name;
    struct fx_origin origin;
    json_t *source; /* the object as read, counted; equal sources compile to equal
                     * resources */
};

/* Fills the head: copies the name, takes a reference on `source`, sets one reference.
 * False without memory; then fx_resource_finish() frees what was made. */
bool fx_resource_init(struct fx_resource *resource, const struct fx_resource_ops *ops,
                      struct fx_text name, json_t *source) FX_MUST_USE;
void fx_resource_finish(struct fx_resource *resource);

struct fx_resource *fx_resource_ref(struct fx_resource *resource);
void fx_resource_unref(struct fx_resource *resource); /* NULL is fine */

/* Compares by type, then by name, bytewise. */
int fx_resource_compare(const struct fx_resource *a, const struct fx_resource *b);

/* ---- providers: HTTPS servers that are asked for values (spec section 7) ----------- */

struct fx_provider;

/* The protocol of a provider: one const table of a dialect. */
struct fx_provider_protocol {
    /* Appends the body of a request (POST, application/json) for these keys. */
    void (*write_request)(const struct fx_text *keys, size_t n_keys, struct fx_buf *body);

    /* Reads the body of an answer. Returns its items by their keys, objects with `value`
     * and `error`: a new reference; or NULL with the error: FX_EMUTATE with the complete
     * message if the answer reports a failure, FX_EINVALID if it is malformed,
     * FX_ENOMEM. */
    json_t *(*read_answer)(const struct fx_provider *provider, json_t *root,
                           struct fx_err *err);
};

struct fx_provider {
    struct fx_resource resource; /* the first member; its type is FX_RESOURCE_PROVIDER */
    const struct fx_provider_protocol *protocol;
    struct fx_text url;  /* https; borrowed from the source */
    uint64_t timeout_ms; /* 0 for the default, 5 s */
    char *ca_pem;        /* its certificates, decoded; no others are trusted */
    size_t ca_pem_len;
};

/* Makes a provider. `url` is a text of `source`; `ca_pem` is copied. NULL without
 * memory. */
struct fx_provider *fx_provider_create(const struct fx_provider_protocol *protocol,
                                       struct fx_text name, json_t *source,
                                       struct fx_text url, uint64_t timeout_ms,
                                       struct fx_text ca_pem) FX_MUST_USE;

#endif
