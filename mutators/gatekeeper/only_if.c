/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/only_if.c - images by the parts that they have.
 */
#include "mutators/gatekeeper/only_if.h"

#include "base/buf.h"
#include "base/limits.h"
#include "mutators/gatekeeper/shapes.h"
#include "value/tree.h"

static const struct field fields[] = {
    {"domains", FIELD_STRINGS, "[]string", "string", NULL},
    {"paths", FIELD_STRINGS, "[]string", "string", NULL},
    {"tags", FIELD_STRINGS, "[]string", "string", NULL},
    FIELDS_END,
};

const struct shape fx_only_if_shape = {"OnlyIf", fields, false};

static bool check_count(const struct policy *policy, const char *name, const json_t *list,
                        struct fx_err *err) {
    if (json_array_size(list) == 0) {
        return fx_fail_in(
            err, list, FX_EINVALID,
            "assignImage %.*s has invalid parameters: onlyIf.%s must not be empty",
            FX_TEXT_ARG(policy->name), name);
    }
    if (json_array_size(list) > FX_LIMIT_CONDITION_VALUES) {
        return fx_fail_in(
            err, list, FX_ELIMIT,
            "assignImage %.*s has invalid parameters: onlyIf.%s has more than %u values",
            FX_TEXT_ARG(policy->name), name, FX_LIMIT_CONDITION_VALUES);
    }
    return true;
}

/* A set of the texts; null elements are empty ones. */
static bool read_list(const struct policy *policy, const char *name, const json_t *list,
                      json_t **ret_set, struct fx_err *err) {
    if (list == NULL) {
        return true;
    }
    if (!check_count(policy, name, list, err)) {
        return false;
    }
    json_t *set = json_object();
    *ret_set = set;
    size_t index = 0;
    const json_t *one = NULL;
    json_array_foreach (list, index, one) {
        const struct fx_text text = fx_tree_text(one);
        if (!fx_tree_set_take(set, text.data == NULL ? FX_TEXT("") : text, json_true())) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

static bool fail_tag(const struct policy *policy, const json_t *tags, size_t index,
                     struct fx_err *err) {
    const json_t *tag = json_array_get(tags, index);
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, fx_tree_text(tag));
    if (quoted.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail_in(err, tag, FX_EINVALID,
                         "assignImage %.*s has invalid parameters: onlyIf.tags[%zu] %s "
                         "must start with ':' or '@', or be empty",
                         FX_TEXT_ARG(policy->name), index, quoted.data);
    }
    fx_buf_finish(&quoted);
    return false;
}

/* A tag without its mark could never be one. */
static bool check_tags(const struct policy *policy, const json_t *tags,
                       struct fx_err *err) {
    size_t index = 0;
    const json_t *tag = NULL;
    json_array_foreach (tags, index, tag) {
        const struct fx_text text = fx_tree_text(tag);
        if (text.len > 0 && text.data[0] != ':' && text.data[0] != '@') {
            return fail_tag(policy, tags, index, err);
        }
    }
    return true;
}

bool fx_only_if_read(const struct policy *policy, struct only_if *ret_only_if,
                     struct fx_err *err) {
    const json_t *node = fx_policy_view_further(policy, policy->parameters, "onlyIf");
    const json_t *tags = fx_shape_view(node, "tags");
    return read_list(policy, "domains", fx_shape_view(node, "domains"),
                     &ret_only_if->domains, err) &&
           read_list(policy, "paths", fx_shape_view(node, "paths"), &ret_only_if->paths,
                     err) &&
           read_list(policy, "tags", tags, &ret_only_if->tags, err) &&
           check_tags(policy, tags, err);
}

void fx_only_if_finish(struct only_if *only_if) {
    json_decref(only_if->domains);
    json_decref(only_if->paths);
    json_decref(only_if->tags);
    *only_if = (struct only_if){0};
}

static bool may_be(const json_t *set, struct fx_text part) {
    return set == NULL || fx_tree_view_text(set, part) != NULL;
}

bool fx_only_if_holds(const struct only_if *only_if, const struct image *image) {
    return may_be(only_if->domains, image->domain) &&
           may_be(only_if->paths, image->path) && may_be(only_if->tags, image->tag);
}
