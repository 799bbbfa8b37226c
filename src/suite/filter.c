/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/filter.c - selects cases by one regular expression, or two.
 */
#include "suite/filter.h"

#include <stdlib.h>

#include "base/regex.h"

struct fx_suite_filter {
    struct fx_regex *full;         /* or NULL, where there are two */
    struct fx_regex *test, *case_; /* or NULL */
};

void fx_suite_filter_destroy(struct fx_suite_filter *filter) {
    if (filter == NULL) {
        return;
    }
    fx_regex_destroy(filter->full);
    fx_regex_destroy(filter->test);
    fx_regex_destroy(filter->case_);
    free(filter);
}

/* Where "//" stands; text.len where it does not. */
static size_t find_slashes(struct fx_text text) {
    for (size_t at = 0; at + 1 < text.len; at++) {
        if (text.data[at] == '/' && text.data[at + 1] == '/') {
            return at;
        }
    }
    return text.len;
}

bool fx_suite_filter_create(struct fx_text text, struct fx_suite_filter **ret_filter,
                            struct fx_err *err) {
    struct fx_suite_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL) {
        return fx_fail_nomem(err);
    }
    const size_t at = find_slashes(text);
    bool ok = false;
    if (at == text.len) {
        ok = fx_regex_compile(text, &filter->full, err);
    } else {
        const struct fx_text test = {text.data, at};
        const struct fx_text case_ = {text.data + at + 2, text.len - at - 2};
        ok = fx_regex_compile(test, &filter->test, err) &&
             fx_regex_compile(case_, &filter->case_, err);
    }
    if (!ok) {
        fx_suite_filter_destroy(filter);
        return false;
    }
    *ret_filter = filter;
    return true;
}

/* A name is too short for a match to fail but for memory, and then it fits. */
static bool fits(const struct fx_regex *regex, const char *name) {
    struct fx_err err = FX_ERR_INIT;
    bool matches = false;
    return !fx_regex_match(regex, fx_text_of(name), &matches, &err) || matches;
}

bool fx_suite_filter_fits(const struct fx_suite_filter *filter, const char *full_name,
                          const char *test, const char *case_) {
    if (filter == NULL) {
        return true;
    }
    if (filter->full != NULL) {
        return fits(filter->full, full_name);
    }
    return fits(filter->test, test) && fits(filter->case_, case_);
}
