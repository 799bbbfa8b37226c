/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_resolve.c - from a scalar's text and tag to its kind and value: words first,
 * then numbers (yaml_number.c), else text.
 */
#include "value/yaml_resolve.h"

#include <math.h>
#include <string.h>

/* yaml.org/type/{null,bool,float}.html */
static const struct {
    struct fx_yaml_scalar scalar;
    const char *words[12]; /* NULL behind the last */
} vocabulary[] = {
    {{FX_YAML_NULL, {.truth = false}}, {"", "~", "null", "Null", "NULL"}},
    {{FX_YAML_BOOL, {.truth = true}},
     {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}},
    {{FX_YAML_BOOL, {.truth = false}},
     {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}},
    {{FX_YAML_FLOAT, {.real = (double)NAN}}, {".nan", ".NaN", ".NAN"}},
    {{FX_YAML_FLOAT, {.real = (double)INFINITY}},
     {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"}},
    {{FX_YAML_FLOAT, {.real = -(double)INFINITY}}, {"-.inf", "-.Inf", "-.INF"}},
};

#define LONGEST_WORD  5 /* "false", "+.inf" */
#define WORD_INITIALS "~nNyYtToOfF.+-"

static bool find_word(struct fx_text text, struct fx_yaml_scalar *ret_scalar) {
    if (text.len > LONGEST_WORD ||
        (text.len > 0 && strchr(WORD_INITIALS, text.data[0]) == NULL)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(vocabulary); i++) {
        for (const char *const *word = vocabulary[i].words; *word != NULL; word++) {
            if (fx_text_is(text, *word)) {
                *ret_scalar = vocabulary[i].scalar;
                return true;
            }
        }
    }
    return false;
}

static const char *const short_tags[] = {
#define X(name, tag) [FX_YAML_##name] = (tag),
    FX_YAML_KINDS(X)
#undef X
};

/* The tags whose scalars are looked into; under any other the text is just text. */
static const char *const resolvable[] = {"!!null",  "!!bool", "!!int",
                                         "!!float", "!!str",  "!!timestamp"};

/* The short name ("!!int") of a resolvable tag, "" for no tag, NULL for all others. */
static const char *short_tag(struct fx_text tag) {
    const struct fx_text prefix = FX_TEXT(FX_YAML_TAG_PREFIX);
    if (tag.len == 0) {
        return "";
    }
    if (!fx_text_starts(tag, prefix)) {
        return NULL;
    }
    const struct fx_text name = {tag.data + prefix.len, tag.len - prefix.len};
    for (size_t i = 0; i < FX_COUNT(resolvable); i++) {
        if (fx_text_is(name, resolvable[i] + 2)) {
            return resolvable[i];
        }
    }
    return NULL;
}

/* Does a scalar of this kind stand under this tag? An integer does as a !!float. */
static bool satisfy_tag(const char *tag, struct fx_text text,
                        struct fx_yaml_scalar *scalar, struct fx_err *err) {
    if (tag[0] == '\0' || strcmp(tag, short_tags[scalar->kind]) == 0) {
        return true;
    }
    if (scalar->kind == FX_YAML_INT && strcmp(tag, "!!float") == 0) {
        *scalar =
            (struct fx_yaml_scalar){FX_YAML_FLOAT, {.real = (double)scalar->as.integer}};
        return true;
    }
    const int shown = text.len < FX_ERR_TEXT ? (int)text.len : FX_ERR_TEXT;
    return fx_fail(err, FX_ESYNTAX, "yaml: cannot decode %s `%.*s` as a %s",
                   short_tags[scalar->kind], shown, text.data, tag);
}

bool fx_yaml_resolve(struct fx_text tag, struct fx_text text,
                     struct fx_yaml_scalar *ret_scalar, struct fx_err *err) {
    struct fx_yaml_scalar scalar = {FX_YAML_STRING, {.truth = false}};
    const char *name = short_tag(tag);
    if (name == NULL || strcmp(name, "!!str") == 0) {
        *ret_scalar = scalar;
        return true;
    }
    bool nomem = false;
    if (!find_word(text, &scalar) && !fx_yaml_number(text, &scalar, &nomem) &&
        fx_yaml_is_time(text)) {
        scalar.kind = FX_YAML_TIME;
    }
    if (nomem) {
        return fx_fail_nomem(err);
    }
    if (!satisfy_tag(name, text, &scalar, err)) {
        return false;
    }
    *ret_scalar = scalar;
    return true;
}
