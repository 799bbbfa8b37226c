/* SPDX-License-Identifier: Apache-2.0
 *
 * type_names.c - checks the names of the types in an Object{…} value.
 */
#include "base/budget.h"
#include "base/limits.h"
#include "mutators/admission_policy/convert.h"

/* A walk over the values: `path` has the expected name. */
struct name_check {
    struct fx_buf path;
    struct fx_buf *message;
    size_t n_faults;
    bool failed; /* the budget is exceeded */
};

static void check_value(struct name_check *check, struct fx_cel_value value,
                        unsigned depth);

static void report(struct name_check *check, struct fx_text name) {
    if (check->n_faults++ >= FX_LIMIT_REPORTED_FAULTS) {
        return;
    }
    fx_buf_str(check->message, check->n_faults == 1 ? "type mismatch: " : "\n");
    fx_buf_str(check->message, "unexpected type name ");
    fx_text_quote_go(check->message, name);
    fx_buf_str(check->message, ", expected ");
    fx_text_quote_go(check->message, fx_buf_view(&check->path));
    fx_buf_str(check->message, ", which matches field name path from root Object type");
}

static void check_object(struct name_check *check, const struct fx_cel_value *value,
                         unsigned depth) {
    struct fx_cel_struct *object = value->structure;
    const struct fx_text name = fx_text_of(object->type->name);
    const size_t len = check->path.len;
    if (!fx_text_equal(name, fx_buf_view(&check->path))) {
        report(check, name);
    }
    for (size_t i = 0; i < object->fields.n; i++) {
        const struct fx_cel_map_entry *field = &object->fields.entries[i];
        fx_buf_char(&check->path, '.');
        fx_buf_text(&check->path, field->key.text);
        check_value(check, field->value, depth + 1);
        check->path.len = len;
    }
}

/* Lists and maps of the object have no types. Those that an expression builds add nothing
 * to the name. */
static void check_value(struct name_check *check, struct fx_cel_value value,
                        unsigned depth) {
    if (check->failed || !fx_spend(1) || depth > FX_LIMIT_JSON_DEPTH) {
        check->failed = true;
        return;
    }
    const bool is_built = (value.flags & (FX_CEL_IN_TREE | FX_CEL_NATIVE)) == 0;
    if (value.kind == FX_CEL_STRUCT && value.structure->type->fields == NULL) {
        check_object(check, &value, depth);
    } else if (value.kind == FX_CEL_LIST && is_built) {
        for (size_t i = 0; i < value.list->n; i++) {
            check_value(check, value.list->items[i], depth + 1);
        }
    } else if (value.kind == FX_CEL_MAP && is_built) {
        for (size_t i = 0; i < value.map->n; i++) {
            check_value(check, value.map->entries[i].value, depth + 1);
        }
    } else if (value.kind == FX_CEL_OPTIONAL && value.inner != NULL &&
               value.inner->kind != FX_CEL_STRUCT) {
        check_value(check, *value.inner, depth + 1);
    }
}

static bool end_check(const struct name_check *check, struct fx_map_refusal *refusal,
                      struct fx_err *err) {
    if (check->failed) {
        return fx_budget_exceeded() != FX_EXCEEDED_NOTHING
                   ? fx_fail_exceeded(err)
                   : fx_fail(err, FX_ELIMIT, "exceeded max depth");
    }
    if (check->path.failed) {
        return fx_fail_nomem(err);
    }
    return check->n_faults == 0 || fx_map_reject(refusal, 403, err);
}

bool fx_map_check_type_names(struct fx_cel_value object, struct fx_map_refusal *refusal,
                             struct fx_err *err) {
    struct name_check check = {.message = &refusal->message};
    fx_buf_init(&check.path, 0);
    fx_buf_str(&check.path, object.structure->type->name);
    check_value(&check, object, 0);
    const bool ok = end_check(&check, refusal, err);
    fx_buf_finish(&check.path);
    return ok;
}
