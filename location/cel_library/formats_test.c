/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/formats_test.c - named formats and their validate().
 */
#include "location/cel_library/testing.h"

static const struct library_case values_cases[] = {
    {"format.named('dns1123Label')", "optional DNS1123Label", 1},
    {"format.named('ipv4')", "optional ", 1},
    {"format.uri() == format.named('uri').value()", "true", 4},
    {"format.uri() == format.uuid()", "false", 0},
};

static void values(void **state) {
    (void)state;
    check_cases(values_cases, FX_COUNT(values_cases));
}

static const struct library_case names_cases[] = {
    {"format.dns1123Label().validate('a-b')", "optional ", 9},
    {"format.dns1123Label().validate('"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
     "optional ", 57},
    {"format.dns1123Label().validate('a.b')", "optional [must not contain dots]", 0},
    {"format.dns1123Label().validate('')",
     "optional [a lowercase RFC 1123 label must consist of lower case alphanumeric "
     "characters or '-', and must start and end with an alphanumeric character (e.g. "
     "'my-name',  or '123-abc', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')]",
     0},
    {"format.dns1123Label().validate('"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')",
     "optional [must be no more than 63 characters, a lowercase RFC 1123 label must "
     "consist of lower case alphanumeric characters or '-', and must start and end with "
     "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
     "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')]",
     0},
    {"format.dns1123LabelPrefix().validate('a-')", "optional ", 0},
    {"format.dns1123LabelPrefix().validate('-')",
     "optional [a lowercase RFC 1123 label must consist of lower case alphanumeric "
     "characters or '-', and must start and end with an alphanumeric character (e.g. "
     "'my-name',  or '123-abc', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')]",
     0},
    {"format.dns1123LabelPrefix().validate('"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-')",
     "optional ", 0},
    {"format.dns1123Subdomain().validate('a.b-c.d')", "optional ", 16},
    {"format.dns1123Subdomain().validate('a.')",
     "optional [a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
     "characters, '-' or '.', and must start and end with an alphanumeric character "
     "(e.g. 'example.com', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
     0},
    {"format.dns1123Subdomain().validate('"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaa')",
     "optional [must be no more than 253 characters]", 0},
    {"format.dns1123SubdomainPrefix().validate('a.b-')", "optional ", 0},
    {"format.dns1035Label().validate('a-1')", "optional ", 9},
    {"format.dns1035LabelPrefix().validate('1-')", "optional ", 0},
    {"format.qualifiedName().validate('example.com/My_name')", "optional ", 31},
    {"format.qualifiedName().validate('/name')",
     "optional [prefix part must be non-empty]", 16},
    {"format.qualifiedName().validate('A/b')",
     "optional [prefix part a lowercase RFC 1123 subdomain must consist of lower case "
     "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
     "character (e.g. 'example.com', regex used for validation is "
     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
     0},
    {"format.qualifiedName().validate('a/')",
     "optional [name part must be non-empty, name part must consist of alphanumeric "
     "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
     "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]",
     0},
    {"format.qualifiedName().validate('a/b/c')",
     "optional [a qualified name must consist of alphanumeric characters, '-', '_' or "
     "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
     "'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix "
     "and '/' (e.g. 'example.com/MyName')]",
     0},
    {"format.qualifiedName().validate('"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
     "optional [name part must be no more than 63 bytes]", 0},
    {"format.labelValue().validate('')", "optional ", 11},
    {"format.labelValue().validate('"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
     "optional [must be no more than 63 bytes]", 0},
    {"format.labelValue().validate('1.2_3')", "optional ", 0},
};

static void names(void **state) {
    (void)state;
    check_cases(names_cases, FX_COUNT(names_cases));
}

static const struct library_case texts_cases[] = {
    {"format.uri().validate('a')", "optional [parse \"a\": invalid URI for request]",
     277},
    {"format.uri().validate('/name')", "optional ", 0},
    {"format.uuid().validate('123E4567-e89b12d3-a456-426614174000')", "optional ", 73},
    {"format.uuid().validate('123e4567-e89b-12d3-a456-42661417400')",
     "optional [does not match the UUID format]", 0},
    {"format.byte().validate('YQ==')", "optional ", 22},
    {"format.byte().validate('YWI=')", "optional ", 0},
    {"format.byte().validate('YWJj')", "optional ", 0},
    {"format.byte().validate('')", "optional [invalid base64]", 0},
    {"format.byte().validate('Y===')", "optional [invalid base64]", 0},
    {"format.byte().validate('YWJj=')", "optional [invalid base64]", 0},
    {"format.date().validate('2024-02-29')", "optional ", 37},
    {"format.date().validate('2023-02-29')", "optional [invalid date]", 0},
    {"format.date().validate('24-1-1')", "optional [invalid date]", 0},
    {"format.datetime().validate('2024-01-01T00:00:00.5+02:00')", "optional ", 0},
    {"format.datetime().validate('2024-01-01t00:00:00+02:00')", "optional ", 0},
    {"format.datetime().validate('2024-01-01T00:00:00Z')", "optional ", 0},
    {"format.datetime().validate('2024-01-01T00:00:00é5z')", "optional ", 0},
    {"format.datetime().validate('2024-01-01T00:00:00')", "optional [invalid datetime]",
     0},
    {"format.datetime().validate('2024-01-01T24:00:00Z')", "optional [invalid datetime]",
     0},
    {"format.datetime().validate('2024-01-01')", "optional [invalid datetime]", 0},
};

static void texts(void **state) {
    (void)state;
    check_cases(texts_cases, FX_COUNT(texts_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(names),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
