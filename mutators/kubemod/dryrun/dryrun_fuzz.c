/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/dryrun_fuzz.c - any bytes are answered in JSON; a patch that is
 * answered applies to the object that came, and gives the object of the difference that
 * is answered.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "mutators/kubemod/dryrun/dryrun.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"
#include "value/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a unified difference, applied ----------------------------------------------- */

/* Cuts the first line, its end included, off the text. */
static struct fx_text take_line(struct fx_text *text) {
    assert(text->len > 0);
    const char *end = memchr(text->data, '\n', text->len);
    const size_t len = end == NULL ? text->len : (size_t)(end - text->data) + 1;
    const struct fx_text line = {text->data, len};
    *text = (struct fx_text){text->data + len, text->len - len};
    return line;
}

/* Copies the lines before the hunk whose header this is: "@@ -5,6 +5,7 @@". One that
 * takes nothing away begins behind the line it names. */
static void skip_to(struct fx_text header, struct fx_text *before, size_t *line,
                    struct fx_buf *after) {
    assert(fx_text_starts(header, FX_TEXT("@@ -")));
    char *end = NULL;
    size_t first = strtoul(header.data + strlen("@@ -"), &end, 10);
    const bool is_empty = strncmp(end, ",0 ", strlen(",0 ")) == 0;
    for (first += is_empty; *line < first; ++*line) {
        fx_buf_text(after, take_line(before));
    }
}

static void apply_diff(struct fx_text diff, struct fx_text before, struct fx_buf *after) {
    size_t line = 1;
    while (diff.len > 0) {
        const struct fx_text next = take_line(&diff);
        const struct fx_text content = {next.data + 1, next.len - 1};
        if (next.data[0] == '@') {
            skip_to(next, &before, &line, after);
            continue;
        }
        if (next.data[0] != '+') {
            assert(next.data[0] == ' ' || next.data[0] == '-');
            const struct fx_text old = take_line(&before);
            assert(fx_text_equal(old, content));
            line++;
        }
        if (next.data[0] != '-') {
            fx_buf_text(after, content);
        }
    }
    fx_buf_text(after, before);
}

/* ---- what is answered ------------------------------------------------------------ */

static json_t *read_yaml(const struct fx_buf *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = NULL;
    struct fx_yaml_reader *reader = fx_yaml_open((struct fx_text){text->data, text->len});
    const bool ok = reader != NULL && fx_yaml_next(reader, NULL, &root, &err);
    assert(ok && root != NULL);
    fx_yaml_close(reader);
    return root;
}

static void check_diff(struct fx_text diff, const json_t *object, json_t *patched) {
    struct fx_buf before;
    struct fx_buf after;
    fx_buf_init(&before, 0);
    fx_buf_init(&after, 0);
    fx_yaml_write(&before, object);
    apply_diff(diff, (struct fx_text){before.data, before.len}, &after);
    json_t *read = read_yaml(&after);
    assert(fx_equal(read, patched));
    json_decref(read);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
}

static void check_patch(json_t *document, struct fx_text diff, json_t *object) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch patch;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    const bool parsed = fx_patch_parse(&patch, document, &err);
    assert(parsed);
    json_t *patched = json_incref(object);
    const bool applied = fx_patch_apply(&patch, &patched, &err);
    assert(applied);
    assert((patch.n_ops == 0) == (diff.len == 0));
    if (diff.len > 0) {
        check_diff(diff, object, patched);
    }
    json_decref(patched);
    fx_arena_finish(&arena);
}

static void check_lists(const json_t *said) {
    static const char *const lists[] = {"patch", "rejections", "warnings", "rules"};
    for (size_t i = 0; i < FX_COUNT(lists); i++) {
        assert(json_is_array(fx_tree_view_key(said, lists[i])));
    }
}

static void check(struct fx_text request, const struct fx_dry_run_answer *answer) {
    struct fx_err err = FX_ERR_INIT;
    json_t *said =
        fx_json_read((struct fx_text){answer->body.data, answer->body.len}, NULL, &err);
    assert(json_is_object(said));
    if (answer->status != 200) {
        assert(answer->status == 400 && !answer->retry_after);
        assert(json_object_size(said) == 1);
        assert(fx_tree_view_string(said, "error").len > 0);
        json_decref(said);
        return;
    }
    json_t *parsed = fx_json_read(request, NULL, &err);
    check_lists(said);
    check_patch(fx_tree_view_key(said, "patch"), fx_tree_view_string(said, "diff"),
                fx_tree_view_key(parsed, "resourceManifest"));
    json_decref(parsed);
    json_decref(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text request = {(const char *)data, size};
    struct fx_dry_run_answer answer;
    fx_dry_run_kubemod.answer(request, NULL, 0, NULL, &answer);
    check(request, &answer);
    fx_buf_finish(&answer.body);
    return 0;
}
