/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.cc - RE2 behind C functions.
 *
 * RE2 itself throws nothing, but its allocations do. No exception leaves this file:
 * compiling answers it as FX_ENOMEM (where RE2's parser survives it, for which it was not
 * made), and matching, which has no way to say so, leaves a note for
 * fx_regex_take_nomem(). What RE2 had allocated by then is lost. A program of RE2's can
 * be used on: its locks are released on the way out, its caches hold whole states only,
 * and its work lists are cleared before each use.
 */
#include <cstdarg>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <vector>

#include <re2/re2.h>

/* Headers of the house are C; the system's, which they include, have been seen above. */
extern "C" {
#include "base/regex.h"

#include "base/limits.h"
}

struct fx_regex {
    RE2 program;
};

/* Everything else as RE2 has it by default, which is Go's syntax: UTF-8, leftmost-first,
 * Perl's classes, `^` and `$` at the ends of the text only, `.` without the newline. */
static RE2::Options options(size_t max_bytes) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(static_cast<int64_t>(max_bytes));
    return options;
}

static thread_local fx_regex_allowance *allowed;

void fx_regex_allow(fx_regex_allowance *allowance) {
    allowed = allowance;
}

/* One more: how much memory it may take. False where it may not be. */
static bool take_allowance(size_t *ret_max_bytes, fx_err *err) {
    *ret_max_bytes = FX_LIMIT_REGEX_BYTES;
    if (allowed == nullptr) {
        return true;
    }
    if (allowed->n_left == 0) {
        return fx_fail(err, FX_ELIMIT, "too many regular expressions");
    }
    allowed->n_left--;
    *ret_max_bytes = allowed->bytes_each;
    return true;
}

static re2::StringPiece piece_of(fx_text text) {
    return {text.data, text.len};
}

static bool fail_pattern(const RE2 &program, fx_err *err) {
    if (program.error_code() == RE2::ErrorPatternTooLarge) {
        return fx_fail(err, FX_ELIMIT, "regular expression takes more than %zu bytes",
                       static_cast<size_t>(program.options().max_mem()));
    }
    return fx_fail(err, FX_ESYNTAX, "%s", program.error().c_str());
}

bool fx_regex_compile(fx_text pattern, fx_regex **ret_regex, fx_err *err) {
    size_t max_bytes = 0;
    if (pattern.len > FX_LIMIT_REGEX_PATTERN_BYTES) {
        return fx_fail(err, FX_ELIMIT, "regular expression is longer than %u bytes",
                       FX_LIMIT_REGEX_PATTERN_BYTES);
    }
    if (!take_allowance(&max_bytes, err)) {
        return false;
    }
    try {
        fx_regex *regex = new fx_regex{{piece_of(pattern), options(max_bytes)}};
        if (!regex->program.ok()) {
            (void)fail_pattern(regex->program, err);
            delete regex;
            return false;
        }
        *ret_regex = regex;
        return true;
    } catch (const std::bad_alloc &) {
        return fx_fail_nomem(err);
    }
}

void fx_regex_destroy(fx_regex *regex) {
    delete regex;
}

static thread_local bool ran_out; /* of memory, in a match */

bool fx_regex_take_nomem(void) {
    const bool taken = ran_out;
    ran_out = false;
    return taken;
}

bool fx_regex_matches(const fx_regex *regex, fx_text text) {
    try {
        return regex->program.Match(piece_of(text), 0, text.len, RE2::UNANCHORED, nullptr,
                                    0);
    } catch (const std::bad_alloc &) {
        ran_out = true;
        return false;
    }
}

static fx_regex_span span_of(const fx_text &text, const re2::StringPiece &piece) {
    if (piece.data() == nullptr) {
        return {FX_REGEX_NO_SPAN, FX_REGEX_NO_SPAN};
    }
    const size_t from = static_cast<size_t>(piece.data() - text.data);
    return {from, from + piece.size()};
}

/* Does the place lie within a rune? RE2 takes it for one where \B holds; Go does not. */
static bool splits_rune(const fx_text &text, size_t at) {
    for (size_t back = 1; back <= 3 && back <= at && at < text.len; back++) {
        const fx_text rest = {text.data + at - back, text.len - (at - back)};
        uint32_t rune = 0;
        if (fx_text_rune(rest, &rune) > back) {
            return true;
        }
    }
    return false;
}

/* Throws without memory. */
static bool find(const RE2 &program, const fx_text &text, size_t from,
                 fx_regex_span *ret_spans, size_t n_spans) {
    const size_t n_groups = static_cast<size_t>(program.NumberOfCapturingGroups());
    std::vector<re2::StringPiece> pieces(n_groups + 1);
    const size_t n = n_spans < n_groups + 1 ? n_spans : n_groups + 1;
    do {
        if (!program.Match(piece_of(text), from, text.len, RE2::UNANCHORED, pieces.data(),
                           static_cast<int>(n == 0 ? 1 : n))) {
            return false;
        }
        from = span_of(text, pieces[0]).from + 1;
    } while (pieces[0].empty() && splits_rune(text, from - 1));
    for (size_t i = 0; i < n_spans; i++) {
        ret_spans[i] = i < n ? span_of(text, pieces[i])
                             : fx_regex_span{FX_REGEX_NO_SPAN, FX_REGEX_NO_SPAN};
    }
    return true;
}

bool fx_regex_find(const fx_regex *regex, fx_text text, size_t from,
                   fx_regex_span *ret_spans, size_t n_spans) {
    if (text.data == nullptr) {
        text.data = ""; /* a group without a span has no address either */
    }
    try {
        return find(regex->program, text, from, ret_spans, n_spans);
    } catch (const std::bad_alloc &) {
        ran_out = true;
        return false;
    }
}

size_t fx_regex_count_groups(const fx_regex *regex) {
    return static_cast<size_t>(regex->program.NumberOfCapturingGroups());
}

/* Throws without memory. */
static size_t find_group(const RE2 &program, const fx_text &name) {
    const std::map<std::string, int> &groups = program.NamedCapturingGroups();
    const auto found = groups.find(std::string(name.data, name.len));
    return found == groups.end() ? 0 : static_cast<size_t>(found->second);
}

size_t fx_regex_find_group(const fx_regex *regex, fx_text name) {
    try {
        return name.len == 0 ? 0 : find_group(regex->program, name);
    } catch (const std::bad_alloc &) {
        ran_out = true;
        return 0;
    }
}

size_t fx_regex_size(const fx_regex *regex) {
    return static_cast<size_t>(regex->program.ProgramSize());
}
