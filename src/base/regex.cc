/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex.cc - C functions for RE2.
 *
 * RE2 itself throws nothing, but its allocations do. No exception leaves this file: it
 * becomes FX_ENOMEM.
 *
 * Compiling: the destructors of RE2's parser follow pointers in incomplete structures. So
 * no exception passes through a compilation. Instead longjmp() leaves it, and all that it
 * has allocated is freed.
 *
 * Matching: a program in which an allocation failed is neither used again nor freed. RE2
 * makes parts of a program when they are first needed. Since 2023 it uses
 * absl::call_once() for this, which blocks the next caller for ever after an exception;
 * and the destructor follows pointers in incomplete parts. The expression is compiled
 * again for its next match.
 */
#include <atomic>
#include <cassert>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <re2/re2.h>

/* The headers of Fixpoint are C. They include system headers, which are C++ and have been
 * included above. */
extern "C" {
#include "base/regex.h"

#include "base/budget.h"
#include "base/limits.h"
}

/* ---- memory ---------------------------------------------------------------------- */

/* The head of each allocation of operator new. A block of a running compilation is in the
 * list of its thread: `link` is the pointer that points to it there. Otherwise `link` is
 * NULL. */
struct alignas(std::max_align_t) block {
    block *next, **link;
};

static thread_local struct {
    bool is_running;
    block *blocks;
    std::jmp_buf out_of_memory;
} compilation;

/* Allocates. Without memory it leaves a running compilation by longjmp(); outside of a
 * compilation it returns NULL. */
static void *allocate(std::size_t size) {
    block *made = size > SIZE_MAX - sizeof *made
                      ? nullptr
                      : static_cast<block *>(std::malloc(sizeof *made + size));
    if (made == nullptr && compilation.is_running) {
        std::longjmp(compilation.out_of_memory,
                     1); /* NOLINT(cert-err52-cpp): see above */
    }
    if (made == nullptr) {
        return nullptr;
    }
    *made = {};
    if (compilation.is_running) {
        *made = {compilation.blocks, &compilation.blocks};
        if (made->next != nullptr) {
            made->next->link = &made->next;
        }
        compilation.blocks = made;
    }
    return made + 1;
}

/* Not inlined: a compiler that knows the size of the object warns that the block before
 * it is out of bounds. */
[[gnu::noinline]] static void release_block(void *memory) {
    if (memory == nullptr) {
        return;
    }
    block *gone = static_cast<block *>(memory) - 1;
    if (gone->link != nullptr) {
        *gone->link = gone->next;
        if (gone->next != nullptr) {
            gone->next->link = gone->link;
        }
    }
    std::free(gone);
}

/* All forms are replaced, because a sanitizer's runtime has its own, and the two must not
 * be mixed. */
void *operator new(std::size_t size) {
    void *memory = allocate(size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void *operator new[](std::size_t size) {
    return operator new(size);
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size);
}

void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size);
}

void operator delete(void *memory) noexcept {
    release_block(memory);
}

void operator delete[](void *memory) noexcept {
    release_block(memory);
}

void operator delete(void *memory, std::size_t) noexcept {
    release_block(memory);
}

void operator delete[](void *memory, std::size_t) noexcept {
    release_block(memory);
}

void operator delete(void *memory, const std::nothrow_t &) noexcept {
    release_block(memory);
}

void operator delete[](void *memory, const std::nothrow_t &) noexcept {
    release_block(memory);
}

/* Ends a compilation. Its blocks are freed, or stay with the program. */
static void end_compilation(bool frees) {
    compilation.is_running = false;
    for (block *at = compilation.blocks; at != nullptr;) {
        block *next = at->next;
        *at = {};
        if (frees) {
            std::free(at);
        }
        at = next;
    }
    compilation.blocks = nullptr;
}

/* ---- expressions ----------------------------------------------------------------- */

struct fx_regex {
    explicit fx_regex(std::unique_ptr<RE2> program)
        : newest(new version(std::move(program), nullptr)) {}
    ~fx_regex() {
        for (version *at = newest.load(); at != nullptr;) {
            version *before = at->before;
            if (at->failed.load()) {
                keep(at);
            } else {
                delete at;
            }
            at = before;
        }
    }
    fx_regex(const fx_regex &) = delete;
    fx_regex &operator=(const fx_regex &) = delete;

    struct version {
        version(std::unique_ptr<RE2> made, version *last)
            : program(std::move(made)), before(last) {}
        std::unique_ptr<RE2> program;
        version *before;
        std::atomic<bool> failed{false}; /* an allocation failed in this version */
    };
    version &current() const { return *newest.load(std::memory_order_acquire); }
    const RE2 &program() const { return *current().program; }
    mutable std::atomic<version *> newest; /* never NULL */

  private:
    static void keep(version *failed);
};

/* The failed versions of expressions that are freed. These versions are never freed. */
static std::atomic<fx_regex::version *> kept;

void fx_regex::keep(version *failed) {
    failed->before = kept.load();
    while (!kept.compare_exchange_weak(failed->before, failed)) {
    }
}

/* All other options are RE2's defaults, which are Go's syntax: UTF-8, leftmost-first,
 * Perl's classes, `^` and `$` only at the ends of the text, `.` without the newline. */
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

/* Takes one expression from the allowance of the thread; *ret_max_bytes is the memory
 * that it may take. Fails if the allowance is used up. */
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

/* The price of compiling. Nothing can interrupt it; it takes some ten milliseconds at
 * worst. */
static constexpr size_t UNITS_OF_PATTERN_BYTE = 16, INSTRUCTIONS_OF_UNIT = 4;

static re2::StringPiece piece_of(fx_text text) {
    return {text.data, text.len};
}

/* Returns the length of the piece of `pattern` that begins at `at`: an escape, a text
 * between \Q and \E, a class, or a single byte. */
static size_t piece_length(const std::string &pattern, size_t at) {
    if (pattern.compare(at, 2, "\\Q") == 0) {
        const size_t end = pattern.find("\\E", at + 2);
        return end == std::string::npos ? pattern.size() - at : end + 2 - at;
    }
    if (pattern[at] != '[') {
        return pattern[at] == '\\' ? 2 : 1;
    }
    size_t end = at + 1;
    end += pattern.compare(end, 1, "^") == 0 ? 1 : 0;
    end += pattern.compare(end, 1, "]") == 0 ? 1 : 0; /* a first `]` stands for itself */
    while (end < pattern.size() && pattern[end] != ']') {
        const bool is_named = pattern.compare(end, 2, "[:") == 0;
        const size_t named = is_named ? pattern.find(":]", end + 2) : std::string::npos;
        end =
            named != std::string::npos ? named + 2 : end + (pattern[end] == '\\' ? 2 : 1);
    }
    return end + 1 - at;
}

/* Is a group named in the short form `(?<name>…)`? RE2 accepts it from 2023 on, and Go
 * from 1.22 on. It is refused with every version of RE2. */
static bool has_short_name(const RE2 &program) {
    const std::string &pattern = program.pattern();
    if (program.NamedCapturingGroups().empty()) {
        return false;
    }
    for (size_t at = 0; at < pattern.size(); at += piece_length(pattern, at)) {
        if (pattern.compare(at, 3, "(?<") == 0) {
            return true;
        }
    }
    return false;
}

/* Fails with the message of the versions that do not have this form. */
static bool fail_short_name(fx_err *err) {
    return fx_fail(err, FX_ESYNTAX, "invalid perl operator: (?<");
}

static bool fail_pattern(const RE2 &program, fx_err *err) {
    if (program.error_code() == RE2::ErrorPatternTooLarge) {
        return fx_fail(err, FX_ELIMIT, "regular expression takes more than %zu bytes",
                       static_cast<size_t>(program.options().max_mem()));
    }
    if (program.error_arg().compare(0, 3, "(?<") == 0) {
        return fail_short_name(err);
    }
    return fx_fail(err, FX_ESYNTAX, "%s", program.error().c_str());
}

/* Compiles, and also makes the parts that RE2 makes when they are first needed: an
 * exception may leave a match, so a match must not compile anything. */
static RE2 *make_program(const re2::StringPiece &pattern, const RE2::Options &options) {
    RE2 *program = new RE2(pattern, options);
    (void)program->NamedCapturingGroups();
    (void)program->ReverseProgramSize();
    return program;
}

/* Compiles; throws without memory. */
static std::unique_ptr<RE2> compile(const re2::StringPiece &pattern,
                                    const RE2::Options &compile_options) {
    /* RE2 allocates some data once for all programs, and they must not belong to a
     * compilation. An exception may leave this first one: the parser survives it, because
     * the pattern has no `|`. */
    static const std::unique_ptr<RE2> first(
        make_program("(?i)(?P<name>[^a-z]x{2,3})*$", options(FX_LIMIT_REGEX_BYTES)));
    /* NOLINTNEXTLINE(cert-err52-cpp): see the top of the file. */
    if (setjmp(compilation.out_of_memory) != 0) {
        end_compilation(true);
        throw std::bad_alloc();
    }
    compilation.is_running = true;
    RE2 *program = make_program(pattern, compile_options);
    end_compilation(false);
    return std::unique_ptr<RE2>(program);
}

/* Returns the version for a match. It is a new one if an allocation failed in the last
 * one. Throws without memory. */
static fx_regex::version &usable_version(const fx_regex *regex) {
    fx_regex::version *last = &regex->current();
    if (!last->failed.load(std::memory_order_acquire)) {
        return *last;
    }
    fx_regex::version *made = new fx_regex::version(
        compile(last->program->pattern(), last->program->options()), last);
    if (regex->newest.compare_exchange_strong(last, made)) {
        return *made;
    }
    delete made;
    return *last; /* another thread has made one */
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
    if (!fx_spend(UNITS_OF_PATTERN_BYTE * pattern.len)) {
        return fx_fail_exceeded(err);
    }
    try {
        std::unique_ptr<RE2> program = compile(piece_of(pattern), options(max_bytes));
        if (!program->ok()) {
            return fail_pattern(*program, err);
        }
        if (has_short_name(*program)) {
            return fail_short_name(err);
        }
        fx_regex *regex = new fx_regex(std::move(program));
        (void)fx_spend(fx_regex_size(regex) / INSTRUCTIONS_OF_UNIT);
        (void)fx_budget_check();
        *ret_regex = regex;
        return true;
    } catch (const std::bad_alloc &) {
        return fx_fail_nomem(err);
    }
}

void fx_regex_destroy(fx_regex *regex) {
    delete regex;
}

static constexpr size_t WORK_OF_UNIT = 256, WORK_OF_LOOK = 65536, UNITS_OF_MATCH = 8;

/* Nothing can interrupt a match. For each byte of the text, it takes between one step of
 * an automaton and, if that would have too many states, one step for each instruction of
 * the program. So the product of bytes and instructions is limited. */
static bool begin_match(const fx_regex *regex, size_t bytes, fx_err *err) {
    const size_t size = fx_regex_size(regex);
    if (bytes * size > FX_LIMIT_REGEX_WORK) {
        return fx_fail(err, FX_ELIMIT,
                       "a text of %zu bytes is too long for a regular expression of this "
                       "size, for which it may have %zu",
                       bytes, FX_LIMIT_REGEX_WORK / size);
    }
    return fx_spend(UNITS_OF_MATCH) || fx_fail_exceeded(err);
}

/* Fails because an allocation failed in a match of this version; `version` is NULL if
 * there is none yet. */
static bool fail_match(fx_regex::version *version, fx_err *err) {
    if (version != nullptr) {
        version->failed.store(true, std::memory_order_release);
    }
    return fx_fail_nomem(err);
}

/* Spends for the searched bytes, and reads the clock, because a match may have taken
 * long. The next fx_spend() reports an exceeded budget. */
static void end_match(const fx_regex *regex, size_t passed, size_t bytes) {
    const size_t size = fx_regex_size(regex);
    (void)fx_spend(passed * size / WORK_OF_UNIT);
    if (bytes * size > WORK_OF_LOOK) {
        (void)fx_budget_check();
    }
}

bool fx_regex_match(const fx_regex *regex, fx_text text, bool *ret_matches, fx_err *err) {
    *ret_matches = false;
    if (!begin_match(regex, text.len, err)) {
        return false;
    }
    fx_regex::version *version = nullptr;
    try {
        version = &usable_version(regex);
        *ret_matches = version->program->Match(piece_of(text), 0, text.len,
                                               RE2::UNANCHORED, nullptr, 0);
        end_match(regex, text.len, text.len);
        return true;
    } catch (const std::bad_alloc &) {
        return fail_match(version, err);
    }
}

static fx_regex_span span_of(const fx_text &text, const re2::StringPiece &piece) {
    if (piece.data() == nullptr) {
        return {FX_REGEX_NO_SPAN, FX_REGEX_NO_SPAN};
    }
    const size_t from = static_cast<size_t>(piece.data() - text.data);
    return {from, from + piece.size()};
}

/* Is the offset within a rune? At such an offset \B matches in RE2, but not in Go. */
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

static void clear(fx_regex_span *ret_spans, size_t n_spans) {
    for (size_t i = 0; i < n_spans; i++) {
        ret_spans[i] = {FX_REGEX_NO_SPAN, FX_REGEX_NO_SPAN};
    }
}

/* Finds a match. Throws without memory. */
static void find_match(const RE2 &program, const fx_text &text, size_t from,
                       fx_regex_span *ret_spans, size_t n_spans) {
    const size_t n_groups = static_cast<size_t>(program.NumberOfCapturingGroups());
    std::vector<re2::StringPiece> pieces(n_groups + 1);
    const size_t n = n_spans < n_groups + 1 ? n_spans : n_groups + 1;
    clear(ret_spans, n_spans);
    do {
        if (!program.Match(piece_of(text), from, text.len, RE2::UNANCHORED, pieces.data(),
                           static_cast<int>(n))) {
            return;
        }
        from = span_of(text, pieces[0]).from + 1;
    } while (pieces[0].empty() && splits_rune(text, from - 1));
    for (size_t i = 0; i < n; i++) {
        ret_spans[i] = span_of(text, pieces[i]);
    }
}

bool fx_regex_find(const fx_regex *regex, fx_text text, size_t from,
                   fx_regex_span *ret_spans, size_t n_spans, fx_err *err) {
    assert(n_spans > 0);
    if (text.data == nullptr) {
        text.data = ""; /* the text must have an address: NULL stands for no match */
    }
    if (!begin_match(regex, text.len - from, err)) {
        return false;
    }
    fx_regex::version *version = nullptr;
    try {
        version = &usable_version(regex);
        find_match(*version->program, text, from, ret_spans, n_spans);
        const bool found = ret_spans[0].from != FX_REGEX_NO_SPAN;
        end_match(regex, (found ? ret_spans[0].to : text.len) - from, text.len - from);
        return true;
    } catch (const std::bad_alloc &) {
        return fail_match(version, err);
    }
}

size_t fx_regex_count_groups(const fx_regex *regex) {
    return static_cast<size_t>(regex->program().NumberOfCapturingGroups());
}

size_t fx_regex_find_group(const fx_regex *regex, fx_text name) {
    for (const auto &group : regex->program().NamedCapturingGroups()) {
        if (fx_text_equal({group.first.data(), group.first.size()}, name)) {
            return static_cast<size_t>(group.second);
        }
    }
    return 0;
}

size_t fx_regex_size(const fx_regex *regex) {
    return static_cast<size_t>(regex->program().ProgramSize());
}
