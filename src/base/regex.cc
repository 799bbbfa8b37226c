/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.cc - RE2 behind C functions.
 *
 * RE2 itself throws nothing, but its allocations do. No exception leaves this file:
 * compiling answers it as FX_ENOMEM (what RE2 had allocated by then is lost), matching,
 * which has no way to say so, ends the process.
 */
#include <cstdarg>
#include <cstdint>
#include <new>

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
static RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(FX_LIMIT_REGEX_BYTES);
    return options;
}

static re2::StringPiece piece_of(fx_text text) {
    return {text.data, text.len};
}

static bool fail_pattern(const RE2 &program, fx_err *err) {
    if (program.error_code() == RE2::ErrorPatternTooLarge) {
        return fx_fail(err, FX_ELIMIT, "regular expression takes more than %u bytes",
                       FX_LIMIT_REGEX_BYTES);
    }
    return fx_fail(err, FX_ESYNTAX, "%s", program.error().c_str());
}

bool fx_regex_compile(fx_text pattern, fx_regex **ret_regex, fx_err *err) {
    if (pattern.len > FX_LIMIT_REGEX_PATTERN_BYTES) {
        return fx_fail(err, FX_ELIMIT, "regular expression is longer than %u bytes",
                       FX_LIMIT_REGEX_PATTERN_BYTES);
    }
    try {
        fx_regex *regex = new fx_regex{{piece_of(pattern), options()}};
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

/* Without memory RE2 throws here, and `noexcept` ends the process. */
static bool matches(const RE2 &program, const re2::StringPiece &text) noexcept {
    return program.Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool fx_regex_matches(const fx_regex *regex, fx_text text) {
    return matches(regex->program, piece_of(text));
}
