/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value_text.c - prints values as Go's %v does, and as JSON. Printing
 * is charged. Undefined prints as the empty text; numbers are doubles, except the results
 * of length().
 */
#include "location/jsonpath/value.h"

#include <math.h>

#include "base/limits.h"
#include "location/go/time.h"
#include "value/go_text.h"
#include "value/tree.h"

#define DOUBLE_STEPS 40 /* the steps of finding the shortest digits of a double */

static bool print_any(struct path_run *run, struct fx_buf *buf,
                      const struct path_value *value);

static bool print_list(struct path_run *run, struct fx_buf *buf,
                       const struct path_value *list, size_t count) {
    bool ok = true;
    fx_buf_char(buf, '[');
    for (size_t i = 0; ok && i < count; i++) {
        if (i > 0) {
            fx_buf_char(buf, ' ');
        }
        const struct path_value entry = fx_jsonpath_list_at(list, i);
        ok = print_any(run, buf, &entry);
    }
    fx_buf_char(buf, ']');
    return ok;
}

static bool print_map(struct path_run *run, struct fx_buf *buf,
                      const struct path_value *value) {
    const struct value_map *map = NULL;
    bool ok = fx_jsonpath_members(run, value, &map);
    fx_buf_str(buf, "map[");
    for (size_t i = 0; ok && i < map->n_members; i++) {
        if (i > 0) {
            fx_buf_char(buf, ' ');
        }
        fx_buf_text(buf, map->members[i].key);
        fx_buf_char(buf, ':');
        ok = fx_jsonpath_spend(run, map->members[i].key.len / FX_BUDGET_BYTES) &&
             print_any(run, buf, &map->members[i].value);
    }
    fx_buf_char(buf, ']');
    return ok;
}

/* Prints integers below a million without an exponent. */
static bool print_number(struct path_run *run, struct fx_buf *buf, double number) {
    if (fabs(number) < 1e6 && number == trunc(number) &&
        (number != 0 || !signbit(number))) {
        fx_buf_integer(buf, (int64_t)number);
        return fx_jsonpath_spend(run, 5);
    }
    fx_go_text_add_double(buf, number);
    return fx_jsonpath_spend(run, DOUBLE_STEPS);
}

static bool print_text(struct path_run *run, struct fx_buf *buf, struct fx_text text) {
    fx_buf_text(buf, text);
    return fx_jsonpath_spend(run, text.len / FX_BUDGET_BYTES);
}

static bool print_node(struct path_run *run, struct fx_buf *buf,
                       const struct path_value *value) {
    const json_t *node = value->as.node;
    switch (json_typeof(node)) {
    case JSON_OBJECT: return print_map(run, buf, value);
    case JSON_ARRAY: return print_list(run, buf, value, json_array_size(node));
    case JSON_STRING: return print_text(run, buf, fx_tree_text(node));
    case JSON_INTEGER: return print_number(run, buf, (double)json_integer_value(node));
    case JSON_REAL: return print_number(run, buf, json_real_value(node));
    case JSON_TRUE: fx_buf_str(buf, "true"); return true;
    case JSON_FALSE: fx_buf_str(buf, "false"); return true;
    case JSON_NULL: fx_buf_str(buf, "<nil>"); return true;
    }
    return false;
}

static bool print_value(struct path_run *run, struct fx_buf *buf,
                        const struct path_value *value) {
    switch (value->kind) {
    case VALUE_UNDEFINED: return true;
    case VALUE_NODE: return print_node(run, buf, value);
    case VALUE_NUMBER: return print_number(run, buf, value->as.number);
    case VALUE_INTEGER: return print_number(run, buf, (double)value->as.integer);
    case VALUE_COUNT: fx_buf_integer(buf, value->as.integer); return true;
    case VALUE_TEXT: return print_text(run, buf, value->as.text);
    case VALUE_DATE: fx_go_time_print(buf, value->as.date); return true;
    case VALUE_LIST: return print_list(run, buf, value, value->as.list->n_values);
    case VALUE_MAP: return print_map(run, buf, value);
    }
    return false;
}

static bool print_any(struct path_run *run, struct fx_buf *buf,
                      const struct path_value *value) {
    if (!fx_jsonpath_spend(run, 1) || !fx_jsonpath_enter(run)) {
        return false;
    }
    const bool ok = print_value(run, buf, value);
    fx_jsonpath_leave(run);
    return ok;
}

/* Copies the printed text to the memory of the run. */
static bool keep_text(struct path_run *run, const struct fx_buf *buf,
                      struct fx_text *ret_text) {
    if (buf->failed) {
        run->is_over = true;
        return fx_fail_nomem(run->err);
    }
    char *copy = fx_jsonpath_alloc(run, buf->len + 1);
    if (copy == NULL) {
        return false;
    }
    if (buf->len > 0) {
        memcpy(copy, buf->data, buf->len);
    }
    *ret_text = (struct fx_text){copy, buf->len};
    return true;
}

bool fx_jsonpath_text(struct path_run *run, const struct path_value *value,
                      struct fx_text *ret_text) {
    if (fx_jsonpath_as_text(value, ret_text)) {
        return true;
    }
    struct fx_buf buf;
    fx_buf_init(&buf, 0); /* its content is charged */
    const bool ok = print_any(run, &buf, value) && keep_text(run, &buf, ret_text);
    fx_buf_finish(&buf);
    return ok;
}

/* ---- JSON -------------------------------------------------------------------------- */

/* Go prints doubles of this size or more with an exponent, integers without. */
#define PLAIN_COUNT 1000000

static json_t *fail_nomem(struct path_run *run) {
    run->is_over = true;
    (void)fx_fail_nomem(run->err);
    return NULL;
}

/* Makes a text node of the text that Go prints. */
static json_t *text_node(struct path_run *run, const struct path_value *value) {
    struct fx_text text = {0};
    if (!fx_jsonpath_text(run, value, &text)) {
        return NULL;
    }
    json_t *node = fx_tree_new_string(text);
    return node != NULL ? node : fail_nomem(run);
}

static json_t *list_node(struct path_run *run, const struct path_value *value) {
    json_t *node = json_array();
    bool ok = node != NULL || fail_nomem(run) != NULL;
    for (size_t i = 0; ok && i < value->as.list->n_values; i++) {
        json_t *entry = fx_jsonpath_json(run, &value->as.list->values[i]);
        ok = entry != NULL &&
             (json_array_append_new(node, entry) == 0 || fail_nomem(run) != NULL);
    }
    if (!ok) {
        json_decref(node);
        return NULL;
    }
    return node;
}

static json_t *map_node(struct path_run *run, const struct path_value *value) {
    json_t *node = json_object();
    bool ok = node != NULL || fail_nomem(run) != NULL;
    for (size_t i = 0; ok && i < value->as.map->n_members; i++) {
        const struct value_member *member = &value->as.map->members[i];
        json_t *child = fx_jsonpath_json(run, &member->value);
        ok = child != NULL &&
             (fx_tree_set_take(node, member->key, child) || fail_nomem(run) != NULL);
    }
    if (!ok) {
        json_decref(node);
        return NULL;
    }
    return node;
}

static json_t *checked(struct path_run *run, json_t *node) {
    return node != NULL ? node : fail_nomem(run);
}

static json_t *make_json(struct path_run *run, const struct path_value *value) {
    switch (value->kind) {
    case VALUE_NODE: return json_incref(value->as.node);
    case VALUE_NUMBER:
        return isfinite(value->as.number) ? checked(run, json_real(value->as.number))
                                          : text_node(run, value);
    case VALUE_INTEGER: return checked(run, json_integer(value->as.integer));
    case VALUE_COUNT:
        return value->as.integer < PLAIN_COUNT
                   ? checked(run, json_integer(value->as.integer))
                   : text_node(run, value);
    case VALUE_LIST: return list_node(run, value);
    case VALUE_MAP: return map_node(run, value);
    case VALUE_UNDEFINED:
    case VALUE_TEXT:
    case VALUE_DATE: break;
    }
    return text_node(run, value);
}

json_t *fx_jsonpath_json(struct path_run *run, const struct path_value *value) {
    if (!fx_jsonpath_spend(run, 1) || !fx_jsonpath_enter(run)) {
        return NULL;
    }
    json_t *node = make_json(run, value);
    fx_jsonpath_leave(run);
    return node;
}
