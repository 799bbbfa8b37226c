/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_functions.c - digests, base64, and texts of JSON and YAML as values.
 */
#include "location/cel_library/kyverno.h"

#include "base/base64.h"
#include "base/budget.h"
#include "base/digest.h"
#include "base/limits.h"
#include "location/cel_library/functions.h"
#include "location/cel_library/types.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

/* ---- digests ------------------------------------------------------------------------
 */

/* The digest in hexadecimal. */
static struct fx_cel_value print_digest(struct fx_cel_run *run, const uint8_t *digest,
                                        size_t n) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * FX_SHA256_BYTES];
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    return fx_cel_copy_string(run, (struct fx_text){text, 2 * n});
}

#define DIGEST(name, function, bytes)                                  \
    static struct fx_cel_value name(struct fx_cel_run *run,            \
                                    const struct fx_cel_value *args) { \
        uint8_t digest[bytes];                                         \
        if (!fx_cel_spend_bytes(args[0].text.len)) {                   \
            return fx_cel_exceeded(run);                               \
        }                                                              \
        function(args[0].text, digest);                                \
        return print_digest(run, digest, sizeof digest);               \
    }
DIGEST(md5, fx_md5, FX_MD5_BYTES)
DIGEST(sha1, fx_sha1, FX_SHA1_BYTES)
DIGEST(sha256, fx_sha256, FX_SHA256_BYTES)

/* ---- base64 -------------------------------------------------------------------------
 */

static struct fx_cel_value encode(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    struct fx_buf buf;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    fx_buf_init(&buf, 0);
    fx_base64_encode(&buf, args[0].text);
    return fx_cel_take_buf(run, &buf);
}

static struct fx_cel_value decode(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    struct fx_buf buf;
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    fx_buf_init(&buf, 0);
    struct fx_cel_value result = {.kind = FX_CEL_UNSET};
    if (fx_base64_decode(&buf, args[0].text)) {
        result = fx_cel_copy_bytes(run, fx_buf_view(&buf));
    } else {
        result = buf.failed ? fx_cel_no_memory(run)
                            : fx_cel_fail(run, "illegal base64 data at input byte %zu",
                                          fx_base64_find_fault(args[0].text));
    }
    fx_buf_finish(&buf);
    return result;
}

/* ---- JSON and YAML ------------------------------------------------------------------
 */

static struct fx_cel_value copy_node(struct fx_cel_run *run, const json_t *node);

static struct fx_cel_value copy_list(struct fx_cel_run *run, const json_t *node) {
    const size_t n = json_array_size(node);
    const struct fx_cel_value list = fx_cel_new_list(run, n);
    for (size_t i = 0; !fx_cel_is_error(list) && i < n; i++) {
        const struct fx_cel_value element = copy_node(run, json_array_get(node, i));
        if (fx_cel_is_error(element)) {
            return element;
        }
        if (!fx_cel_list_add(run, list, element)) {
            return fx_cel_no_memory(run);
        }
    }
    return list;
}

static struct fx_cel_value copy_map(struct fx_cel_run *run, const json_t *node) {
    const struct fx_cel_value map = fx_cel_new_map(run, json_object_size(node));
    void *iter = fx_node_first(node);
    for (; !fx_cel_is_error(map) && iter != NULL; iter = fx_node_next(node, iter)) {
        const struct fx_cel_value key = fx_cel_copy_string(run, fx_node_key(iter));
        const struct fx_cel_value value = copy_node(run, json_object_iter_value(iter));
        if (fx_cel_is_error(key) || fx_cel_is_error(value)) {
            return fx_cel_is_error(key) ? key : value;
        }
        if (!fx_cel_map_set(run, map, key, value)) {
            return fx_cel_no_memory(run);
        }
    }
    return map;
}

/* A value in the arena of the run. The depth is that of what was read
 * (FX_LIMIT_JSON_DEPTH). */
static struct fx_cel_value copy_node(struct fx_cel_run *run, const json_t *node) {
    if (!fx_spend(1)) {
        return fx_cel_exceeded(run);
    }
    if (json_is_array(node)) {
        return copy_list(run, node);
    }
    if (json_is_object(node)) {
        return copy_map(run, node);
    }
    return json_is_string(node) ? fx_cel_copy_string(run, fx_tree_text(node))
                                : fx_cel_make_node(node);
}

/* The value of a tree that was read, which is consumed, or the error of reading it. */
static struct fx_cel_value take_tree(struct fx_cel_run *run, json_t *tree_take) {
    if (tree_take == NULL) {
        if (run->err->code == FX_ESYNTAX || run->err->code == FX_EINVALID) {
            run->err->code = FX_EMUTATE;
        }
        return fx_cel_fail_read(run);
    }
    const struct fx_cel_value value = copy_node(run, tree_take);
    json_decref(tree_take);
    return value;
}

static struct fx_cel_value unmarshal(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    return take_tree(run, fx_json_read(args[0].text, NULL, run->err));
}

/* The first document of the text. */
static struct fx_cel_value parse_yaml(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    if (!fx_cel_spend_bytes(args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    struct fx_yaml_reader *reader = fx_yaml_open(args[0].text);
    json_t *tree = NULL;
    if (reader == NULL) {
        return fx_cel_no_memory(run);
    }
    const bool ok = fx_yaml_next(reader, NULL, &tree, run->err);
    fx_yaml_close(reader);
    return ok && tree == NULL ? fx_cel_make_null() : take_tree(run, tree);
}

/* ---- service accounts ----------------------------------------------------------------
 */

/* parseServiceAccount("system:serviceaccount:ns:name"): a map with Namespace and Name,
 * which are empty for another user. */
static struct fx_cel_value parse_account(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    static const struct fx_text prefix = {"system:serviceaccount:", 22};
    struct fx_text namespace_ = FX_TEXT("");
    struct fx_text name = FX_TEXT("");
    if (fx_text_starts(args[0].text, prefix)) {
        name = fx_text_rest(args[0].text, prefix.len);
        namespace_ = fx_text_cut(&name, ':');
    }
    const struct fx_cel_value map = fx_cel_new_map(run, 2);
    const bool ok = !fx_cel_is_error(map) &&
                    fx_cel_map_set(run, map, fx_cel_make_string(FX_TEXT("Namespace")),
                                   fx_cel_make_string(namespace_)) &&
                    fx_cel_map_set(run, map, fx_cel_make_string(FX_TEXT("Name")),
                                   fx_cel_make_string(name));
    return ok ? map : fx_cel_no_memory(run);
}

#define OF_TEXT(name_, result_, call_)   \
    {                                    \
        .function = (name_),             \
        FX_CEL_FUNCTION(&fx_cel_string), \
        .result = (result_),             \
        .call = (call_),                 \
        .cost = fx_cel_cost_text,        \
    }

const struct fx_cel_overload fx_cel_kyverno_values[] = {
    OF_TEXT("md5", &fx_cel_string, md5),
    OF_TEXT("sha1", &fx_cel_string, sha1),
    OF_TEXT("sha256", &fx_cel_string, sha256),
    OF_TEXT("base64.decode", &fx_cel_bytes, decode),
    {.function = "base64.encode",
     FX_CEL_FUNCTION(&fx_cel_bytes),
     .result = &fx_cel_string,
     .call = encode,
     .cost = fx_cel_cost_text},
    OF_TEXT("json.unmarshal", &fx_cel_dyn, unmarshal),
    OF_TEXT("yaml.parse", &fx_cel_dyn, parse_yaml),
    OF_TEXT("parseServiceAccount", &fx_cel_dyn, parse_account),
    {.function = NULL},
};
