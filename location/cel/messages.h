/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/messages.h - the messages of protobuf that an expression may write as a
 * struct, in every environment, and that are values of other types:
 * `google.protobuf.Timestamp{seconds: 1}` is a timestamp. Private to the room.
 */
#ifndef FX_LOCATION_CEL_MESSAGES_H
#define FX_LOCATION_CEL_MESSAGES_H

#include <stdbool.h>
#include <string.h>

#include "location/cel/run.h"
#include "location/cel/type.h"
#include "location/cel/value.h"

struct fx_cel_message {
    const char *name;               /* "google.protobuf.Timestamp" */
    const struct fx_cel_type *type; /* of its values */
    const struct fx_cel_field *fields;
};

/* NULL: there is no message of this name. */
const struct fx_cel_message *fx_cel_message_find(struct fx_text name);

/* The value of a literal with these fields, which are a map with string keys. An error
 * value if a field has another type, or does not fit. */
struct fx_cel_value fx_cel_message_value(struct fx_cel_run *run,
                                         const struct fx_cel_message *message,
                                         struct fx_cel_value fields);

/* Is it the type of a message that is a number, string, bool or bytes, and may be null?
 */
static inline bool fx_cel_is_wrapper(const struct fx_cel_type *type) {
    return strncmp(type->name, "wrapper(", sizeof "wrapper(" - 1) == 0;
}

#endif
