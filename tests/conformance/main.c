/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - fixpoint-conformance FILE...: runs every case of the files with the code that
 * serves requests, and counts the results. In a .jsonl file each line is a case, a JSON
 * object; a .json file is a list of cases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/vec.h"
#include "kinds.h"
#include "result.h"
#include "value/json.h"
#include "value/tree.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

enum { EXIT_PASSED, EXIT_FAILED, EXIT_USAGE, EXIT_UNREADABLE = 5 };

struct tally {
    size_t passed, failed, skipped;
    struct reason {
        const char *words; /* a constant text */
        size_t n;
    } *reasons;
    size_t n_reasons, cap_reasons;
};

/* A line of a file, or an index in a list. */
struct place {
    const char *path;
    size_t number;
};

static void count_skip(struct tally *tally, const char *words) {
    tally->skipped++;
    for (size_t i = 0; i < tally->n_reasons; i++) {
        if (fx_text_is(fx_text_of(words), tally->reasons[i].words)) {
            tally->reasons[i].n++;
            return;
        }
    }
    if (FX_VEC_GROW(tally->reasons, tally->n_reasons, tally->cap_reasons)) {
        tally->reasons[tally->n_reasons++] = (struct reason){words, 1};
    }
}

static void tell_failure(const char *path, size_t line, struct fx_text name,
                         const struct fx_buf *words) {
    (void)printf("FAIL %s:%zu %.*s: %s\n", path, line, FX_TEXT_ARG(name),
                 words->failed || words->data == NULL ? "out of memory" : words->data);
}

/* Runs one case. If it cannot be read, `row` is NULL and `err` has the reason. */
static void run_case(const struct fx_case_kind *kind, const struct place *place,
                     json_t *row, const struct fx_err *err, struct tally *tally) {
    struct fx_case_result result = {.skipped = kind->skipped, .path = place->path};
    if (!json_is_object(row)) {
        fx_case_fail(&result, "the case", "a JSON object",
                     row == NULL ? err->msg : "another value");
    } else if (kind->run != NULL) {
        kind->run(row, &result);
    }
    if (result.failed) {
        tally->failed++;
        tell_failure(place->path, place->number, fx_tree_view_string(row, "name"),
                     &result.words);
    } else if (result.skipped != NULL) {
        count_skip(tally, result.skipped);
    } else {
        tally->passed++;
    }
    fx_case_result_finish(&result);
}

static void run_line(const struct fx_case_kind *kind, const struct place *place,
                     struct fx_text text, struct tally *tally) {
    struct fx_err err = FX_ERR_INIT;
    json_t *row = fx_json_read(text, NULL, &err);
    run_case(kind, place, row, &err, tally);
    json_decref(row);
}

static void run_text(const struct fx_case_kind *kind, const char *path,
                     struct fx_text text, struct tally *tally) {
    size_t start = 0;
    for (size_t line = 1; start < text.len; line++) {
        size_t end = start;
        while (end < text.len && text.data[end] != '\n') {
            end++;
        }
        if (end > start) {
            const struct place place = {path, line};
            run_line(kind, &place, (struct fx_text){text.data + start, end - start},
                     tally);
        }
        start = end + 1;
    }
}

static void run_list(const struct fx_case_kind *kind, const char *path,
                     struct fx_text text, struct tally *tally) {
    struct fx_err err = FX_ERR_INIT;
    json_t *rows = fx_json_read(text, NULL, &err);
    struct place place = {path, 0};
    if (!json_is_array(rows)) {
        run_case(kind, &place, NULL, &err, tally);
    }
    for (size_t i = 0; i < json_array_size(rows); i++) {
        place.number = i;
        run_case(kind, &place, json_array_get(rows, i), &err, tally);
    }
    json_decref(rows);
}

static int run_file(const char *path, struct tally *tally) {
    const struct fx_case_kind *kind = fx_case_kind_of(fx_text_of(path));
    if (kind == NULL) {
        (void)fprintf(stderr,
                      "%s: no kind of conformance file has this folder and name\n", path);
        return EXIT_USAGE;
    }
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&bytes, 0);
    const bool ok = fx_file_read(path, MAX_FILE_BYTES, &bytes, &err);
    const struct fx_text text = {bytes.data, bytes.len};
    if (ok && fx_text_ends(fx_text_of(path), FX_TEXT(".json"))) {
        run_list(kind, path, text, tally);
    } else if (ok) {
        run_text(kind, path, text, tally);
    } else {
        (void)fprintf(stderr, "%s\n", err.msg);
    }
    fx_buf_finish(&bytes);
    return ok ? EXIT_PASSED : EXIT_UNREADABLE;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        (void)fprintf(stderr, "usage: fixpoint-conformance FILE...\n");
        return EXIT_USAGE;
    }
    struct tally tally = {0};
    int status = EXIT_PASSED;
    for (int i = 1; i < argc; i++) {
        const int one = run_file(argv[i], &tally);
        status = one > status ? one : status;
    }
    for (size_t i = 0; i < tally.n_reasons; i++) {
        (void)printf("skipped %zu: %s\n", tally.reasons[i].n, tally.reasons[i].words);
    }
    (void)printf("%zu passed, %zu failed, %zu skipped\n", tally.passed, tally.failed,
                 tally.skipped);
    free(tally.reasons);
    if (fflush(stdout) != 0) {
        return EXIT_UNREADABLE;
    }
    return status == EXIT_PASSED && tally.failed > 0 ? EXIT_FAILED : status;
}
