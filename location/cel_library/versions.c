/* SPDX-License-Identifier: Apache-2.0
 *
 * versions.c - semver() and its methods.
 */
#include "location/cel_library/versions.h"

#include "base/budget.h"
#include "base/semver.h"
#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_semver, "kubernetes.Semver");

/* ---- normalizing ------------------------------------------------------------------- */

/* Removes the text behind the first point; false if there is none. */
static bool split(struct fx_text *text, struct fx_text *ret_rest) {
    struct fx_text rest = *text;
    const struct fx_text before = fx_text_cut(&rest, '.');
    const bool found = before.len < text->len;
    *text = before;
    *ret_rest = rest;
    return found;
}

/* Appends a part without its leading zeros; a 0 stays before what is no digit. */
static void add_part(struct fx_buf *buf, struct fx_text part) {
    if (part.len > 1) {
        while (fx_text_first(part) == '0') {
            part = fx_text_rest(part, 1);
        }
        if (!fx_is_digit(fx_text_first(part))) {
            fx_buf_char(buf, '0');
        }
    }
    fx_buf_text(buf, part);
}

bool fx_cel_semver_normalize(struct fx_buf *buf, struct fx_text text,
                             struct fx_err *err) {
    unsigned parts = 1;
    if (fx_text_first(text) == 'v') {
        text = fx_text_rest(text, 1);
    }
    struct fx_text rest;
    while (parts < 3 && split(&text, &rest)) {
        add_part(buf, text);
        fx_buf_char(buf, '.');
        text = rest;
        parts++;
    }
    add_part(buf, text);
    if (parts < 3) {
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '+' || text.data[i] == '-') {
                return fx_fail(err, FX_EMUTATE,
                               "short version cannot contain PreRelease/Build meta data");
            }
        }
    }
    for (; parts < 3; parts++) {
        fx_buf_str(buf, ".0");
    }
    return true;
}

/* ---- the values -------------------------------------------------------------------- */

static bool semver_equal(const void *a, const void *b) {
    return fx_semver_compare(a, b) == 0;
}

static void semver_print(const void *self, struct fx_buf *buf) {
    fx_semver_print(buf, self);
}

static const struct fx_cel_opaque_ops semver_ops = {
    .type = &fx_cel_semver,
    .equal = semver_equal,
    .unhashable = "cel.Semver",
    .print = semver_print,
};

/* Reads the version; `normalizes`: what it borrows is in the arena. Errors, in run->err:
 * FX_EMUTATE with the message of Kubernetes, FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT. */
static bool read_version(struct fx_cel_run *run, struct fx_text text, bool normalizes,
                         struct fx_semver *ret_version) {
    struct fx_buf buf;
    if (!fx_cel_spend_text(run, text)) {
        return false;
    }
    if (!normalizes) {
        return fx_semver_parse(text, ret_version, run->err);
    }
    fx_buf_init(&buf, 0);
    bool ok = fx_cel_semver_normalize(&buf, text, run->err);
    const char *copy =
        ok && !buf.failed ? fx_arena_copy(run->arena, fx_buf_view(&buf)) : NULL;
    if (copy != NULL) {
        ok = fx_semver_parse((struct fx_text){copy, buf.len}, ret_version, run->err);
    } else if (ok) {
        ok = fx_fail_nomem(run->err);
    }
    fx_buf_finish(&buf);
    return ok;
}

static struct fx_cel_value make_version(struct fx_cel_run *run, struct fx_text text,
                                        bool normalizes) {
    struct fx_semver *version = fx_arena_alloc(run->arena, sizeof *version);
    if (version == NULL) {
        return fx_cel_no_memory(run);
    }
    return read_version(run, text, normalizes, version)
               ? fx_cel_make_opaque(&semver_ops, version)
               : fx_cel_fail_read(run);
}

/* ---- the functions ----------------------------------------------------------------- */

static struct fx_cel_value call_semver(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return make_version(run, args[0].text, false);
}

static struct fx_cel_value call_semver_normalize(struct fx_cel_run *run,
                                                 const struct fx_cel_value *args) {
    return make_version(run, args[0].text, args[1].boolean);
}

static struct fx_cel_value call_is_semver(struct fx_cel_run *run,
                                          const struct fx_cel_value *args) {
    struct fx_semver version;
    return fx_cel_make_readable(run, read_version(run, args[0].text, false, &version));
}

static struct fx_cel_value call_is_semver_normalize(struct fx_cel_run *run,
                                                    const struct fx_cel_value *args) {
    struct fx_semver version;
    return fx_cel_make_readable(
        run, read_version(run, args[0].text, args[1].boolean, &version));
}

static const struct fx_semver *version_of(struct fx_cel_value value) {
    return value.opaque.data;
}

/* Numbers beyond int64 become negative, as in Kubernetes. */
static struct fx_cel_value make_part(uint64_t number) {
    return fx_cel_make_int(number <= INT64_MAX ? (int64_t)number
                                               : -1 - (int64_t)(UINT64_MAX - number));
}

static struct fx_cel_value call_major(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    (void)run;
    return make_part(version_of(args[0])->major);
}

static struct fx_cel_value call_minor(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    (void)run;
    return make_part(version_of(args[0])->minor);
}

static struct fx_cel_value call_patch(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    (void)run;
    return make_part(version_of(args[0])->patch);
}

/* Compares the versions: -1, 0 or 1. Their texts may be long. */
static int compare(const struct fx_cel_value *args) {
    const struct fx_semver *a = version_of(args[0]);
    const struct fx_semver *b = version_of(args[1]);
    (void)fx_spend_text(a->prerelease.len < b->prerelease.len ? a->prerelease.len
                                                              : b->prerelease.len);
    const int order = fx_semver_compare(a, b);
    return order < 0 ? -1 : order > 0;
}

static struct fx_cel_value call_compare(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(compare(args));
}

static struct fx_cel_value call_is_less(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(compare(args) < 0);
}

static struct fx_cel_value call_is_greater(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_bool(compare(args) > 0);
}

#define READER(name, result_, call_, ...) \
    {.function = (name),                  \
     FX_CEL_FUNCTION(__VA_ARGS__),        \
     .result = (result_),                 \
     .call = (call_),                     \
     .cost = fx_cel_cost_text,            \
     .always_costs = true}
#define PART(name, call_)           \
    {.function = (name),            \
     FX_CEL_METHOD(&fx_cel_semver), \
     .result = &fx_cel_int,         \
     .call = (call_)}
#define COMPARISON(name, result_, call_)            \
    {.function = (name),                            \
     FX_CEL_METHOD(&fx_cel_semver, &fx_cel_semver), \
     .result = (result_),                           \
     .call = (call_)}

const struct fx_cel_overload fx_cel_versions[] = {
    READER("semver", &fx_cel_semver, call_semver, &fx_cel_string),
    READER("semver", &fx_cel_semver, call_semver_normalize, &fx_cel_string, &fx_cel_bool),
    READER("isSemver", &fx_cel_bool, call_is_semver, &fx_cel_string),
    READER("isSemver", &fx_cel_bool, call_is_semver_normalize, &fx_cel_string,
           &fx_cel_bool),
    PART("major", call_major),
    PART("minor", call_minor),
    PART("patch", call_patch),
    COMPARISON("compareTo", &fx_cel_int, call_compare),
    COMPARISON("isLessThan", &fx_cel_bool, call_is_less),
    COMPARISON("isGreaterThan", &fx_cel_bool, call_is_greater),
    {.function = NULL},
};
