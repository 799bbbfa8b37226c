/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds.c - makes API resources from the dialects' tables.
 */
#include "cluster/policies/kinds.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "engine/dialect.h"

/* ---- the kinds --------------------------------------------------------------------- */

static struct fx_cluster_kind kinds[FX_CLUSTER_KINDS_MAX];
static size_t n_kinds;

static void add_kind(const struct fx_kind *row, unsigned api) {
    assert(n_kinds < FX_CLUSTER_KINDS_MAX);
    struct fx_cluster_kind *kind = &kinds[n_kinds++];
    *kind = (struct fx_cluster_kind){.kind = row, .api = api};
    for (size_t i = 0; row->versions[i] != NULL; i++) {
        assert(i < FX_CLUSTER_KIND_VERSIONS);
        kind->versions[kind->n_versions++] = (struct fx_kube_resource){
            row->group, row->versions[i], row->resource, row->kind};
    }
    (void)snprintf(kind->waiting, sizeof kind->waiting, "waiting for the list of %s%s%s",
                   row->resource, row->group[0] == '\0' ? "" : ".", row->group);
}

/* The bit of the API that a kind of dialect `own` belongs to. */
static unsigned api_of(const struct fx_kind *row, unsigned own) {
    if (row->native != NULL) {
        return FX_CLUSTER_API_NATIVE_BIT(own);
    }
    for (unsigned i = 0; row->api != NULL && fx_dialects[i] != NULL; i++) {
        if (strcmp(fx_dialects[i]->name, row->api) == 0) {
            return FX_CLUSTER_API_BIT(i);
        }
    }
    return FX_CLUSTER_API_BIT(own);
}

static void make_kinds(void) {
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        for (const struct fx_kind *row = fx_dialects[i]->kinds; row->kind != NULL;
             row++) {
            if (row->resource != NULL) {
                add_kind(row, api_of(row, i));
            }
        }
    }
}

size_t fx_cluster_kinds_count(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_kinds);
    return n_kinds;
}

const struct fx_cluster_kind *fx_cluster_kind_at(size_t index) {
    assert(index < fx_cluster_kinds_count());
    return &kinds[index];
}

size_t fx_cluster_kind_index(const struct fx_cluster_kind *kind) {
    return (size_t)(kind - kinds);
}

/* ---- sets of dialects -------------------------------------------------------------- */

/* The group of the native kinds of a dialect; NULL if it has none. */
static const char *native_group(const struct fx_dialect *dialect) {
    const struct fx_kind *row = dialect->kinds;
    while (row->kind != NULL && row->native == NULL) {
        row++;
    }
    return row->kind == NULL ? NULL : row->group;
}

static bool add_api(struct fx_text word, unsigned *apis) {
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        const char *group = native_group(fx_dialects[i]);
        if (fx_text_is(word, fx_dialects[i]->name)) {
            *apis |= FX_CLUSTER_API_BIT(i);
            return true;
        }
        if (group != NULL && fx_text_is(word, group)) {
            *apis |= FX_CLUSTER_API_NATIVE_BIT(i);
            return true;
        }
    }
    return false;
}

static bool fail_api(struct fx_text word, struct fx_err *err) {
    struct fx_buf names;
    fx_buf_init(&names, 0);
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        const char *group = native_group(fx_dialects[i]);
        fx_buf_printf(&names, "%s%s%s%s", i == 0 ? "" : ", ", fx_dialects[i]->name,
                      group == NULL ? "" : ", ", group == NULL ? "" : group);
    }
    (void)fx_fail(err, FX_EINVALID, "`%.*s` is not one of %s", FX_TEXT_ARG(word),
                  names.failed ? "the dialects" : names.data);
    fx_buf_finish(&names);
    return false;
}

bool fx_cluster_apis_parse(const char *list, unsigned *ret_apis, struct fx_err *err) {
    unsigned apis = 0;
    const char *at = list;
    for (;;) {
        const struct fx_text word = {at, strcspn(at, ",")};
        if (!add_api(word, &apis)) {
            return fail_api(word, err);
        }
        if (word.data[word.len] == '\0') {
            *ret_apis = apis;
            return true;
        }
        at += word.len + 1;
    }
}

bool fx_cluster_apis_annotate_nodes(unsigned apis) {
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        if ((apis & FX_CLUSTER_API_BIT(i)) != 0 &&
            fx_dialects[i]->node_annotations != NULL) {
            return true;
        }
    }
    return false;
}
