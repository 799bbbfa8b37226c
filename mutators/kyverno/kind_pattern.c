/* SPDX-License-Identifier: Apache-2.0
 *
 * kind_pattern.c - reads the kinds of filters.
 */
#include "kind_pattern.h"

/* "v1", "v1beta1", "v2alpha3", "*". */
static bool is_version(struct fx_text text) {
    static const char *const stages[] = {"alpha", "beta"};
    if (fx_text_is(text, "*")) {
        return true;
    }
    if (!fx_text_take(&text, 'v')) {
        return false;
    }
    size_t digits = fx_text_count_digits(text, text.len);
    text = fx_text_rest(text, digits);
    for (size_t i = 0; digits > 0 && text.len > 0 && i < FX_COUNT(stages); i++) {
        const struct fx_text stage = fx_text_of(stages[i]);
        if (fx_text_starts(text, stage)) {
            text = fx_text_rest(text, stage.len);
            return text.len > 0 && fx_text_is_digits(text);
        }
    }
    return digits > 0 && text.len == 0;
}

static bool is_lower(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'Z') {
            return false;
        }
    }
    return text.len > 0;
}

#define MOST_PARTS 4u

/* Splits at slashes; the last part also at a dot. 0 if there are too many parts. */
static size_t split_kind(struct fx_text text, struct fx_text parts[MOST_PARTS]) {
    size_t n = 0;
    bool is_last = false;
    while (!is_last) {
        if (n == MOST_PARTS) {
            return 0;
        }
        is_last = !fx_text_contains(text, FX_TEXT("/"));
        parts[n++] = is_last ? text : fx_text_cut(&text, '/');
    }
    struct fx_text last = parts[n - 1];
    if (fx_text_contains(last, FX_TEXT("."))) {
        if (n == MOST_PARTS) {
            return 0;
        }
        parts[n - 1] = fx_text_cut(&last, '.');
        parts[n++] = last;
    }
    return n;
}

static struct kyverno_kind_pattern pattern_of_two(const struct fx_text parts[]) {
    struct kyverno_kind_pattern pattern = {
        FX_TEXT("*"),
        FX_TEXT("*"),
        FX_TEXT("*"),
        FX_TEXT(""),
    };
    if (fx_text_is(parts[0], "*") && (fx_text_is(parts[1], "*") || is_lower(parts[1]))) {
        pattern.subresource = parts[1];
    } else if (is_version(parts[0])) {
        pattern.version = parts[0];
        pattern.kind = parts[1];
    } else {
        pattern.kind = parts[0];
        pattern.subresource = parts[1];
    }
    return pattern;
}

bool fx_kyverno_kind_parse(struct fx_text text, struct kyverno_kind_pattern *ret) {
    struct fx_text parts[MOST_PARTS];
    const struct fx_text any = FX_TEXT("*");
    const struct fx_text none = FX_TEXT("");
    switch (split_kind(text, parts)) {
    case 1: *ret = (struct kyverno_kind_pattern){any, any, parts[0], none}; return true;
    case 2: *ret = pattern_of_two(parts); return true;
    case 3:
        *ret = is_version(parts[0])
                   ? (struct kyverno_kind_pattern){any, parts[0], parts[1], parts[2]}
                   : (struct kyverno_kind_pattern){parts[0], parts[1], parts[2], none};
        return true;
    case 4:
        *ret = (struct kyverno_kind_pattern){parts[0], parts[1], parts[2], parts[3]};
        return true;
    default: return false;
    }
}
