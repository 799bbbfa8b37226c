/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/refused_test.c - every function in the templates spec is known: it can
 * be used, or it is refused with a reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "location/gotemplate/function.h"
#include "location/sprig/testing.h"

static const char *const usable[] = {"abbrev",
                                     "abbrevboth",
                                     "add",
                                     "add1",
                                     "add1f",
                                     "addf",
                                     "adler32sum",
                                     "all",
                                     "any",
                                     "append",
                                     "atoi",
                                     "b32dec",
                                     "b32enc",
                                     "b64dec",
                                     "b64enc",
                                     "base",
                                     "biggest",
                                     "camelcase",
                                     "cat",
                                     "ceil",
                                     "chunk",
                                     "clean",
                                     "coalesce",
                                     "compact",
                                     "concat",
                                     "contains",
                                     "date",
                                     "dateInZone",
                                     "dateModify",
                                     "date_in_zone",
                                     "date_modify",
                                     "deepCopy",
                                     "deepEqual",
                                     "default",
                                     "dict",
                                     "dig",
                                     "dir",
                                     "div",
                                     "divf",
                                     "duration",
                                     "durationRound",
                                     "empty",
                                     "ext",
                                     "fail",
                                     "first",
                                     "float64",
                                     "floor",
                                     "fromJson",
                                     "get",
                                     "has",
                                     "hasKey",
                                     "hasPrefix",
                                     "hasSuffix",
                                     "hello",
                                     "htmlDate",
                                     "htmlDateInZone",
                                     "indent",
                                     "initial",
                                     "initials",
                                     "int",
                                     "int64",
                                     "isAbs",
                                     "join",
                                     "kebabcase",
                                     "keys",
                                     "kindIs",
                                     "kindOf",
                                     "last",
                                     "list",
                                     "lower",
                                     "max",
                                     "maxf",
                                     "merge",
                                     "mergeOverwrite",
                                     "min",
                                     "minf",
                                     "mod",
                                     "mul",
                                     "mulf",
                                     "mustAppend",
                                     "mustChunk",
                                     "mustCompact",
                                     "mustDateModify",
                                     "mustDeepCopy",
                                     "mustFirst",
                                     "mustFromJson",
                                     "mustHas",
                                     "mustInitial",
                                     "mustLast",
                                     "mustMerge",
                                     "mustMergeOverwrite",
                                     "mustPrepend",
                                     "mustPush",
                                     "mustRegexFind",
                                     "mustRegexFindAll",
                                     "mustRegexMatch",
                                     "mustRegexReplaceAll",
                                     "mustRegexReplaceAllLiteral",
                                     "mustRegexSplit",
                                     "mustRest",
                                     "mustReverse",
                                     "mustSlice",
                                     "mustToDate",
                                     "mustToJson",
                                     "mustToPrettyJson",
                                     "mustToRawJson",
                                     "mustUniq",
                                     "mustWithout",
                                     "must_date_modify",
                                     "nindent",
                                     "nospace",
                                     "omit",
                                     "osBase",
                                     "osClean",
                                     "osDir",
                                     "osExt",
                                     "osIsAbs",
                                     "pick",
                                     "pluck",
                                     "plural",
                                     "prepend",
                                     "push",
                                     "quote",
                                     "regexFind",
                                     "regexFindAll",
                                     "regexMatch",
                                     "regexQuoteMeta",
                                     "regexReplaceAll",
                                     "regexReplaceAllLiteral",
                                     "regexSplit",
                                     "repeat",
                                     "replace",
                                     "rest",
                                     "reverse",
                                     "round",
                                     "semver",
                                     "semverCompare",
                                     "seq",
                                     "set",
                                     "sha1sum",
                                     "sha256sum",
                                     "slice",
                                     "snakecase",
                                     "sortAlpha",
                                     "split",
                                     "splitList",
                                     "splitn",
                                     "squote",
                                     "sub",
                                     "subf",
                                     "substr",
                                     "swapcase",
                                     "ternary",
                                     "title",
                                     "toDate",
                                     "toDecimal",
                                     "toJson",
                                     "toPrettyJson",
                                     "toRawJson",
                                     "toString",
                                     "toStrings",
                                     "trim",
                                     "trimAll",
                                     "trimPrefix",
                                     "trimSuffix",
                                     "trimall",
                                     "trunc",
                                     "tuple",
                                     "typeIs",
                                     "typeIsLike",
                                     "typeOf",
                                     "uniq",
                                     "unixEpoch",
                                     "unset",
                                     "until",
                                     "untilStep",
                                     "untitle",
                                     "upper",
                                     "urlJoin",
                                     "urlParse",
                                     "values",
                                     "without",
                                     "wrap",
                                     "wrapWith",
                                     "and",
                                     "or",
                                     "not",
                                     "eq",
                                     "ne",
                                     "lt",
                                     "le",
                                     "gt",
                                     "ge",
                                     "index",
                                     "len",
                                     "print",
                                     "printf",
                                     "println",
                                     "html",
                                     "js",
                                     "urlquery",
                                     "call"};

static const char *const refused[] = {"now",
                                      "ago",
                                      "randAlphaNum",
                                      "randAlpha",
                                      "randAscii",
                                      "randNumeric",
                                      "randBytes",
                                      "randInt",
                                      "shuffle",
                                      "uuidv4",
                                      "bcrypt",
                                      "htpasswd",
                                      "derivePassword",
                                      "encryptAES",
                                      "decryptAES",
                                      "genPrivateKey",
                                      "buildCustomCert",
                                      "genCA",
                                      "genCAWithKey",
                                      "genSelfSignedCert",
                                      "genSelfSignedCertWithKey",
                                      "genSignedCert",
                                      "genSignedCertWithKey",
                                      "getHostByName"};

static void usable_ones_can_be_called(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(usable); i++) {
        const struct function *function = function_find(&fx_sprig, fx_text_of(usable[i]));
        if (function == NULL) {
            fail_msg("%s is not known", usable[i]);
            return;
        }
        assert_string_equal(function->name, usable[i]);
        assert_null(function->refused);
    }
}

static void others_are_refused_at_load(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        char template[64];
        struct fx_gotemplate *program = NULL;
        struct fx_err err = FX_ERR_INIT;
        (void)snprintf(template, sizeof template, "{{ if false }}{{ %s }}{{ end }}",
                       refused[i]);
        assert_false(fx_gotemplate_compile(FX_TEXT("t"), fx_text_of(template), &fx_sprig,
                                           &program, &err));
        assert_int_equal(err.code, FX_EINVALID);
        const struct fx_text message = fx_text_of(err.msg);
        assert_true(fx_text_contains(message, fx_text_of(refused[i])));
        assert_true(fx_text_contains(message, FX_TEXT("; "))); /* what to do instead */
        assert_true(err.len > 0);
    }
}

static void those_that_kubemod_took_out_are_not_known(void **state) {
    (void)state;
    assert_null(function_find(&fx_sprig, FX_TEXT("env")));
    assert_null(function_find(&fx_sprig, FX_TEXT("expandenv")));
    assert_null(function_find(&fx_sprig, FX_TEXT("")));
    assert_null(function_find(&fx_sprig, FX_TEXT("Now")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usable_ones_can_be_called),
        cmocka_unit_test(others_are_refused_at_load),
        cmocka_unit_test(those_that_kubemod_took_out_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
