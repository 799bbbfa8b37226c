/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/kind_pattern.c - reads and matches the names of kinds.
 */
#include "mutators/kyverno/kind_pattern.h"

#include "base/budget.h"
#include "base/buf.h"
#include "base/wildcard.h"
#include "engine/admission_request.h"
#include "merge/schema.h"

#define PARTS_MAX 4u
#define ANY       FX_TEXT("*")

/* Removes digits from the start of the text. False if there are none. */
static bool take_digits(struct fx_text *text) {
    const size_t n = fx_text_count_digits(*text, text->len);
    *text = fx_text_rest(*text, n);
    return n > 0;
}

/* "v1", "v1beta1", or "*" for every version. */
static bool is_version(struct fx_text text) {
    if (fx_text_equal(text, ANY)) {
        return true;
    }
    if (!fx_text_take(&text, 'v') || !take_digits(&text)) {
        return false;
    }
    const size_t word = fx_text_starts(text, FX_TEXT("alpha"))  ? 5
                        : fx_text_starts(text, FX_TEXT("beta")) ? 4
                                                                : 0;
    text = fx_text_rest(text, word);
    return (word == 0 || take_digits(&text)) && text.len == 0;
}

static bool is_lower(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'Z') {
            return false;
        }
    }
    return text.len > 0;
}

/* Splits the text at each "/", and the last part at its first ".". Returns the number of
 * parts; more than PARTS_MAX if there are too many. */
static size_t split(struct fx_text text, struct fx_text parts[PARTS_MAX + 1]) {
    size_t n = 0;
    bool has_more = true;
    while (has_more && n < PARTS_MAX) {
        const size_t before = text.len;
        parts[n] = fx_text_cut(&text, '/');
        has_more = parts[n].len < before;
        n++;
    }
    if (has_more) {
        return PARTS_MAX + 1;
    }
    struct fx_text rest = parts[n - 1];
    const struct fx_text kind = fx_text_cut(&rest, '.');
    if (kind.len < parts[n - 1].len) {
        parts[n - 1] = kind;
        parts[n++] = rest;
    }
    return n;
}

static void read_two(const struct fx_text *parts, struct kyverno_kind_pattern *pattern) {
    const bool has_version =
        is_version(parts[0]) && !(fx_text_equal(parts[0], ANY) &&
                                  (fx_text_equal(parts[1], ANY) || is_lower(parts[1])));
    pattern->version = has_version ? parts[0] : ANY;
    pattern->kind = parts[has_version ? 1 : 0];
    pattern->subresource = has_version ? (struct fx_text){0} : parts[1];
}

static void read_three(const struct fx_text *parts,
                       struct kyverno_kind_pattern *pattern) {
    if (is_version(parts[0])) {
        pattern->version = parts[0];
        pattern->kind = parts[1];
        pattern->subresource = parts[2];
    } else {
        pattern->group = parts[0];
        pattern->version = parts[1];
        pattern->kind = parts[2];
    }
}

bool fx_kyverno_kind_parse(struct fx_text text,
                           struct kyverno_kind_pattern *ret_pattern) {
    struct fx_text parts[PARTS_MAX + 1];
    *ret_pattern = (struct kyverno_kind_pattern){.group = ANY, .version = ANY};
    switch (split(text, parts)) {
    case 1: ret_pattern->kind = parts[0]; return true;
    case 2: read_two(parts, ret_pattern); return true;
    case 3: read_three(parts, ret_pattern); return true;
    case 4:
        *ret_pattern =
            (struct kyverno_kind_pattern){parts[0], parts[1], parts[2], parts[3]};
        return true;
    default: *ret_pattern = (struct kyverno_kind_pattern){0}; return false;
    }
}

/* Is `name` the built-in kind of this resource, "v1/Pod" of "pods"? Then *ret_kind is
 * "Pod". */
static bool has_resource(struct fx_text name, const struct fx_request_resource *resource,
                         struct fx_text *ret_kind) {
    if ((resource->group.len > 0 &&
         !fx_text_equal(fx_text_cut(&name, '/'), resource->group)) ||
        !fx_text_equal(fx_text_cut(&name, '/'), resource->version) ||
        fx_text_contains(name, FX_TEXT("/"))) {
        return false;
    }
    struct fx_buf guess;
    fx_buf_init(&guess, 0);
    fx_resource_guess(&guess, name);
    const bool has =
        !guess.failed && fx_text_equal(fx_buf_view(&guess), resource->resource);
    fx_buf_finish(&guess);
    *ret_kind = name;
    return has;
}

/* The kind of a resource of an API server; data NULL if it is not known. */
static struct fx_text find_kind(const struct fx_request_resource *resource) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    for (size_t i = 0; i < set->n_kinds && fx_spend(1); i++) {
        struct fx_text kind;
        if (has_resource(fx_text_of(set->texts + set->kinds[i].name), resource, &kind)) {
            return kind;
        }
    }
    return (struct fx_text){0};
}

void fx_kyverno_request_kind(const struct fx_request *request,
                             const struct fx_subject *subject,
                             struct kyverno_request_kind *ret_kind) {
    struct fx_request_resource resource;
    fx_request_resource_read(request, &resource);
    *ret_kind = (struct kyverno_request_kind){subject->group, subject->version,
                                              subject->kind, resource.subresource, false};
    if (resource.subresource.len == 0) {
        return;
    }
    const struct fx_text found = find_kind(&resource);
    if (found.data != NULL) {
        ret_kind->group = resource.group;
        ret_kind->version = resource.version;
        ret_kind->kind = found;
    }
    ret_kind->is_ephemeral = ret_kind->group.len == 0 &&
                             fx_text_is(ret_kind->version, "v1") &&
                             fx_text_is(ret_kind->kind, "Pod") &&
                             fx_text_is(resource.subresource, "ephemeralcontainers");
}

bool fx_kyverno_kind_matches(const struct kyverno_kind_pattern *pattern,
                             const struct kyverno_request_kind *kind) {
    return fx_wildcard_match(pattern->kind, kind->kind) &&
           fx_wildcard_match(pattern->group, kind->group) &&
           fx_wildcard_match(pattern->version, kind->version) &&
           (kind->is_ephemeral ||
            fx_wildcard_match(pattern->subresource, kind->subresource));
}
