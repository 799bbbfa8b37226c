/* SPDX-License-Identifier: Apache-2.0
 *
 * semver.c - the precedence of semantic versions.
 */
#include "base/semver.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

void fx_semver_print(struct fx_buf *buf, const struct fx_semver *version) {
    fx_buf_number(buf, version->major);
    fx_buf_char(buf, '.');
    fx_buf_number(buf, version->minor);
    fx_buf_char(buf, '.');
    fx_buf_number(buf, version->patch);
    if (version->prerelease.len > 0) {
        fx_buf_char(buf, '-');
        fx_buf_text(buf, version->prerelease);
    }
    if (version->build.len > 0) {
        fx_buf_char(buf, '+');
        fx_buf_text(buf, version->build);
    }
}

static bool is_number(struct fx_text identifier) {
    return identifier.len > 0 && fx_text_is_digits(identifier);
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

/* Numbers are less than words; numbers have no leading 0, so the longer one is greater.
 */
static int compare_identifiers(struct fx_text a, struct fx_text b) {
    if (is_number(a) != is_number(b)) {
        return is_number(a) ? -1 : 1;
    }
    if (is_number(a) && a.len != b.len) {
        return a.len < b.len ? -1 : 1;
    }
    return fx_text_compare(a, b);
}

/* Where all identifiers are equal the longer list is greater; no list at all is the
 * release, which is greatest. */
int fx_semver_compare_prereleases(struct fx_text a, struct fx_text b) {
    if (a.len == 0 || b.len == 0) {
        return compare_numbers(a.len == 0, b.len == 0);
    }
    while (a.len > 0 && b.len > 0) {
        const struct fx_text left = fx_text_cut(&a, '.');
        const struct fx_text right = fx_text_cut(&b, '.');
        const int order = compare_identifiers(left, right);
        if (order != 0) {
            return order;
        }
    }
    return compare_numbers(a.len > 0, b.len > 0);
}

int fx_semver_compare(const struct fx_semver *a, const struct fx_semver *b) {
    const int orders[] = {
        compare_numbers(a->major, b->major),
        compare_numbers(a->minor, b->minor),
        compare_numbers(a->patch, b->patch),
    };
    for (size_t i = 0; i < FX_COUNT(orders); i++) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return fx_semver_compare_prereleases(a->prerelease, b->prerelease);
}
