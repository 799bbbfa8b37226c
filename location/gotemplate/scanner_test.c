/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/scanner_test.c - splits templates into tokens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "location/gotemplate/parser.h"

/* One letter for each type. */
static const char letters[] = {
    [TOKEN_TEXT] = 'T',       [TOKEN_OPEN] = '{',   [TOKEN_SHUT] = '}',
    [TOKEN_DOT] = '.',        [TOKEN_FIELD] = 'F',  [TOKEN_VARIABLE] = '$',
    [TOKEN_IDENTIFIER] = 'I', [TOKEN_NUMBER] = 'N', [TOKEN_RUNE] = 'R',
    [TOKEN_STRING] = 'S',     [TOKEN_LEFT] = '(',   [TOKEN_RIGHT] = ')',
    [TOKEN_PIPE] = '|',       [TOKEN_COMMA] = ',',  [TOKEN_ASSIGN] = '=',
    [TOKEN_DECLARE] = ':',    [TOKEN_OTHER] = '?',  [TOKEN_RAW_STRING] = 'W',
    [TOKEN_CLOSE] = 'e',      [TOKEN_NIL] = 'n',    [TOKEN_IF] = 'i',
    [TOKEN_TRUE] = 't',       [TOKEN_FALSE] = 'f',  [TOKEN_WITH] = 'w',
    [TOKEN_BREAK] = 'b',      [TOKEN_ELSE] = 'l',   [TOKEN_RANGE] = 'r',
    [TOKEN_TEMPLATE] = 'p',   [TOKEN_DEFINE] = 'd', [TOKEN_BLOCK] = 'k',
    [TOKEN_CONTINUE] = 'c',
};

/* Appends all tokens: a letter, `'` after white space, the text. */
static bool scan(const char *source, struct fx_buf *ret_tokens, struct fx_err *err) {
    struct template_scanner scanner = {.source = fx_text_of(source)};
    struct template_token token = {.type = TOKEN_TEXT};
    while (template_scan(&scanner, &token, err)) {
        if (token.type == TOKEN_END) {
            return true;
        }
        fx_buf_char(ret_tokens, letters[token.type]);
        fx_buf_str(ret_tokens, token.spaced ? "'" : "");
        if (token.type != TOKEN_OPEN && token.type != TOKEN_SHUT) {
            fx_buf_text(ret_tokens, token.text);
        }
        fx_buf_char(ret_tokens, ' ');
        assert_true(token.off + token.text.len <= scanner.source.len);
    }
    return false;
}

static void tokens(void **state) {
    (void)state;
    static const struct {
        const char *source, *tokens;
    } cases[] = {
        {"", ""},
        {"a } }} { b", "Ta } }} { b "},
        {"a{{b}}c", "Ta { Ib } Tc "},
        {"{{{}}", "{ ?{ } "},
        {"a \n{{- b -}} \t c ", "Ta { Ib } Tc  "},
        {"{{- b -}}{{- c -}}", "{ Ib } { Ic } "},
        {" {{-3}}", "T  { N-3 } "},
        {"{{- 3}}", "{ N3 } "},
        {"a {{/* b }} */}} c", "Ta  T c "},
        {"a {{- /* b */ -}} c", "Ta Tc "},
        {"{{/*/}}*/}}x", "Tx "},
        {"{{.}}{{. .a .a.b ..a}}", "{ .. } { .. F'a F'a Fb .'. Fa } "},
        {"{{$ $x $.a $x.a}}", "{ $$ $'$x $'$ Fa $'$x Fa } "},
        {"{{$x:=1}}{{$x =2}}", "{ $$x ::= N1 } { $$x ='= N2 } "},
        {"{{if true}}{{end}}", "{ iif t'true } { eend } "},
        {"{{iff nilx _a1 \xC3\xA9t\xC3\xA9}}",
         "{ Iiff I'nilx I'_a1 I'\xC3\xA9t\xC3\xA9 } "},
        {"{{f (g \"a\\\"b\")|h}}", "{ If ('( Ig S'\"a\\\"b\" )) || Ih } "},
        {"{{`a\\`}}{{'\\''}}", "{ W`a\\` } { R'\\'' } "},
        {"{{`a\nb`}}", "{ W`a\nb` } "},
        {"{{1 -1 +2 .5 1.5e-3 0x1F 0o7 0b1 1_0 .5.a}}",
         "{ N1 N'-1 N'+2 N'.5 N'1.5e-3 N'0x1F N'0o7 N'0b1 N'1_0 N'.5 Fa } "},
        {"{{a\n\t.b}}", "{ Ia F'b } "},
        {"{{a, !}}", "{ Ia ,, ?'! } "},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf found;
        fx_buf_init(&found, 0);
        fx_buf_str(&found, "");
        const bool ok = scan(cases[i].source, &found, &err);
        if (!ok || strcmp(found.data, cases[i].tokens) != 0) {
            fail_msg("%s: %s %s, not %s", cases[i].source, found.data, err.msg,
                     cases[i].tokens);
        }
        fx_buf_finish(&found);
    }
}

static void faults(void **state) {
    (void)state;
    static const struct {
        const char *source, *message;
        uint32_t off, len;
    } cases[] = {
        {"a{{", "unclosed action", 1, 2},
        {"{{ a", "unclosed action", 0, 2},
        {"{{ a - }}", "bad number syntax", 5, 0},
        {"{{/* a", "unclosed comment", 0, 6},
        {"{{/* a */ }}", "comment ends before closing delimiter", 0, 9},
        {"{{ .a-b }}", "bad character U+002D '-' in a name", 3, 3},
        {"{{ $a=1 }}", "bad character U+003D", 3, 3},
        {"{{ a%b }}", "bad character U+0025", 3, 2},
        {"{{ \"a\n\" }}", "unterminated quoted string", 3, 2},
        {"{{ \"a\\", "unterminated quoted string", 3, 3},
        {"{{ 'a }}", "unterminated character constant", 3, 5},
        {"{{ `a }}", "unterminated raw quoted string", 3, 5},
        {"{{ : }}", "expected :=", 3, 1},
        {"{{ (a }}", "unclosed left paren", 6, 2},
        {"{{ a) }}", "unexpected right paren", 4, 1},
        {"{{ 1a }}", "bad number syntax: `1a`", 3, 2},
        {"{{ 3-}}", "bad number syntax: `3-`", 3, 2},
        {"{{ 2i }}", "imaginary", 3, 2},
        {"{{ \x01 }}", "unrecognized character in action: U+0001", 3, 1},
        {"{{ \xE2\x82\xAC }}", "unrecognized character in action: U+20AC", 3, 3},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf found;
        fx_buf_init(&found, 0);
        const bool ok = scan(cases[i].source, &found, &err);
        if (cases[i].len == 0) { /* a lone minus is refused by the parser */
            assert_true(ok);
        } else if (ok || strstr(err.msg, cases[i].message) == NULL ||
                   err.off != cases[i].off || err.len != cases[i].len) {
            fail_msg("%s: %s at %u+%u, not %s", cases[i].source, err.msg, err.off,
                     err.len, cases[i].message);
        }
        fx_buf_finish(&found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
