/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_read.c - reads a stream of YAML documents: passes the events of libyaml's
 * parser to the composer, and adds positions to marks and errors.
 */
#include "value/yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/marks.h"
#include "value/yaml_internal.h"

/* The price of an event in libyaml, of the bytes of a scalar, and of the open flow
 * collections, which libyaml checks at each event. */
#define UNITS_OF_EVENT       16u
#define BYTES_OF_A_UNIT      2u /* bytes of a scalar */
#define BYTES_OF_TEXT_A_UNIT 4u
#define LEVELS_OF_A_UNIT     2u

/* Converts libyaml's positions, which count runes, to positions in the text. */
struct yaml_source {
    struct fx_text text; /* includes its byte order mark, which libyaml does not get */
    struct fx_position start; /* position after that mark */
    struct fx_position at;    /* the last converted position */
    size_t rune;              /* number of runes before `at` */
};

struct fx_yaml_reader {
    yaml_parser_t parser;
    struct yaml_source source;
    struct fx_yaml_composer composer;
    size_t flow_depth; /* number of open flow collections */
    size_t flow_work;
    size_t unpaid;   /* bytes of the text that are not paid for */
    bool over_limit; /* more directives than allowed */
    bool ended;
};

/* ---- positions --------------------------------------------------------------------- */

/* Returns the position of the rune. Ascending runes cost one pass in all. */
static struct fx_position position_of(struct yaml_source *source, size_t rune) {
    if (rune < source->rune) { /* an error may point back; nodes never do */
        source->at = source->start;
        source->rune = 0;
    }
    while (source->rune < rune && source->at.off < source->text.len) {
        fx_position_step(&source->at, source->text);
        source->rune++;
    }
    return source->at;
}

/* Returns the byte at `off`; NUL after the end. */
static char peek(struct fx_text text, size_t off) {
    if (off >= text.len) {
        return '\0';
    }
    return text.data[off];
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_line(struct fx_text text, size_t off) {
    while (off < text.len && text.data[off] != '\n') {
        off++;
    }
    return off;
}

static size_t skip_separation(struct fx_text text, size_t off) {
    while (is_blank(peek(text, off)) || peek(text, off) == '#') {
        off = peek(text, off) == '#' ? skip_line(text, off) : off + 1;
    }
    return off;
}

/* Skips `&anchor` and `!tag`, in either order, and the space after them. */
static size_t skip_properties(struct fx_text text, size_t off) {
    while (peek(text, off) == '&' || peek(text, off) == '!') {
        while (off < text.len && !is_blank(text.data[off])) {
            off++;
        }
        off = skip_separation(text, off);
    }
    return off;
}

static size_t count_spaces(struct fx_text text, size_t off) {
    size_t n = 0;
    while (peek(text, off + n) == ' ') {
        n++;
    }
    return n;
}

/* Returns the start of the first line of a block scalar, after its indentation, that is
 * the spaces that are not part of the value. */
static size_t block_content(struct fx_text text, size_t off, struct fx_text value) {
    const size_t line = skip_line(text, off);
    if (line == text.len) {
        return off;
    }
    const size_t there = count_spaces(text, line + 1);
    const size_t own = count_spaces(value, 0);
    return line + 1 + (there > own ? there - own : 0);
}

/* Returns the start of a scalar's content: after its anchor and tag, its quote, or the
 * line of its `|` or `>`. */
static struct fx_position position_of_content(struct yaml_source *source,
                                              const yaml_event_t *scalar) {
    struct fx_position position = position_of(source, scalar->start_mark.index);
    const yaml_scalar_style_t style = scalar->data.scalar.style;
    const struct fx_text value = {(const char *)scalar->data.scalar.value,
                                  scalar->data.scalar.length};
    size_t off = position.off;
    if (style != YAML_PLAIN_SCALAR_STYLE || value.len > 0) {
        off = skip_properties(source->text, off);
    }
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
        style == YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        off++;
    } else if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        off = block_content(source->text, off, value);
    }
    fx_position_advance(&position, source->text, off);
    return position;
}

/* ---- the reader -------------------------------------------------------------------- */

/* Can a line with a %TAG directive begin here? It can at the start of the text and after
 * a line break: LF, CR, or the last byte of U+0085, U+2028, U+2029. */
static bool may_begin_line(struct fx_text text, size_t at) {
    return at == 0 || strchr("\n\r\x85\xA8\xA9", text.data[at - 1]) != NULL;
}

static bool has_many_directives(struct fx_text text) {
    const size_t len = sizeof "%TAG" - 1;
    size_t n = 0;
    for (size_t at = 0; at + len <= text.len; at++) {
        if (text.data[at] == '%' && memcmp(text.data + at, "%TAG", len) == 0 &&
            may_begin_line(text, at)) {
            n++;
        }
    }
    return n > FX_LIMIT_YAML_TAG_DIRECTIVES;
}

struct fx_yaml_reader *fx_yaml_open(struct fx_text text) {
    struct fx_yaml_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL || !yaml_parser_initialize(&reader->parser)) {
        free(reader);
        return NULL;
    }
    const struct fx_position start = fx_position_start(text);
    const struct fx_text body = fx_text_rest(text, start.off);
    reader->source = (struct yaml_source){.text = text, .start = start, .at = start};
    reader->over_limit = has_many_directives(body);
    reader->unpaid = body.len;
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader->parser,
                                 (const unsigned char *)(body.len == 0 ? "" : body.data),
                                 body.len);
    return reader;
}

void fx_yaml_close(struct fx_yaml_reader *reader) {
    if (reader == NULL) {
        return;
    }
    yaml_parser_delete(&reader->parser);
    fx_yaml_composer_finish(&reader->composer);
    free(reader);
}

static bool fail_at(const struct fx_yaml_reader *reader, size_t off, size_t line,
                    const char *message, struct fx_err *err) {
    const uint32_t len = off < reader->source.text.len ? 1 : 0;
    if (line == 0) {
        return fx_fail_at(err, FX_ESYNTAX, (uint32_t)off, len, "yaml: %s", message);
    }
    return fx_fail_at(err, FX_ESYNTAX, (uint32_t)off, len, "yaml: line %zu: %s", line,
                      message);
}

/* Returns the line that go-yaml reports. libyaml counts from 0; the line of a scanner
 * error is one higher; and the first line is not reported (0). */
static size_t reported_line(const yaml_parser_t *parser) {
    if (parser->problem_mark.line != 0) {
        return parser->problem_mark.line + (parser->error == YAML_SCANNER_ERROR ? 1 : 0);
    }
    return parser->context_mark.line;
}

static bool fail_parser(struct fx_yaml_reader *reader, struct fx_err *err) {
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return fx_fail_nomem(err);
    }
    if (parser->error == YAML_READER_ERROR) {
        const size_t off = reader->source.start.off + parser->problem_offset;
        return fail_at(reader, off, 0, parser->problem, err);
    }
    const struct fx_position position =
        position_of(&reader->source, parser->problem_mark.index);
    return fail_at(reader, position.off, reported_line(parser), parser->problem, err);
}

/* Adds the position of the event to the composer's error. */
static bool fail_event(struct fx_yaml_reader *reader, const yaml_event_t *event,
                       struct fx_err *err) {
    const struct fx_position position =
        position_of(&reader->source, event->start_mark.index);
    err->off = (uint32_t)position.off;
    err->len = position.off < reader->source.text.len ? 1 : 0;
    return false;
}

/* go-yaml accepts YAML 1.1 only; libyaml also accepts 1.2. */
static bool check_version(struct fx_yaml_reader *reader, const yaml_event_t *event,
                          struct fx_err *err) {
    const yaml_version_directive_t *version =
        event->data.document_start.version_directive;
    if (version == NULL || (version->major == 1 && version->minor == 1)) {
        return true;
    }
    const struct fx_position position =
        position_of(&reader->source, event->start_mark.index);
    return fail_at(reader, position.off, event->start_mark.line,
                   "found incompatible YAML document", err);
}

/* Refuses the escape `\/`, which came with YAML 1.2: libyaml accepts it, go-yaml does
 * not. */
static bool check_escapes(struct fx_yaml_reader *reader, const yaml_event_t *event,
                          struct fx_err *err) {
    if (event->type != YAML_SCALAR_EVENT ||
        event->data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE ||
        memchr(event->data.scalar.value, '/', event->data.scalar.length) == NULL) {
        return true;
    }
    const struct fx_text text = reader->source.text;
    struct fx_position position = position_of_content(&reader->source, event);
    for (size_t at = position.off; at + 1 < text.len && text.data[at] != '"'; at++) {
        if (text.data[at] != '\\') {
            continue;
        }
        if (text.data[at + 1] == '/') {
            fx_position_advance(&position, text, at);
            return fail_at(reader, at, position.line > 1 ? position.line : 0,
                           "found unknown escape character", err);
        }
        at++; /* skips the escaped character, which may be a quote */
    }
    return true;
}

/* Can the node have a mark? Singletons cannot, because their addresses are all the
 * same. */
static bool is_markable(const json_t *node) {
    return node != NULL && !json_is_null(node) && !json_is_boolean(node);
}

static bool add_mark(struct fx_yaml_reader *reader, const yaml_event_t *event,
                     const json_t *node, struct fx_marks *marks, struct fx_err *err) {
    if (marks == NULL || !is_markable(node)) {
        return true;
    }
    const struct fx_position position =
        event->type == YAML_SCALAR_EVENT
            ? position_of_content(&reader->source, event)
            : position_of(&reader->source, event->start_mark.index);
    const struct fx_mark mark = {.node = node,
                                 .off = (uint32_t)position.off,
                                 .line = position.line,
                                 .column = position.column};
    return fx_marks_add(marks, mark) ? true : fx_fail_nomem(err);
}

static bool is_flow_start(const yaml_event_t *event) {
    return (event->type == YAML_SEQUENCE_START_EVENT &&
            event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) ||
           (event->type == YAML_MAPPING_START_EVENT &&
            event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
}

/* In a flow collection all collections are flow collections, so any end event ends one of
 * them. */
static bool count_flow(struct fx_yaml_reader *reader, const yaml_event_t *event,
                       struct fx_err *err) {
    const bool ends =
        event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    reader->flow_depth += is_flow_start(event);
    reader->flow_work += reader->flow_depth;
    reader->flow_depth -= ends && reader->flow_depth > 0;
    if (reader->flow_work > FX_LIMIT_YAML_FLOW_WORK) {
        (void)fx_fail(err, FX_ELIMIT, "yaml: too much in too deep flow collections");
        return fail_event(reader, event, err);
    }
    return true;
}

static bool spend_event(const struct fx_yaml_reader *reader, const yaml_event_t *event,
                        struct fx_err *err) {
    const size_t bytes = event->type == YAML_SCALAR_EVENT ? event->data.scalar.length : 0;
    return fx_spend(UNITS_OF_EVENT + bytes / BYTES_OF_A_UNIT +
                    reader->flow_depth / LEVELS_OF_A_UNIT) ||
           fx_fail_exceeded(err);
}

static bool take_node(struct fx_yaml_reader *reader, const yaml_event_t *event,
                      struct fx_marks *marks, struct fx_err *err) {
    json_t *node = NULL;
    if (!spend_event(reader, event, err) || !count_flow(reader, event, err) ||
        !check_escapes(reader, event, err)) {
        return false;
    }
    if (!fx_yaml_compose(&reader->composer, event, &node, err)) {
        return fail_event(reader, event, err);
    }
    return add_mark(reader, event, node, marks, err);
}

enum step { STEP_ON, STEP_DOCUMENT, STEP_END, STEP_FAILED };

static enum step take_event(struct fx_yaml_reader *reader, const yaml_event_t *event,
                            struct fx_marks *marks, struct fx_err *err) {
    switch (event->type) {
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT: return STEP_ON;
    case YAML_STREAM_END_EVENT: return STEP_END;
    case YAML_DOCUMENT_START_EVENT:
        fx_yaml_composer_reset(&reader->composer);
        return check_version(reader, event, err) ? STEP_ON : STEP_FAILED;
    case YAML_DOCUMENT_END_EVENT: return STEP_DOCUMENT;
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_START_EVENT:
    case YAML_MAPPING_END_EVENT: break;
    }
    return take_node(reader, event, marks, err) ? STEP_ON : STEP_FAILED;
}

static enum step next_step(struct fx_yaml_reader *reader, struct fx_marks *marks,
                           struct fx_err *err) {
    yaml_event_t event;
    if (!yaml_parser_parse(&reader->parser, &event)) {
        (void)fail_parser(reader, err);
        return STEP_FAILED;
    }
    const enum step step = take_event(reader, &event, marks, err);
    yaml_event_delete(&event);
    return step;
}

/* Spends for blanks and comments, which have no events. */
static bool pay_for_text(struct fx_yaml_reader *reader) {
    const size_t bytes = reader->unpaid;
    reader->unpaid = 0;
    return fx_spend(bytes / BYTES_OF_TEXT_A_UNIT);
}

bool fx_yaml_next(struct fx_yaml_reader *reader, struct fx_marks *marks,
                  json_t **ret_document, struct fx_err *err) {
    enum step step = reader->ended ? STEP_END : STEP_ON;
    if (!pay_for_text(reader)) {
        (void)fx_fail_exceeded(err);
        step = STEP_FAILED;
    }
    if (!reader->ended && reader->over_limit) {
        (void)fx_fail(err, FX_ELIMIT, "yaml: more than %d %%TAG directives",
                      FX_LIMIT_YAML_TAG_DIRECTIVES);
        step = STEP_FAILED;
    }
    while (step == STEP_ON) {
        step = next_step(reader, marks, err);
    }
    reader->ended = step != STEP_DOCUMENT;
    if (step == STEP_FAILED) {
        fx_yaml_composer_reset(&reader->composer);
        return false;
    }
    *ret_document = fx_yaml_composer_take(&reader->composer);
    return true;
}
