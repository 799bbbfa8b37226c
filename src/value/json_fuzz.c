/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_fuzz.c - any bytes: read as JSON or refused with a reason; what was read and
 * written in every style reads back equal; reading a part gives just that part; and what
 * is passed over is what would have been read.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/json_internal.h"
#include "value/json_part_testing.h"
#include "value/marks.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err, struct fx_text text) {
    assert(err->code == FX_ESYNTAX || err->code == FX_ELIMIT);
    assert(err->msg[0] != '\0');
    assert(err->off <= text.len && err->len <= text.len - err->off);
    assert(fx_text_is_utf8(fx_text_of(err->msg)));
}

static void check_marks(const struct fx_marks *marks, struct fx_text text) {
    for (size_t i = 0; i < marks->n_items; i++) {
        const struct fx_mark *mark = &marks->items[i];
        assert(mark->off < text.len);
        assert(mark->line >= 1 && mark->column >= 1);
        assert(i == 0 || mark->off > marks->items[i - 1].off);
    }
}

static bool same(const json_t *a, const json_t *b);

static bool same_members(const json_t *a, const json_t *b) {
    bool is_same = json_object_size(a) == json_object_size(b);
    void *iter = fx_node_first(a);
    for (; is_same && iter != NULL; iter = fx_node_next(a, iter)) {
        const json_t *other = fx_tree_view_text(b, fx_node_key(iter));
        is_same = other != NULL && same(json_object_iter_value(iter), other);
    }
    return is_same;
}

static bool same_elements(const json_t *a, const json_t *b) {
    bool is_same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; is_same && i < json_array_size(a); i++) {
        is_same = same(json_array_get(a, i), json_array_get(b, i));
    }
    return is_same;
}

/* Equal with numbers as doubles. Go writes the double 2^57 + 2^10 without a fraction in
 * its shortest digits, 144115188075856900, which reads as that integer and not as the
 * double's own 144115188075856896. */
static bool same(const json_t *a, const json_t *b) {
    if (json_is_number(a) && json_is_number(b)) {
        return json_number_value(a) == json_number_value(b);
    }
    if (json_is_object(a) && json_is_object(b)) {
        return same_members(a, b);
    }
    if (json_is_array(a) && json_is_array(b)) {
        return same_elements(a, b);
    }
    return fx_equal(a, b);
}

/* Writes the value into `text` and reads that. */
static json_t *read_back(const json_t *value, unsigned style, struct fx_buf *text) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(text, 0);
    fx_json_write(text, value, style);
    const struct fx_text written = {text->data, text->len};
    assert(!text->failed && fx_text_is_utf8(written));
    json_t *again = fx_json_read(written, NULL, &err);
    assert(again != NULL && same(value, again));
    return again;
}

/* From the second time on value and text stay: the first may write "-0", which reads as
 * the integer 0. */
static void check_round_trip(const json_t *value, unsigned style) {
    struct fx_buf texts[3];
    json_t *once = read_back(value, style, &texts[0]);
    json_t *twice = read_back(once, style, &texts[1]);
    json_t *thrice = read_back(twice, style, &texts[2]);
    assert(fx_equal(once, twice) && fx_equal(twice, thrice));
    assert(texts[1].len == texts[2].len);
    assert(memcmp(texts[1].data, texts[2].data, texts[1].len) == 0);
    json_decref(once);
    json_decref(twice);
    json_decref(thrice);
    for (size_t i = 0; i < 3; i++) {
        fx_buf_finish(&texts[i]);
    }
}

/* Is `part` what is wanted of `whole`: here `a`, and of `b` only `c`? */
static bool is_part(const json_t *part, const json_t *whole,
                    const struct fx_json_part *of);

static bool members_are_part(const json_t *part, const json_t *whole,
                             const struct fx_json_part *of) {
    bool fits = true;
    size_t n_lost = 0;
    for (void *iter = fx_node_first(whole); iter != NULL;
         iter = fx_node_next(whole, iter)) {
        const struct fx_text key = fx_node_key(iter);
        const struct fx_json_part *below = fx_json_part_find(of, key);
        const bool is_wanted = below != NULL || !of->omits_rest;
        const json_t *left = fx_tree_view_text(part, key);
        n_lost += !is_wanted;
        fits = fits && is_wanted == (left != NULL) &&
               (left == NULL || is_part(left, json_object_iter_value(iter), below));
    }
    const size_t more = n_lost > 0 ? 1 : 0;
    return fits &&
           (fx_tree_view_text(part, FX_JSON_PARTIAL_KEY) != NULL) == (n_lost > 0) &&
           json_object_size(part) + n_lost == json_object_size(whole) + more;
}

static bool is_part(const json_t *part, const json_t *whole,
                    const struct fx_json_part *of) {
    if (of == NULL || json_typeof(part) != json_typeof(whole)) {
        return fx_equal(part, whole);
    }
    if (json_is_object(whole)) {
        return members_are_part(part, whole, of);
    }
    bool fits = json_array_size(part) == json_array_size(whole);
    for (size_t i = 0; fits && i < json_array_size(whole); i++) {
        fits = is_part(json_array_get(part, i), json_array_get(whole, i), of);
    }
    return json_is_array(whole) ? fits : fx_equal(part, whole);
}

static void check_part(struct fx_text text, const json_t *value,
                       const struct fx_err *why) {
    static const struct fx_text a = {"a", 1};
    static const struct fx_text b_c[] = {{"b", 1}, {"c", 1}};
    struct fx_json_part wanted = {.omits_rest = true};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = part_testing_add(&wanted, &a, 1) && part_testing_add(&wanted, b_c, 2);
    assert(ok);
    json_t *part = fx_json_read_part(text, &wanted, NULL, &err);
    if (value != NULL) {
        assert(part != NULL && is_part(part, value, &wanted));
        assert(fx_json_is_whole(part) == fx_equal(part, value));
    } else if (why->code == FX_ESYNTAX) {
        assert(part == NULL && err.off == why->off && strcmp(err.msg, why->msg) == 0);
    }
    json_decref(part);
    fx_json_part_finish(&wanted);
}

static bool has_exponent(struct fx_text text) {
    for (size_t i = 1; i < text.len; i++) {
        const char before = text.data[i - 1];
        if ((text.data[i] | 0x20) == 'e' && before >= '0' && before <= '9') {
            return true;
        }
    }
    return false;
}

/* The fast way past a value ends where the reader does; and what it refuses is an error,
 * or one of the few things that it leaves to the reader. `more` bytes follow, as many as
 * make a difference to the check of the last ones. */
static void check_skip(struct fx_text text, const json_t *value, const struct fx_err *why,
                       size_t more) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_text(&buf, text);
    fx_buf_fill(&buf, ' ', more);
    fx_buf_str(&buf, more > 0 ? "}" : "");
    char *copy = malloc(buf.len); /* of just that size */
    assert(copy != NULL && !buf.failed);
    memcpy(copy, buf.data, buf.len);
    const char *const end = copy + text.len;
    const char *after = fx_json_skip(copy, copy + buf.len, FX_LIMIT_JSON_DEPTH);
    while (after != NULL && after < end && strchr(" \n\r\t", *after) != NULL &&
           *after != '\0') {
        after++;
    }
    const bool is_memory = value == NULL && why->code == FX_ELIMIT;
    assert((after == end) <= (value != NULL || is_memory));
    const bool is_easy =
        (more > 0 || end[-1] == '}') && text.len < 300 && !has_exponent(text);
    assert(!is_easy || value == NULL || after == end);
    free(copy);
    fx_buf_finish(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    struct fx_marks marks = {0};
    json_t *value = fx_json_read(text, &marks, &err);
    if (value == NULL) {
        check_failure(&err, text);
        assert(marks.n_items == 0);
    } else {
        check_marks(&marks, text);
        check_round_trip(value, FX_JSON_COMPACT);
        check_round_trip(value, FX_JSON_HTML | FX_JSON_SORT_KEYS);
        if (size < 1000) { /* a deep value has many blanks */
            check_round_trip(value, FX_JSON_INDENT);
        }
    }
    check_part(text, value, &err);
    for (size_t more = 0; size > 0 && more < 40; more += 1 + more / 4) {
        check_skip(text, value, &err, more);
    }
    json_decref(value);
    fx_marks_finish(&marks);
    return 0;
}
