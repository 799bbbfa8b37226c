/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/findings.c - the list of findings, and the positions of faults in a source.
 */
#include "policy/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "value/documents.h"
#include "value/tree.h"

static const char *const severity_names[] = {
#define X(name, text) [FX_SEVERITY_##name] = text,
    FX_SEVERITIES(X)
#undef X
};

const char *fx_severity_name(enum fx_severity severity) {
    return severity_names[severity];
}

static void finish_one(struct fx_finding *finding) {
    free(finding->file);
    free(finding->id);
    free(finding->text);
    free(finding->excerpt);
}

void fx_findings_finish(struct fx_findings *findings) {
    if (findings == NULL) {
        return;
    }
    for (size_t i = 0; i < findings->n_items; i++) {
        finish_one(&findings->items[i]);
    }
    free(findings->items);
    *findings = (struct fx_findings){0};
}

size_t fx_findings_count(const struct fx_findings *findings, enum fx_severity severity) {
    size_t count = 0;
    for (size_t i = 0; i < findings->n_items; i++) {
        count += findings->items[i].severity == severity;
    }
    return count;
}

/* Returns the text as a C string. A NUL in it becomes a blank, so that columns stay the
 * same. */
static char *copy_text(struct fx_text text) {
    char *copy = malloc(text.len + 1);
    if (copy == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = text.data[i];
        if (copy[i] == '\0') {
            copy[i] = ' ';
        }
    }
    copy[text.len] = '\0';
    return copy;
}

bool fx_findings_add(struct fx_findings *findings, enum fx_severity severity,
                     const char *file, const char *id,
                     const struct fx_source_position *position, const char *text) {
    const bool cited = position->excerpt.data != NULL;
    struct fx_finding finding = {
        .severity = severity,
        .file = strdup(file),
        .line = position->line,
        .column = position->column,
        .id = id == NULL ? NULL : strdup(id),
        .text = strdup(text),
        .excerpt = cited ? copy_text(position->excerpt) : NULL,
        .caret = position->caret,
        .caret_len = position->caret_len,
    };
    if (finding.file == NULL || (id != NULL && finding.id == NULL) ||
        finding.text == NULL || (cited && finding.excerpt == NULL) ||
        !FX_VEC_GROW(findings->items, findings->n_items, findings->cap_items)) {
        finish_one(&finding);
        return false;
    }
    findings->items[findings->n_items++] = finding;
    return true;
}

bool fx_findings_copy(struct fx_findings *findings, const struct fx_finding *finding) {
    const struct fx_source_position position = {
        .line = finding->line,
        .column = finding->column,
        .excerpt =
            finding->excerpt == NULL ? (struct fx_text){0} : fx_text_of(finding->excerpt),
        .caret = finding->caret,
        .caret_len = finding->caret_len,
    };
    return fx_findings_add(findings, finding->severity, finding->file, finding->id,
                           &position, finding->text);
}

/* ---- the position of a fault ------------------------------------------------------- */

/* A line may be a whole file of JSON. So many bytes on each side of the caret are more
 * than is ever shown. */
#define WINDOW_BYTES 400u

/* Returns the number of runes in the text. Each malformed byte counts as one. */
static uint32_t count_runes(struct fx_text text) {
    uint32_t count = 0;
    for (size_t at = 0; at < text.len; count++) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return count;
}

static struct fx_text slice(struct fx_text text, size_t from, size_t to) {
    return (struct fx_text){text.data + from, to - from};
}

/* Is this byte within a rune, not at its start? */
static bool splits_rune(struct fx_text text, size_t at) {
    return at < text.len && ((unsigned char)text.data[at] & 0xC0) == 0x80;
}

/* Returns the part of the line around `off`, at most WINDOW_BYTES on each side. */
static struct fx_text line_around(struct fx_text source, size_t off, size_t *ret_from) {
    size_t from = off;
    while (from > 0 && source.data[from - 1] != '\n' && off - from < WINDOW_BYTES) {
        from--;
    }
    while (from < off && splits_rune(source, from)) {
        from++;
    }
    size_t to = off;
    while (to < source.len && source.data[to] != '\n' && to - off < WINDOW_BYTES) {
        to++;
    }
    while (to > off && splits_rune(source, to)) {
        to--;
    }
    if (to > off && source.data[to - 1] == '\r') {
        to--;
    }
    *ret_from = from;
    return slice(source, from, to);
}

/* Sets excerpt and caret for `len` bytes at `off` of the source. If `len` is 0, the caret
 * is a point. */
static void point_into(struct fx_source_position *position, struct fx_text source,
                       size_t off, size_t len) {
    size_t from = 0;
    position->excerpt = line_around(source, off, &from);
    const size_t end = from + position->excerpt.len;
    const size_t to = off >= end ? off : len < end - off ? off + len : end;
    position->caret = count_runes(slice(source, from, off));
    position->caret_len = count_runes(slice(source, off, to));
    if (position->caret_len == 0) {
        position->caret_len = 1;
    }
}

struct fx_source_position fx_source_position_of_offset(struct fx_text source, size_t off,
                                                       size_t len) {
    struct fx_source_position position = {0};
    if (source.data == NULL) {
        return position;
    }
    const size_t at = off < source.len ? off : source.len;
    fx_documents_position(source, at, &position.line, &position.column);
    point_into(&position, source, at, len);
    return position;
}

/* Does the source have `value` verbatim at the mark, in one line? */
static bool is_verbatim(struct fx_text source, const struct fx_mark *mark,
                        struct fx_text value) {
    return mark->off <= source.len &&
           fx_text_starts(slice(source, mark->off, source.len), value) &&
           !fx_text_contains(value, FX_TEXT("\n"));
}

/* Returns the span of the fault in the value; the whole value if it has none. */
static struct fx_text span_of(const struct fx_err *fault, struct fx_text value,
                              size_t *ret_off) {
    const size_t off = fault->len == 0          ? 0
                       : fault->off < value.len ? fault->off
                                                : value.len;
    const size_t rest = value.len - off;
    *ret_off = off;
    return (struct fx_text){value.data + off,
                            fault->len == 0 || fault->len > rest ? rest : fault->len};
}

/* Sets the value itself as the excerpt, because the source has it folded or with
 * escapes. */
static void point_into_value(struct fx_source_position *position, struct fx_text value,
                             size_t off, size_t len) {
    size_t from = off < WINDOW_BYTES ? 0 : off - WINDOW_BYTES;
    while (from < off && splits_rune(value, from)) {
        from++;
    }
    size_t to = value.len - off < WINDOW_BYTES ? value.len : off + WINDOW_BYTES;
    while (to > off && splits_rune(value, to)) {
        to--;
    }
    position->excerpt = slice(value, from, to);
    position->caret = count_runes(slice(value, from, off));
    position->caret_len = count_runes(slice(value, off, len < to - off ? off + len : to));
    if (position->caret_len == 0) {
        position->caret_len = 1;
    }
}

struct fx_source_position fx_source_position_of_fault(struct fx_text source,
                                                      const struct fx_marks *marks,
                                                      const struct fx_err *fault,
                                                      uint32_t line) {
    const struct fx_mark *mark =
        fault->node == NULL ? NULL : fx_marks_find(marks, fault->node);
    if (mark == NULL || source.data == NULL) {
        return (struct fx_source_position){.line = line};
    }
    struct fx_source_position position = {.line = mark->line, .column = mark->column};
    const struct fx_text value = fx_tree_text(mark->node);
    if (value.data == NULL) { /* not a string: the excerpt is the line where it begins */
        const size_t at = mark->off < source.len ? mark->off : source.len;
        point_into(&position, source, at, 0);
        return position;
    }
    size_t off = 0;
    const struct fx_text span = span_of(fault, value, &off);
    if (is_verbatim(source, mark, value)) {
        position.column += count_runes(slice(value, 0, off));
        point_into(&position, source, mark->off + off, span.len);
    } else {
        point_into_value(&position, value, off, span.len);
    }
    return position;
}
