/* SPDX-License-Identifier: Apache-2.0
 *
 * map_compare.c - compares objects and messages of policies with those of an API server.
 */
#include <string.h>

#include "map.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- objects ---------------------------------------------------------------------- */

bool fx_case_is_nothing(const json_t *value) {
    return value == NULL || json_is_null(value) ||
           (json_is_object(value) && json_object_size(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

json_t *fx_case_tidy(const json_t *value) {
    if (json_is_array(value)) {
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(value); i++) {
            (void)json_array_append_new(list, fx_case_tidy(json_array_get(value, i)));
        }
        return list;
    }
    if (!json_is_object(value)) {
        return json_deep_copy(value);
    }
    json_t *object = json_object();
    for (void *iter = fx_node_first(value); iter != NULL;
         iter = fx_node_next(value, iter)) {
        json_t *member = fx_case_tidy(json_object_iter_value(iter));
        if (fx_case_is_nothing(member)) {
            json_decref(member);
        } else {
            (void)json_object_set_new(object, json_object_iter_key(iter), member);
        }
    }
    return object;
}

/* Fields that an API server sets by itself. */
static const char *const defaulted[] = {
    "terminationMessagePath",
    "terminationMessagePolicy",
    "imagePullPolicy",
    "protocol",
    "defaultMode",
    "restartPolicy",
    "dnsPolicy",
    "schedulerName",
    "securityContext",
    "tolerations",
    "preemptionPolicy",
    "enableServiceLinks",
    "priority",
    "status",
    "generation",
    "creationTimestamp",
    "terminationGracePeriodSeconds",
    "successThreshold",
    "failureThreshold",
    "periodSeconds",
    "timeoutSeconds",
    "scheme",
    "hostPathType",
    "volumeMode",
    "finalizers",
    "sessionAffinity",
    "targetPort",
    "type",
    "requests",
    "strategy",
    "phase",
    "kubernetes.io/metadata.name",
};

static bool is_defaulted_field(const char *key) {
    for (size_t i = 0; i < FX_COUNT(defaulted); i++) {
        if (strcmp(key, defaulted[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Go writes a number or a text that is not set as 0 or "", if the field is required: for
 * an API server, that is the same object. */
static bool is_zero(const json_t *value) {
    return (json_is_number(value) && json_number_value(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

/* Removes from `expected` what an API server has added and `got`, which may be NULL, does
 * not have. */
static void drop_added(json_t *expected, const json_t *got,
                       enum fx_case_map_added added) {
    if (json_is_array(expected) && json_array_size(expected) == json_array_size(got)) {
        for (size_t i = 0; i < json_array_size(expected); i++) {
            drop_added(json_array_get(expected, i), json_array_get(got, i), added);
        }
    }
    if (!json_is_object(expected) || (got != NULL && !json_is_object(got))) {
        return;
    }
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;
    json_object_foreach_safe(expected, next, key, value) {
        const json_t *other = fx_tree_view_key(got, key);
        if (other == NULL && (is_zero(value) || (added == FX_CASE_MAP_DEFAULTED &&
                                                 is_defaulted_field(key)))) {
            (void)json_object_del(expected, key);
        } else {
            drop_added(value, other, added);
        }
    }
}

static bool is_builtin(const json_t *object) {
    return !fx_text_contains(fx_tree_view_string(object, "apiVersion"),
                             FX_TEXT("example.com"));
}

void fx_case_map_compare_object(struct fx_case_result *result, const json_t *expected,
                                const json_t *got, enum fx_case_map_added added) {
    json_t *wanted = fx_case_tidy(expected);
    json_t *other = fx_case_tidy(got);
    if (is_builtin(expected) || added == FX_CASE_MAP_DEFAULTED) {
        drop_added(wanted, other, added);
        json_t *again = fx_case_tidy(wanted);
        json_decref(wanted);
        wanted = again;
    }
    fx_case_expect_json(result, "object", wanted, other);
    json_decref(wanted);
    json_decref(other);
}

/* ---- messages --------------------------------------------------------------------- */

/* Returns where Go prints its own values, or the length of the text. */
static size_t find_go(struct fx_text text) {
    static const char *const marks[] = {"&value.", "&{", "json: cannot unmarshal", "0x",
                                        "goroutine"};
    size_t end = text.len;
    for (size_t i = 0; i < FX_COUNT(marks); i++) {
        const size_t len = strlen(marks[i]);
        for (size_t at = 0; at + len <= end; at++) {
            if (memcmp(text.data + at, marks[i], len) == 0) {
                end = at;
            }
        }
    }
    return end;
}

/* Removes the text before the first of the separators ", " and newline, and returns it.
 */
static struct fx_text take_piece(struct fx_text *rest) {
    size_t at = 0;
    while (at < rest->len && rest->data[at] != '\n' &&
           !(rest->data[at] == ',' && at + 1 < rest->len && rest->data[at + 1] == ' ')) {
        at++;
    }
    const struct fx_text piece = {rest->data, at};
    const size_t after = at < rest->len && rest->data[at] == ',' ? at + 2 : at + 1;
    *rest = after < rest->len ? fx_text_rest(*rest, after) : (struct fx_text){0};
    return piece;
}

/* Does the text contain the part? Go's protobuf library prints a space that does not
 * break, or another one, by chance. */
static bool contains(struct fx_text text, struct fx_text part) {
    static const char space[] = "proto:\xc2\xa0";
    const struct fx_text odd = {space, sizeof space - 1};
    if (fx_text_starts(part, odd)) {
        part = fx_text_rest(part, odd.len);
    }
    for (size_t at = 0; at + odd.len <= part.len; at++) {
        if (memcmp(part.data + at, odd.data, odd.len) == 0) {
            return fx_text_contains(text, (struct fx_text){part.data, at}) &&
                   fx_text_contains(text, fx_text_rest(part, at + odd.len));
        }
    }
    return fx_text_contains(text, part);
}

bool fx_case_map_says(struct fx_text got, struct fx_text expected) {
    struct fx_text rest = expected;
    if (find_go(expected) == expected.len && got.len + 1 < expected.len) {
        return false;
    }
    while (rest.len > 0) {
        struct fx_text piece = take_piece(&rest);
        const size_t end = find_go(piece);
        const bool is_cut = end < piece.len;
        piece.len = end;
        if (!contains(got, piece)) {
            return false;
        }
        if (is_cut) { /* what follows may belong to Go's value */
            return true;
        }
    }
    return true;
}

static void compare_message(struct fx_case_result *result, const char *what,
                            struct fx_text expected, struct fx_text got) {
    if (!fx_case_map_says(got, expected)) {
        fx_case_expect_text(result, what, expected, got);
    }
}

static struct fx_text message_of(const json_t *cause) {
    return json_is_string(cause) ? fx_tree_text(cause)
                                 : fx_tree_view_string(cause, "message");
}

static void compare_causes(struct fx_case_result *result, const json_t *expected,
                           const json_t *status) {
    const json_t *causes =
        fx_tree_view_key(fx_tree_view_key(status, "details"), "causes");
    if (!json_is_array(expected)) {
        return;
    }
    if (json_array_size(expected) != json_array_size(causes)) {
        fx_case_expect_json(result, "causes", expected, causes);
    }
    for (size_t i = 0; i < json_array_size(expected); i++) {
        compare_message(result, "cause", message_of(json_array_get(expected, i)),
                        message_of(json_array_get(causes, i)));
    }
}

void fx_case_map_compare_status(struct fx_case_result *result, const json_t *expected,
                                const json_t *status) {
    if (json_is_string(expected)) {
        compare_message(result, "message", fx_tree_text(expected),
                        fx_tree_view_string(status, "message"));
        return;
    }
    compare_message(result, "message", fx_tree_view_string(expected, "message"),
                    fx_tree_view_string(status, "message"));
    fx_case_expect_json(result, "code", fx_tree_view_key(expected, "code"),
                        fx_tree_view_key(status, "code"));
    fx_case_expect_text(result, "reason", fx_tree_view_string(expected, "reason"),
                        fx_tree_view_string(status, "reason"));
    compare_causes(result, fx_tree_view_key(expected, "causes"), status);
}
