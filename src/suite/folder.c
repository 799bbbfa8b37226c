/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/folder.c - finds cases in folders.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "suite/read.h"

#define POLICIES "policies"

static const char *const endings[] = {".yaml", ".yml", ".json"};

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* Finds folder/name with any of the endings. *ret_path is NULL if there is no such file.
 * False without memory. */
static bool find_file(struct fx_suites *suites, struct fx_text folder, const char *name,
                      const char **ret_path) {
    *ret_path = NULL;
    for (size_t i = 0; *ret_path == NULL && i < FX_COUNT(endings); i++) {
        char whole[32];
        (void)snprintf(whole, sizeof whole, "%s%s", name, endings[i]);
        const char *path = fx_suites_join(suites, folder, fx_text_of(whole));
        if (path == NULL) {
            return false;
        }
        *ret_path = is_file(path) ? path : NULL;
    }
    return true;
}

/* Finds the policies in the folder itself: policies/ or policies.yaml. */
static bool find_policies_in(struct fx_suites *suites, struct fx_text folder,
                             const char **ret_path) {
    const char *path = fx_suites_join(suites, folder, FX_TEXT(POLICIES));
    if (path != NULL && fx_suite_is_folder(path)) {
        *ret_path = path;
        return true;
    }
    return path != NULL && find_file(suites, folder, POLICIES, ret_path);
}

/* Finds the policies of the folder or of the nearest folder above it that has policies,
 * which is *ret_above. *ret_path is NULL if none has. */
static bool find_policies(struct fx_suites *suites, struct fx_text folder,
                          struct fx_text *ret_above, const char **ret_path) {
    *ret_above = folder;
    for (;;) {
        if (!find_policies_in(suites, *ret_above, ret_path)) {
            return false;
        }
        if (*ret_path != NULL || ret_above->len == 0 || fx_text_is(*ret_above, "/")) {
            return true;
        }
        const char *copy = fx_arena_copy(&suites->arena, *ret_above);
        if (copy == NULL) {
            return false;
        }
        *ret_above = fx_suite_folder_of(copy);
    }
}

/* ---- a case ---------------------------------------------------------------------- */

struct expectations {
    /* The paths of these files; or NULL. */
    const char *mutated, *unchanged, *error, *denied;
};

static bool find_expectations(struct fx_suites *suites, struct fx_text folder,
                              struct expectations *ret_found) {
    const char *unchanged = fx_suites_join(suites, folder, FX_TEXT("unchanged"));
    const char *error = fx_suites_join(suites, folder, FX_TEXT("error.txt"));
    const char *denied = fx_suites_join(suites, folder, FX_TEXT("denied.txt"));
    if (unchanged == NULL || error == NULL || denied == NULL ||
        !find_file(suites, folder, "expected", &ret_found->mutated)) {
        return false;
    }
    ret_found->unchanged = is_file(unchanged) ? unchanged : NULL;
    ret_found->error = is_file(error) ? error : NULL;
    ret_found->denied = is_file(denied) ? denied : NULL;
    return true;
}

/* The file's text, without the blanks around it. */
static const char *read_words(struct fx_suites *suites, const char *path,
                              struct fx_err *err) {
    struct fx_buf bytes = {0};
    const char *words = NULL;
    if (fx_file_read(path, FX_ERR_TEXT, &bytes, err)) {
        struct fx_text text = {bytes.data, bytes.len};
        while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL) {
            text.len--;
        }
        while (text.len > 0 && strchr(" \t\r\n", text.data[0]) != NULL) {
            text = (struct fx_text){text.data + 1, text.len - 1};
        }
        words = fx_arena_copy(&suites->arena, text);
        if (words == NULL) {
            (void)fx_fail_nomem(err);
        }
    }
    fx_buf_finish(&bytes);
    return words;
}

static bool set_expectation(struct fx_suites *suites, struct fx_text folder,
                            const struct expectations *found, struct fx_suite_case *made,
                            struct fx_err *err) {
    made->mutated_file.path = found->mutated;
    if (found->unchanged != NULL) {
        made->mutated = FX_MUTATED_UNCHANGED;
    } else if (found->error != NULL) {
        made->error = read_words(suites, found->error, err);
        return made->error != NULL;
    } else if (found->denied != NULL) {
        made->denied = read_words(suites, found->denied, err);
        return made->denied != NULL;
    } else if (found->mutated != NULL) {
        made->mutated = FX_MUTATED_FILE;
    } else {
        made->mutated_file.path =
            fx_suites_join(suites, folder, FX_TEXT("expected.yaml"));
        return made->mutated_file.path != NULL || fx_fail_nomem(err);
    }
    return true;
}

static bool read_options(struct fx_suites *suites, const char *path,
                         struct fx_suite_case *made, struct fx_suite_fault *ret_fault,
                         struct fx_err *err) {
    struct fx_buf bytes = {0};
    if (!fx_file_read(path, FX_LIMIT_POLICY_FILE_BYTES, &bytes, err)) {
        fx_buf_finish(&bytes);
        return false;
    }
    return fx_suites_read_options(suites, path, &bytes, made, ret_fault, err);
}

/* Reports the error in a file, and keeps it. */
static bool fail_file(struct fx_suites *suites, const char *file, const char *message,
                      struct fx_suite_fault *ret_fault, struct fx_err *err) {
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail(&fault, FX_EINVALID, "%s", message);
    const struct fx_suite_text text = {.file = file};
    return fx_suites_keep_fault(suites, &text, &fault, ret_fault, err);
}

static bool fill_case(struct fx_suites *suites, struct fx_text folder,
                      struct fx_suite_case *made, struct fx_suite_fault *ret_fault,
                      struct fx_err *err) {
    const char *options = NULL;
    const char *old = NULL;
    struct expectations found = {0};
    if (!find_file(suites, folder, "options", &options) ||
        !find_file(suites, folder, "old", &old) ||
        !find_expectations(suites, folder, &found)) {
        return fx_fail_nomem(err);
    }
    if (options != NULL && !read_options(suites, options, made, ret_fault, err)) {
        return false;
    }
    made->line = 1;
    if (made->old.path == NULL) {
        made->old.path = old;
    }
    if (made->operation != NULL && strcmp(made->operation, "CREATE") == 0 &&
        old != NULL &&
        !fail_file(suites, old,
                   "a CREATE has no old object; expected `operation` to be UPDATE "
                   "or DELETE",
                   ret_fault, err)) {
        return false;
    }
    return set_expectation(suites, folder, &found, made, err);
}

static int count_expectations(const struct expectations *found) {
    return (found->mutated != NULL) + (found->unchanged != NULL) +
           (found->error != NULL) + (found->denied != NULL);
}

/* ---- the suite of a case --------------------------------------------------------- */

static struct fx_suite *suite_of(struct fx_suites *suites, struct fx_text folder,
                                 const char *policies, size_t first) {
    const char *path = folder.len > 0 ? fx_arena_copy(&suites->arena, folder) : ".";
    for (size_t i = suites->n_items; path != NULL && i > first; i--) {
        struct fx_suite *known = &suites->items[i - 1];
        if (known->n_tests > 0 && known->tests[0].name == NULL &&
            strcmp(known->path, path) == 0) {
            return known;
        }
    }
    struct fx_suite_path *given =
        fx_arena_alloc(&suites->arena, sizeof(struct fx_suite_path));
    struct fx_suite *suite = path != NULL && given != NULL ? fx_suites_new(suites) : NULL;
    struct fx_suite_test *test = suite != NULL ? fx_suite_new_test(suite) : NULL;
    if (test == NULL) {
        return NULL;
    }
    *given = (struct fx_suite_path){policies, NULL};
    const char *slash = strrchr(path, '/');
    suite->path = path;
    suite->name = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    test->line = 1;
    test->mutators = (struct fx_suite_paths){given, 1};
    return suite;
}

/* The path of the case's folder relative to the suite's; "object" for the suite's folder
 * itself. */
static const char *case_name(struct fx_suites *suites, struct fx_text folder,
                             struct fx_text above) {
    struct fx_text rest = {folder.data + above.len, folder.len - above.len};
    while (rest.len > 0 && rest.data[0] == '/') {
        rest = (struct fx_text){rest.data + 1, rest.len - 1};
    }
    return fx_arena_copy(&suites->arena, rest.len > 0 ? rest : FX_TEXT("object"));
}

static bool add_case(struct fx_suites *suites, const char *file, struct fx_suite *suite,
                     struct fx_text above, struct fx_err *err) {
    const char *path = fx_arena_copy(&suites->arena, fx_text_of(file));
    struct fx_suite_case *made = fx_suite_new_case(&suite->tests[0]);
    if (path == NULL || made == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_text folder = fx_suite_folder_of(path);
    struct fx_suite_fault fault = {0};
    made->object.path = path;
    made->name = case_name(suites, folder, above);
    if (made->name == NULL || !fill_case(suites, folder, made, &fault, err)) {
        return made->name != NULL ? false : fx_fail_nomem(err);
    }
    if (suite->fault.reason == NULL) {
        suite->fault = fault;
    }
    return true;
}

/* Reports an error in the files of a case. The suite is then not run. */
static bool add_fault(struct fx_suites *suites, struct fx_suite *suite, const char *file,
                      const char *message, struct fx_err *err) {
    const char *copy = fx_arena_copy(&suites->arena, fx_text_of(file));
    struct fx_suite_fault fault = {0};
    if (copy == NULL || !fail_file(suites, copy, message, &fault, err)) {
        return copy != NULL ? false : fx_fail_nomem(err);
    }
    if (suite->fault.reason == NULL) {
        suite->fault = fault;
    }
    return true;
}

/* ---- finding --------------------------------------------------------------------- */

static bool is_object_file(const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    for (size_t i = 0; i < FX_COUNT(endings); i++) {
        char whole[32];
        (void)snprintf(whole, sizeof whole, "object%s", endings[i]);
        if (strcmp(name, whole) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_among_policies(const char *file) {
    const struct fx_text text = fx_text_of(file);
    return fx_text_starts(text, FX_TEXT(POLICIES "/")) ||
           fx_text_contains(text, FX_TEXT("/" POLICIES "/"));
}

bool fx_suites_add_folder_case(struct fx_suites *suites, const char *file, size_t first,
                               struct fx_err *err) {
    if (!is_object_file(file) || is_among_policies(file)) {
        return true;
    }
    const struct fx_text folder = fx_suite_folder_of(file);
    struct fx_text above = folder;
    const char *policies = NULL;
    struct expectations found = {0};
    if (!find_policies(suites, folder, &above, &policies) ||
        !find_expectations(suites, folder, &found)) {
        return fx_fail_nomem(err);
    }
    if (policies == NULL && count_expectations(&found) == 0) {
        return true; /* the file is not an object of a case */
    }
    struct fx_suite *suite =
        suite_of(suites, policies != NULL ? above : folder, policies, first);
    if (suite == NULL) {
        return fx_fail_nomem(err);
    }
    if (policies == NULL) {
        return add_fault(suites, suite, file,
                         "no policies for this case; expected policies/ or policies.yaml "
                         "in the same folder or in a folder above",
                         err);
    }
    if (count_expectations(&found) > 1) {
        return add_fault(
            suites, suite, file,
            "several expectations for this case; expected one of "
            "expected.yaml, unchanged, error.txt and denied.txt in the same folder",
            err);
    }
    return add_case(suites, file, suite, above, err);
}
