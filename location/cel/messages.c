/* SPDX-License-Identifier: Apache-2.0
 *
 * messages.c - messages of protobuf that are values of other types.
 */
#include "location/cel/messages.h"

#include <stdint.h>

#include "location/cel/functions.h"

#define NANOSECONDS INT64_C(1000000000) /* of a second */

/* ---- the table ----------------------------------------------------------------------
 */

#define WRAPPER(variable, kind_, name_)          \
    static const struct fx_cel_type variable = { \
        .kind = (kind_),                         \
        .name = (name_),                         \
    }

WRAPPER(wrapper_bool, FX_CEL_TYPE_BOOL, "wrapper(bool)");
WRAPPER(wrapper_bytes, FX_CEL_TYPE_BYTES, "wrapper(bytes)");
WRAPPER(wrapper_double, FX_CEL_TYPE_DOUBLE, "wrapper(double)");
WRAPPER(wrapper_int, FX_CEL_TYPE_INT, "wrapper(int)");
WRAPPER(wrapper_string, FX_CEL_TYPE_STRING, "wrapper(string)");
WRAPPER(wrapper_uint, FX_CEL_TYPE_UINT, "wrapper(uint)");

static const struct fx_cel_type map_string_dyn = {
    .kind = FX_CEL_TYPE_MAP,
    .name = "map",
    .params = {&fx_cel_string, &fx_cel_dyn},
};

#define FIELDS(variable, type) \
    static const struct fx_cel_field variable[] = {{"value", &(type)}, {NULL, NULL}}

FIELDS(bool_fields, fx_cel_bool);
FIELDS(bytes_fields, fx_cel_bytes);
FIELDS(double_fields, fx_cel_double);
FIELDS(int_fields, fx_cel_int);
FIELDS(string_fields, fx_cel_string);
FIELDS(uint_fields, fx_cel_uint);

static const struct fx_cel_field time_fields[] = {
    {"seconds", &fx_cel_int}, {"nanos", &fx_cel_int}, {NULL, NULL}};
static const struct fx_cel_field struct_fields[] = {{"fields", &map_string_dyn},
                                                    {NULL, NULL}};
static const struct fx_cel_field list_fields[] = {{"values", &fx_cel_list_dyn},
                                                  {NULL, NULL}};
static const struct fx_cel_field value_fields[] = {
    {"number_value", &fx_cel_double}, {"string_value", &fx_cel_string},
    {"bool_value", &fx_cel_bool},     {"struct_value", &map_string_dyn},
    {"list_value", &fx_cel_list_dyn}, {NULL, NULL}};

static const struct fx_cel_message messages[] = {
    {"google.protobuf.BoolValue", &wrapper_bool, bool_fields},
    {"google.protobuf.BytesValue", &wrapper_bytes, bytes_fields},
    {"google.protobuf.DoubleValue", &wrapper_double, double_fields},
    {"google.protobuf.Duration", &fx_cel_duration, time_fields},
    {"google.protobuf.FloatValue", &wrapper_double, double_fields},
    {"google.protobuf.Int32Value", &wrapper_int, int_fields},
    {"google.protobuf.Int64Value", &wrapper_int, int_fields},
    {"google.protobuf.ListValue", &fx_cel_list_dyn, list_fields},
    {"google.protobuf.StringValue", &wrapper_string, string_fields},
    {"google.protobuf.Struct", &map_string_dyn, struct_fields},
    {"google.protobuf.Timestamp", &fx_cel_timestamp, time_fields},
    {"google.protobuf.UInt32Value", &wrapper_uint, uint_fields},
    {"google.protobuf.UInt64Value", &wrapper_uint, uint_fields},
    {"google.protobuf.Value", &fx_cel_dyn, value_fields},
};

const struct fx_cel_message *fx_cel_message_find(struct fx_text name) {
    if (!fx_text_starts(name, FX_TEXT("google."))) {
        return NULL;
    }
    for (size_t i = 0; i < FX_COUNT(messages); i++) {
        if (fx_text_is(name, messages[i].name)) {
            return &messages[i];
        }
    }
    return NULL;
}

/* ---- values -------------------------------------------------------------------------
 */

/* The value that a field has if the literal does not set it. */
static struct fx_cel_value zero_of(struct fx_cel_run *run,
                                   const struct fx_cel_type *type) {
    switch ((int)type->kind) {
    case FX_CEL_TYPE_BOOL: return fx_cel_make_bool(false);
    case FX_CEL_TYPE_BYTES: return fx_cel_make_bytes(FX_TEXT(""));
    case FX_CEL_TYPE_DOUBLE: return fx_cel_make_double(0);
    case FX_CEL_TYPE_INT: return fx_cel_make_int(0);
    case FX_CEL_TYPE_UINT: return fx_cel_make_uint(0);
    case FX_CEL_TYPE_STRING: return fx_cel_make_string(FX_TEXT(""));
    case FX_CEL_TYPE_LIST: return fx_cel_new_list(run, 0);
    default: return fx_cel_new_map(run, 0);
    }
}

static bool has_range(const struct fx_cel_message *message, struct fx_cel_value value) {
    if (fx_text_is(FX_TEXT("google.protobuf.Int32Value"), message->name)) {
        return value.integer >= INT32_MIN && value.integer <= INT32_MAX;
    }
    return !fx_text_is(FX_TEXT("google.protobuf.UInt32Value"), message->name) ||
           value.uinteger <= UINT32_MAX;
}

/* The field of the literal, or its zero; an error value if it has another type. */
static struct fx_cel_value read_field(struct fx_cel_run *run,
                                      const struct fx_cel_message *message,
                                      const struct fx_cel_field *field,
                                      struct fx_cel_value fields) {
    struct fx_cel_value value;
    if (!fx_cel_map_find_text(fields, fx_text_of(field->name), &value)) {
        return zero_of(run, field->type);
    }
    if (fx_cel_type_of(value)->kind != field->type->kind || !has_range(message, value)) {
        return fx_cel_fail(run, "field type conversion error for %s.%s value type: %s",
                           message->name, field->name, fx_cel_type_name(value));
    }
    return value;
}

static struct fx_cel_value make_timestamp(struct fx_cel_run *run, int64_t seconds,
                                          int64_t nanoseconds) {
    struct fx_cel_value timestamp = {.kind = FX_CEL_TIMESTAMP};
    if (!fx_cel_is_timestamp(seconds) || nanoseconds < 0 || nanoseconds >= NANOSECONDS) {
        return fx_cel_fail(run, "timestamp overflow");
    }
    timestamp.timestamp.seconds = seconds;
    timestamp.timestamp.nanoseconds = (int32_t)nanoseconds;
    return timestamp;
}

static struct fx_cel_value make_duration(struct fx_cel_run *run, int64_t seconds,
                                         int64_t nanoseconds) {
    const int64_t most = INT64_MAX / NANOSECONDS - 1;
    if (seconds > most || seconds < -most || nanoseconds >= NANOSECONDS ||
        nanoseconds <= -NANOSECONDS) {
        return fx_cel_fail(run, "duration overflow");
    }
    return fx_cel_make_duration(seconds * NANOSECONDS + nanoseconds);
}

static struct fx_cel_value make_time(struct fx_cel_run *run,
                                     const struct fx_cel_message *message,
                                     struct fx_cel_value fields) {
    const struct fx_cel_value seconds =
        read_field(run, message, &message->fields[0], fields);
    const struct fx_cel_value nanoseconds =
        read_field(run, message, &message->fields[1], fields);
    if (fx_cel_is_error(seconds) || fx_cel_is_error(nanoseconds)) {
        return fx_cel_is_error(seconds) ? seconds : nanoseconds;
    }
    return message->type->kind == FX_CEL_TYPE_TIMESTAMP
               ? make_timestamp(run, seconds.integer, nanoseconds.integer)
               : make_duration(run, seconds.integer, nanoseconds.integer);
}

/* google.protobuf.Value: the field that is set, or null. */
static struct fx_cel_value make_any(struct fx_cel_run *run,
                                    const struct fx_cel_message *message,
                                    struct fx_cel_value fields) {
    struct fx_cel_value value;
    for (const struct fx_cel_field *field = message->fields; field->name != NULL;
         field++) {
        if (fx_cel_map_find_text(fields, fx_text_of(field->name), &value)) {
            return read_field(run, message, field, fields);
        }
    }
    return fx_cel_make_null();
}

struct fx_cel_value fx_cel_message_value(struct fx_cel_run *run,
                                         const struct fx_cel_message *message,
                                         struct fx_cel_value fields) {
    if (message->fields == time_fields) {
        return make_time(run, message, fields);
    }
    return message->fields == value_fields
               ? make_any(run, message, fields)
               : read_field(run, message, &message->fields[0], fields);
}
