/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_fuzz.c - two JSON texts with a line break or NUL between them. The patch
 * from the one to the other, applied to a reference of the first, gives the second and
 * leaves the first as it was; written and read back it does the same. The second is also
 * tried as a patch of the first.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_value(const json_t *value) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    char *text = fx_buf_steal(&buf);
    assert(text != NULL);
    return text;
}

static void assert_applies(const struct fx_patch *patch, json_t *before,
                           const json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_incref(before);
    const bool ok = fx_patch_apply(patch, &root, &err);
    assert(ok && fx_equal(root, after));
    json_decref(root);
}

static void assert_written_applies(const struct fx_patch *patch, struct fx_arena *arena,
                                   json_t *before, const json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_patch again;
    struct fx_buf text;
    fx_patch_init(&again, arena);
    fx_buf_init(&text, 0);
    fx_patch_write(&text, patch, FX_JSON_COMPACT);
    assert(!text.failed);
    json_t *document = fx_json_read((struct fx_text){text.data, text.len}, NULL, &err);
    if (document == NULL) { /* values of the greatest depth stand two deeper here */
        assert(err.code == FX_ELIMIT);
    } else {
        const bool parsed = fx_patch_parse(&again, document, &err);
        assert(parsed && again.n_ops == patch->n_ops);
        assert_applies(&again, before, after);
    }
    json_decref(document);
    fx_buf_finish(&text);
}

typedef bool diff_function(struct fx_patch *patch, json_t *before, json_t *after,
                           struct fx_err *err);

static void check_diff_by(diff_function *diff, json_t *before, json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch patch;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    const bool made = diff(&patch, before, after, &err);
    assert(made);
    assert((patch.n_ops == 0) == fx_equal(before, after));
    assert_applies(&patch, before, after);
    assert_written_applies(&patch, &arena, before, after);
    fx_arena_finish(&arena);
}

static void check_diff(json_t *before, json_t *after) {
    check_diff_by(fx_patch_diff, before, after);
    check_diff_by(fx_patch_diff_brief, before, after);
}

/* Each operation for itself does what all do at once. What copies add up to is bounded
 * for all in sum only. */
static void check_steps(const struct fx_patch *patch, json_t *before, const json_t *root,
                        enum fx_code code) {
    struct fx_err err = FX_ERR_INIT;
    json_t *stepped = json_incref(before);
    bool ok = true;
    for (size_t i = 0; ok && i < patch->n_ops; i++) {
        struct fx_patch one = *patch;
        one.ops = &patch->ops[i];
        one.n_ops = 1;
        ok = fx_patch_apply(&one, &stepped, &err);
    }
    assert(code == FX_ELIMIT || (ok == (code == FX_OK) && fx_equal(stepped, root)));
    json_decref(stepped);
}

static void check_apply(json_t *before, json_t *document) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch patch;
    json_t *root = json_incref(before);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    const bool parsed = fx_patch_parse(&patch, document, &err);
    const bool applied = parsed && fx_patch_apply(&patch, &root, &err);
    if (parsed) {
        check_steps(&patch, before, root, err.code);
    }
    if (applied) {
        check_diff(before, root);
    } else {
        assert(err.code == FX_EINVALID || err.code == FX_ELIMIT);
        assert(strncmp(err.msg, "operation ", 10) == 0 || !json_is_array(document));
    }
    json_decref(root);
    fx_arena_finish(&arena);
}

static void check_pair(json_t *before, json_t *after) {
    char *before_text = write_value(before);
    char *after_text = write_value(after);
    check_diff(before, after);
    check_apply(before, after);
    char *before_still = write_value(before);
    char *after_still = write_value(after);
    assert(strcmp(before_text, before_still) == 0);
    assert(strcmp(after_text, after_still) == 0);
    free(before_text);
    free(after_text);
    free(before_still);
    free(after_still);
}

/* Reads, writes and reads again: what Go writes of a double may read as another number
 * (json_fuzz.c), and the written patch is to be compared exactly. NULL where the text
 * does not read. */
static json_t *read_stable(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(text, NULL, &err);
    if (value == NULL) {
        return NULL;
    }
    char *written = write_value(value);
    json_t *stable = fx_json_read(fx_text_of(written), NULL, &err);
    assert(stable != NULL);
    free(written);
    json_decref(value);
    return stable;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    size_t split = 0;
    while (split < size && text[split] != '\n' && text[split] != '\0') {
        split++;
    }
    if (split == size) {
        return 0;
    }
    const struct fx_text rest = {text + split + 1, size - split - 1};
    json_t *before = read_stable((struct fx_text){text, split});
    json_t *after = before == NULL ? NULL : read_stable(rest);
    if (after != NULL) {
        check_pair(before, after);
    }
    json_decref(before);
    json_decref(after);
    return 0;
}
