/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/regex.c - the messages for invalid patterns.
 */
#include "location/go/regex.h"

#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"

/* RE2's error codes and Go's. */
static const struct {
    const char *re2, *go;
} complaints[] = {
    {"missing ]", "missing closing ]"},
    {"missing )", "missing closing )"},
    {"trailing \\", "trailing backslash at end of expression"},
    {"no argument for repetition operator", "missing argument to repetition operator"},
    {"invalid repetition size", "invalid repeat count"},
    {"bad repetition operator", "invalid nested repetition operator"},
    {"invalid perl operator", "invalid or unsupported Perl syntax"},
    {"invalid named capture group", "invalid named capture"},
};

/* Appends an error. Go prints `code: `part``, RE2 prints `code: part`, or only `code` if
 * the part is empty. */
void fx_go_regex_message(struct fx_buf *buf, const char *message) {
    const char *colon = strstr(message, ": ");
    const size_t len = colon == NULL ? strlen(message) : (size_t)(colon - message);
    const struct fx_text code = {message, len};
    const char *go = NULL;
    for (size_t i = 0; i < FX_COUNT(complaints); i++) {
        if (fx_text_is(code, complaints[i].re2)) {
            go = complaints[i].go;
        }
    }
    fx_buf_text(buf, go == NULL ? code : fx_text_of(go));
    fx_buf_printf(buf, ": `%s`", colon == NULL ? "" : colon + 2);
}
