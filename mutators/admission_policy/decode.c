/* SPDX-License-Identifier: Apache-2.0
 *
 * decode.c - decodes an object into Go types, and back.
 *
 * The depth of an object is limited, so recursion is.
 */
#include "mutators/admission_policy/decode.h"

#include <math.h>

#include "base/base64.h"
#include "base/budget.h"
#include "base/date.h"
#include "base/limits.h"
#include "base/quantity.h"
#include "value/json_part.h"
#include "value/number.h"
#include "value/tree.h"

/* A step of the way to a value, each on the stack of its caller. */
struct decode_step {
    const struct decode_step *above; /* NULL: the root */
    struct fx_text key;              /* data NULL: an element of a list */
    size_t index;
};

/* A decoding under way. A refused value stays as it is, and the first one counts; the
 * functions return a new reference, NULL only if `failed`. */
struct decode_run {
    enum fx_map_encoding from;
    struct fx_arena *arena;
    struct fx_buf fault;   /* the first value that is refused */
    struct fx_buf unknown; /* the fields that are not declared */
    size_t n_unknown;
    bool failed; /* no memory, or the budget is exceeded */
    struct fx_err *err;
};

static json_t *decode(struct decode_run *run, struct fx_schema schema, json_t *node,
                      json_t *before, const struct decode_step *step);

static json_t *fail(struct decode_run *run, json_t *node_take) {
    json_decref(node_take);
    if (!run->failed) {
        (void)fx_map_fail_work(run->err);
    }
    run->failed = true;
    return NULL;
}

static json_t *check_made(struct decode_run *run, json_t *node) {
    return node != NULL ? node : fail(run, NULL);
}

/* ---- messages -----------------------------------------------------------------------
 */

/* Prints "spec.containers[0].image", or without the indexes. */
static void print_step(struct fx_buf *buf, const struct decode_step *step,
                       bool with_index) {
    for (const struct decode_step *printed = NULL; printed != step;) {
        const struct decode_step *next = step;
        while (next->above != printed) {
            next = next->above;
        }
        if (next->key.data != NULL) {
            fx_buf_str(buf, printed == NULL ? "" : ".");
            fx_buf_text(buf, next->key);
        } else if (with_index) {
            fx_buf_printf(buf, "[%zu]", next->index);
        }
        printed = next;
    }
}

/* Is this the first fault? */
static bool is_first(const struct decode_run *run) {
    return run->fault.len == 0;
}

static const char *json_type_name(const json_t *node) {
    return json_is_object(node)    ? "object"
           : json_is_array(node)   ? "array"
           : json_is_string(node)  ? "string"
           : json_is_boolean(node) ? "bool"
                                   : "number";
}

/* Refuses the value, which a field of another type has. */
static json_t *refuse_type(struct decode_run *run, json_t *node,
                           const struct decode_step *step, const char *go_type) {
    if (is_first(run)) {
        fx_buf_printf(&run->fault, "json: cannot unmarshal %s into Go struct field ",
                      json_type_name(node));
        print_step(&run->fault, step, false);
        fx_buf_printf(&run->fault, " of type %s", go_type);
    }
    return json_incref(node);
}

/* Refuses the value, which a type with a reader of its own has. */
static json_t *refuse_value(struct decode_run *run, json_t *node, const char *go_type) {
    if (is_first(run)) {
        fx_buf_printf(&run->fault, "json: cannot unmarshal %s into Go value of type %s",
                      json_type_name(node), go_type);
    }
    return json_incref(node);
}

/* Refuses an object that has moved, and of which only a part was decoded. */
static void refuse_part(struct decode_run *run) {
    if (is_first(run)) {
        fx_buf_str(&run->fault, "a part of the object was not decoded");
    }
}

static bool is_part_mark(struct fx_text key) {
    return fx_text_equal(key, FX_JSON_PARTIAL_KEY);
}

static void note_unknown(struct decode_run *run, const struct decode_step *step) {
    struct fx_buf path;
    if (run->n_unknown++ >= FX_LIMIT_REPORTED_FAULTS) {
        return;
    }
    fx_buf_init(&path, 0);
    print_step(&path, step, true);
    fx_buf_str(&run->unknown, run->n_unknown == 1 ? "" : ", ");
    fx_buf_printf(&run->unknown, "unknown field \"%s\"",
                  path.data == NULL ? "" : path.data);
    fx_buf_finish_part(&run->unknown, &path);
}

/* ---- scalars ------------------------------------------------------------------------
 */

/* Go converts a double to an int64, which wraps around in an int32. */
static int64_t truncate_double(double real) {
    return real >= -0x1p63 && real < 0x1p63 ? (int64_t)real : INT64_MIN;
}

static json_t *make_integer(struct decode_run *run, json_t *node, int64_t integer,
                            bool is_32_bits) {
    const int64_t kept = is_32_bits ? (int32_t)(uint32_t)(uint64_t)integer : integer;
    return json_is_integer(node) && json_integer_value(node) == kept
               ? json_incref(node)
               : check_made(run, json_integer(kept));
}

static json_t *decode_merged_integer(struct decode_run *run, json_t *node,
                                     bool is_32_bits) {
    const double real = json_real_value(node);
    if (json_is_integer(node)) {
        return make_integer(run, node, json_integer_value(node), is_32_bits);
    }
    if (real == trunc(real)) {
        return make_integer(run, node, truncate_double(real), is_32_bits);
    }
    if (is_first(run)) {
        fx_buf_printf(&run->fault, "cannot convert float64 to %s",
                      is_32_bits ? "int32" : "int64");
    }
    return json_incref(node);
}

static bool is_int32(const json_t *node) {
    return json_is_integer(node) && json_integer_value(node) >= INT32_MIN &&
           json_integer_value(node) <= INT32_MAX;
}

static json_t *decode_number(struct decode_run *run, enum fx_schema_format format,
                             json_t *node, const struct decode_step *step) {
    const bool is_32_bits = format == FX_SCHEMA_INT32;
    if (!json_is_number(node)) {
        return refuse_type(run, node, step, is_32_bits ? "int32" : "int64");
    }
    if (format != FX_SCHEMA_INT32 && format != FX_SCHEMA_INT64) {
        return json_incref(node);
    }
    if (run->from == FX_MAP_MERGED) {
        return decode_merged_integer(run, node, is_32_bits);
    }
    return json_is_integer(node) && (!is_32_bits || is_int32(node))
               ? json_incref(node)
               : refuse_type(run, node, step, is_32_bits ? "int32" : "int64");
}

static json_t *decode_bytes(struct decode_run *run, json_t *node,
                            const struct decode_step *step) {
    const struct fx_text text = fx_tree_text(node);
    struct fx_buf bytes;
    if (!json_is_string(node)) {
        return refuse_type(run, node, step, "[]uint8");
    }
    if (!fx_spend(text.len / FX_BUDGET_BYTES)) {
        return fail(run, NULL);
    }
    fx_buf_init(&bytes, 0);
    const bool ok = fx_base64_decode(&bytes, text);
    const bool failed = bytes.failed;
    fx_buf_finish(&bytes);
    if (failed) {
        return fail(run, NULL);
    }
    if (!ok && is_first(run)) {
        fx_buf_printf(&run->fault, "%sillegal base64 data at input byte %zu",
                      run->from == FX_MAP_MERGED ? "error decoding from json: " : "",
                      fx_base64_find_fault(text));
    }
    return json_incref(node);
}

/* The text of the amount in `buf`, in its usual form. */
static json_t *make_quantity(struct decode_run *run, json_t *node,
                             const struct fx_quantity *quantity) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_quantity_print(&buf, quantity);
    const struct fx_text text = fx_buf_view(&buf);
    json_t *same = json_is_string(node) && fx_text_equal(fx_tree_text(node), text)
                       ? json_incref(node)
                       : NULL;
    json_t *made = same != NULL ? same : buf.failed ? NULL : fx_tree_new_string(text);
    fx_buf_finish(&buf);
    return check_made(run, made);
}

/* A quantity is read from the JSON text of any scalar. */
static json_t *decode_quantity(struct decode_run *run, json_t *node) {
    struct fx_quantity quantity;
    struct fx_buf number;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&number, 0);
    if (json_is_number(node)) {
        fx_number_add(&number, node);
    }
    const struct fx_text text = json_is_string(node)   ? fx_tree_text(node)
                                : json_is_number(node) ? fx_buf_view(&number)
                                                       : FX_TEXT("{}");
    const bool ok =
        !number.failed &&
        fx_quantity_parse(run->arena, fx_text_trim_space(text), &quantity, &err);
    const bool failed = number.failed || (!ok && err.code != FX_EMUTATE);
    fx_buf_finish(&number);
    if (failed) {
        return fail(run, NULL);
    }
    if (ok) {
        return make_quantity(run, node, &quantity);
    }
    if (is_first(run)) {
        fx_buf_str(&run->fault, err.msg);
    }
    return json_incref(node);
}

static json_t *decode_int_or_string(struct decode_run *run, json_t *node) {
    const double real = json_real_value(node);
    if (json_is_string(node) || is_int32(node)) {
        return json_incref(node);
    }
    if (json_is_real(node) && real == trunc(real) && real >= INT32_MIN &&
        real <= INT32_MAX) {
        return make_integer(run, node, (int64_t)real, true);
    }
    return refuse_value(run, node, "int32");
}

static json_t *decode_date(struct decode_run *run, json_t *node) {
    int64_t seconds = 0;
    if (!json_is_string(node)) {
        return refuse_value(run, node, "string");
    }
    if (is_first(run) && !fx_date_parse(fx_tree_text(node), &seconds)) {
        fx_buf_str(&run->fault, "parsing time: not a date of RFC 3339");
    }
    return json_incref(node);
}

/* A value of a type that its format tells. */
static json_t *decode_scalar(struct decode_run *run, const struct fx_schema_node *type,
                             json_t *node, const struct decode_step *step) {
    const enum fx_schema_format format = (enum fx_schema_format)type->format;
    switch (format) {
    case FX_SCHEMA_BYTES: return decode_bytes(run, node, step);
    case FX_SCHEMA_QUANTITY: return decode_quantity(run, node);
    case FX_SCHEMA_INT_OR_STRING:
    case FX_SCHEMA_OPTIONAL_INT_OR_STRING: return decode_int_or_string(run, node);
    case FX_SCHEMA_DATE_TIME: return decode_date(run, node);
    case FX_SCHEMA_NO_FORMAT:
    case FX_SCHEMA_INT32:
    case FX_SCHEMA_INT64:
    case FX_SCHEMA_DOUBLE: break;
    }
    if (type->type == FX_SCHEMA_NUMBER) {
        return decode_number(run, format, node, step);
    }
    if (type->type == FX_SCHEMA_STRING && !json_is_string(node)) {
        return refuse_type(run, node, step, "string");
    }
    if (type->type == FX_SCHEMA_BOOL && !json_is_boolean(node)) {
        return refuse_type(run, node, step, "bool");
    }
    return json_incref(node);
}

/* ---- null ---------------------------------------------------------------------------
 */

/* What a null becomes: the zero value of its Go type. A null that is left is that of a
 * pointer, list or map; in a struct it is left out when the object is written. */
static json_t *decode_null(struct decode_run *run, const struct fx_schema_node *type,
                           json_t *null, bool is_field) {
    if (type->format == FX_SCHEMA_INT_OR_STRING) {
        return check_made(run, json_integer(0));
    }
    if (is_field || type->format == FX_SCHEMA_BYTES) {
        return json_incref(null);
    }
    if (type->format == FX_SCHEMA_QUANTITY) {
        return check_made(run, json_string("0"));
    }
    switch ((enum fx_schema_type)type->type) {
    case FX_SCHEMA_STRING: return check_made(run, json_string(""));
    case FX_SCHEMA_NUMBER: return check_made(run, json_integer(0));
    case FX_SCHEMA_BOOL: return json_false();
    case FX_SCHEMA_STRUCT: return check_made(run, json_object());
    case FX_SCHEMA_ANY:
    case FX_SCHEMA_SCALAR:
    case FX_SCHEMA_MAP:
    case FX_SCHEMA_LIST: break;
    }
    return json_incref(null);
}

/* ---- objects and lists --------------------------------------------------------------
 */

/* Puts the decoded member in the copy of the object that is made for the first one that
 * differs. */
static json_t *put_member(struct decode_run *run, json_t *made_take, struct fx_text key,
                          json_t *member, json_t *decoded_take) {
    json_t *made = made_take;
    if (decoded_take == NULL) {
        return fail(run, made);
    }
    if (decoded_take == member) {
        json_decref(decoded_take);
        return made;
    }
    if (fx_tree_own_root(&made) == NULL) {
        json_decref(decoded_take);
        return fail(run, made);
    }
    return fx_tree_set_take(made, key, decoded_take) ? made : fail(run, made);
}

static json_t *drop_member(struct decode_run *run, json_t *made_take,
                           struct fx_text key) {
    json_t *made = made_take;
    if (fx_tree_own_root(&made) == NULL) {
        return fail(run, made);
    }
    fx_tree_remove_key(made, key);
    return made;
}

static json_t *decode_members(struct decode_run *run, struct fx_schema schema,
                              json_t *node, json_t *before,
                              const struct decode_step *above) {
    const bool is_struct = fx_schema_node(schema)->type == FX_SCHEMA_STRUCT;
    json_t *made = json_incref(node);
    for (void *iter = fx_node_first(node); made != NULL && iter != NULL;
         iter = fx_node_next(node, iter)) {
        const struct decode_step step = {.above = above, .key = fx_node_key(iter)};
        const struct fx_schema member =
            is_struct ? fx_schema_field(schema, step.key) : fx_schema_element(schema);
        json_t *value = json_object_iter_value(iter);
        json_t *value_before = fx_tree_view_text(before, step.key);
        if (value == value_before) {
            continue;
        }
        if (is_part_mark(step.key)) {
            refuse_part(run);
            continue;
        }
        if (member.set == NULL) {
            note_unknown(run, &step);
            continue;
        }
        json_t *decoded = json_is_null(value)
                              ? decode_null(run, fx_schema_node(member), value, is_struct)
                              : decode(run, member, value, value_before, &step);
        made = is_struct && json_is_null(decoded)
                   ? drop_member(run, made, step.key)
                   : put_member(run, made, step.key, value, decoded);
    }
    return made;
}

static json_t *put_element(struct decode_run *run, json_t *made_take, size_t index,
                           json_t *element, json_t *decoded_take) {
    json_t *made = made_take;
    if (decoded_take == NULL) {
        return fail(run, made);
    }
    if (decoded_take == element) {
        json_decref(decoded_take);
        return made;
    }
    if (fx_tree_own_root(&made) == NULL) {
        json_decref(decoded_take);
        return fail(run, made);
    }
    return fx_tree_set_index_take(made, index, decoded_take) ? made : fail(run, made);
}

static json_t *decode_elements(struct decode_run *run, struct fx_schema list,
                               json_t *node, json_t *before,
                               const struct decode_step *above) {
    const struct fx_schema schema = fx_schema_element(list);
    json_t *made = json_incref(node);
    for (size_t i = 0; made != NULL && i < json_array_size(node); i++) {
        const struct decode_step step = {.above = above, .index = i};
        json_t *element = json_array_get(node, i);
        json_t *element_before = json_array_get(before, i);
        if (element == element_before) {
            continue;
        }
        json_t *decoded = json_is_null(element)
                              ? decode_null(run, fx_schema_node(schema), element, false)
                              : decode(run, schema, element, element_before, &step);
        made = put_element(run, made, i, element, decoded);
    }
    return made;
}

/* Decodes a value that is not null. */
static json_t *decode(struct decode_run *run, struct fx_schema schema, json_t *node,
                      json_t *before, const struct decode_step *step) {
    const struct fx_schema_node *type = fx_schema_node(schema);
    if (run->failed || !fx_spend(8)) {
        return fail(run, NULL);
    }
    switch ((enum fx_schema_type)type->type) {
    case FX_SCHEMA_STRUCT:
    case FX_SCHEMA_MAP:
        return json_is_object(node) ? decode_members(run, schema, node, before, step)
                                    : refuse_type(run, node, step, "map");
    case FX_SCHEMA_LIST:
        return json_is_array(node) ? decode_elements(run, schema, node, before, step)
                                   : refuse_type(run, node, step, "list");
    case FX_SCHEMA_ANY:
    case FX_SCHEMA_STRING:
    case FX_SCHEMA_NUMBER:
    case FX_SCHEMA_BOOL:
    case FX_SCHEMA_SCALAR: break;
    }
    return decode_scalar(run, type, node, step);
}

/* ---- the whole ------------------------------------------------------------------------
 */

/* Is the object refused? A value of a wrong type comes before undeclared fields. */
static bool end_decoding(const struct decode_run *run, struct fx_map_refusal *refusal) {
    const bool is_strict = run->from == FX_MAP_JSON;
    const unsigned code = is_strict ? 500 : 403;
    if (run->fault.failed || run->unknown.failed) {
        return fx_fail_nomem(run->err);
    }
    if (run->fault.len > 0) {
        fx_buf_text(&refusal->message, fx_buf_view(&run->fault));
        return fx_map_reject(refusal, code, run->err);
    }
    if (is_strict && run->n_unknown > 0) {
        fx_buf_str(&refusal->message, "strict decoding error: ");
        fx_buf_text(&refusal->message, fx_buf_view(&run->unknown));
        return fx_map_reject(refusal, code, run->err);
    }
    return true;
}

json_t *fx_map_decode(const struct fx_map_decoding *decoding, json_t *object,
                      struct fx_arena *arena, struct fx_map_refusal *refusal,
                      struct fx_err *err) {
    struct decode_run run = {.from = decoding->from, .arena = arena, .err = err};
    fx_buf_init(&run.fault, 0);
    fx_buf_init(&run.unknown, 0);
    json_t *decoded = object == decoding->before ? json_incref(object)
                                                 : decode(&run, decoding->schema, object,
                                                          decoding->before, NULL);
    if (decoded != NULL && !end_decoding(&run, refusal)) {
        json_decref(decoded);
        decoded = NULL;
    }
    fx_buf_finish(&run.fault);
    fx_buf_finish(&run.unknown);
    return decoded;
}
