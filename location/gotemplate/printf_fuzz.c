/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/printf_fuzz.c - any format, with values of all kinds, gives a
 * text or exceeds a limit, and the same each time.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "location/gotemplate/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte selects the first value. */
static bool format_once(struct template_run *run, const uint8_t *data, size_t size,
                        struct fx_buf *ret) {
    struct value elements[] = {value_nil(), value_int(7), value_string(FX_TEXT("é\xff")),
                               value_float64(-0.0)};
    struct map_entry entries[] = {{FX_TEXT("a"), value_bool(true)},
                                  {FX_TEXT("b"), value_nil()}};
    struct template_list list = {TYPE_LIST, FX_COUNT(elements), elements};
    struct map map = {.type = TYPE_MAP, .n = 2, .capacity = 2, .entries = entries};
    const struct value values[] = {
        value_int(-42),           value_string(FX_TEXT("a\"b`\n")),
        value_float64(1234.5678), value_list(&list),
        value_map(&map),          value_nil(),
        value_bool(false),        value_int64(INT64_MIN),
        value_float64(5e-324),    value_int64(5),
        {.kind = VALUE_UINT64},
    };
    const size_t from = data[0] % FX_COUNT(values);
    const struct fx_text format = {(const char *)data + 1, size - 1};
    return format_values(run, format, values + from, FX_COUNT(values) - from, ret);
}

/* The budget is small, so that no width takes long. */
static bool format_fresh(const uint8_t *data, size_t size, struct fx_buf *ret) {
    struct fx_err err = FX_ERR_INIT;
    struct template_run run;
    max_align_t block[256];
    run_init(&run, block, sizeof block, &err);
    fx_buf_init(ret, 1u << 16);
    const bool ok = format_once(&run, data, size, ret);
    assert(ok || (err.code != FX_OK && err.msg[0] != '\0'));
    run_finish(&run);
    return ok && !ret->failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_buf first;
    struct fx_buf second;
    if (size == 0) {
        return 0;
    }
    const bool ok = format_fresh(data, size, &first);
    assert(format_fresh(data, size, &second) == ok);
    if (ok) {
        assert(first.len == second.len);
        assert(first.len == 0 || memcmp(first.data, second.data, first.len) == 0);
        /* No value is dropped silently, except by a precision of 0 (`%.x`). */
        assert(memchr(data + 1, '%', size - 1) != NULL || first.len >= size - 1);
    }
    fx_buf_finish(&first);
    fx_buf_finish(&second);
    return 0;
}
