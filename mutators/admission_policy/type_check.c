/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/type_check.c - compiles the expressions of a policy once more
 * for each kind that it matches, with the types of the kind.
 */
#include "mutators/admission_policy/type_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "mutators/admission_policy/environment.h"
#include "mutators/admission_policy/type_guards.h"
#include "mutators/admission_policy/type_schema.h"

/* An expression of the policy, and what is wrong with it for each kind. */
struct map_checked {
    const struct map_expression *expression;
    const struct fx_cel_env *env; /* of the policy */
    const char *list;             /* "variables" */
    const char *member;           /* "expression", "jsonPatch.expression" */
    size_t index;                 /* in the list */
    bool is_merged;               /* its value is merged into the object */
    bool is_lazy; /* it may not be evaluated although the policy matches */
    struct fx_cel_faults faults[MAP_MOST_TYPED_KINDS];
};

/* The check of one policy. */
struct map_type_checking {
    const struct map_policy *policy;
    struct map_typed_kinds kinds;
    const struct fx_cel_type *params;
    struct map_checked *items; /* variables, conditions, mutations */
    size_t n_items;
    struct fx_arena arena; /* of types and faults */
    /* The declarations while one kind is checked. */
    struct fx_cel_variable declared[MAP_SLOTS];
    struct fx_cel_type variables_type;
    struct fx_cel_field *variable_fields;
    struct fx_cel_program **programs; /* of variables: they own parts of their types */
    struct fx_err *err;
};

/* ---- the expressions --------------------------------------------------------------- */

static void add_item(struct map_type_checking *of, const struct map_checked *item) {
    of->items[of->n_items++] = *item;
}

static bool add_items(struct map_type_checking *of) {
    const struct map_policy *policy = of->policy;
    const size_t n = policy->n_variables + policy->n_conditions + policy->n_mutations;
    bool *needed = calloc(policy->n_variables + 1, sizeof *needed);
    of->items = calloc(n + 1, sizeof *of->items);
    if (needed == NULL || of->items == NULL) {
        free(needed);
        return fx_fail_nomem(of->err);
    }
    const bool may_skip = policy->n_conditions > 0;
    fx_map_find_needed(policy, needed);
    for (size_t i = 0; i < policy->n_variables; i++) {
        add_item(of, &(struct map_checked){.expression = &policy->variables[i].expression,
                                           .env = &policy->variable_env,
                                           .list = "variables",
                                           .member = "expression",
                                           .index = i,
                                           .is_lazy = may_skip || !needed[i]});
    }
    for (size_t i = 0; i < policy->n_conditions; i++) {
        add_item(of,
                 &(struct map_checked){.expression = &policy->conditions[i].expression,
                                       .env = &policy->condition_env,
                                       .list = "matchConditions",
                                       .member = "expression",
                                       .index = i,
                                       .is_lazy = policy->n_conditions > 1});
    }
    for (size_t i = 0; i < policy->n_mutations; i++) {
        const bool is_patch = policy->mutations[i].type == MAP_JSON_PATCH;
        add_item(of, &(struct map_checked){.expression = &policy->mutations[i].expression,
                                           .env = &policy->mutation_env,
                                           .list = "mutations",
                                           .member =
                                               is_patch ? "jsonPatch.expression"
                                                        : "applyConfiguration.expression",
                                           .index = i,
                                           .is_merged = !is_patch,
                                           .is_lazy = may_skip});
    }
    free(needed);
    return true;
}

/* ---- one kind ---------------------------------------------------------------------- */

/* The environment of an expression with the types of the kind. */
static struct fx_cel_env typed_env(struct map_type_checking *of,
                                   const struct map_checked *item,
                                   const struct fx_cel_type *object) {
    const struct fx_cel_env *env = item->env;
    struct fx_cel_env typed = *env;
    memcpy(of->declared, env->variables, env->n_variables * sizeof *env->variables);
    of->declared[MAP_SLOT_OBJECT].type = object;
    of->declared[MAP_SLOT_OLD_OBJECT].type = object;
    if (env->n_variables > MAP_SLOT_PARAMS && of->params != NULL) {
        of->declared[MAP_SLOT_PARAMS].type = of->params;
    }
    if (env->variables[MAP_SLOT_VARIABLES].type == &of->policy->variables_type) {
        of->declared[MAP_SLOT_VARIABLES].type = &of->variables_type;
    }
    typed.variables = of->declared;
    /* The value of a JSON patch may be an Object of any shape. */
    typed.merged = item->is_merged ? object : NULL;
    return typed;
}

/* Compiles an expression with the types of a kind. *ret_program is NULL if it has faults,
 * or is too complex to be checked. Errors: FX_ENOMEM, FX_EDEADLINE. */
static bool check_item(struct map_type_checking *of, struct map_checked *item,
                       size_t kind, const struct fx_cel_type *object,
                       struct fx_cel_program **ret_program) {
    static const struct fx_cel_compile_options options = {.type_only = true,
                                                          .lenient = true};
    const struct fx_cel_env env = typed_env(of, item, object);
    struct fx_cel_faults *faults = &item->faults[kind];
    struct fx_err err = FX_ERR_INIT;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    *faults = (struct fx_cel_faults){.arena = &of->arena};
    if (fx_cel_compile(&env, item->expression->text, &options, ret_program, faults,
                       &stage, &err) ||
        err.code == FX_OK || err.code == FX_ELIMIT) {
        return true;
    }
    *of->err = err;
    return false;
}

/* Declares a variable with the type that it has for this kind; dyn if it has faults. */
static bool declare(struct map_type_checking *of, size_t i) {
    const struct fx_cel_program *program = of->programs[i];
    const struct fx_cel_type *type =
        program == NULL ? &fx_cel_dyn
                        : fx_map_env_seen_type(&of->arena, fx_cel_program_type(program));
    of->variable_fields[i] =
        (struct fx_cel_field){.name = of->policy->variables[i].name, .type = type};
    return type != NULL || fx_fail_nomem(of->err);
}

static bool check_variables(struct map_type_checking *of, size_t kind,
                            const struct fx_cel_type *object) {
    bool ok = true;
    memset(of->variable_fields, 0,
           (of->policy->n_variables + 1) * sizeof *of->variable_fields);
    for (size_t i = 0; ok && i < of->policy->n_variables; i++) {
        ok = check_item(of, &of->items[i], kind, object, &of->programs[i]) &&
             declare(of, i);
    }
    return ok;
}

static bool check_others(struct map_type_checking *of, size_t kind,
                         const struct fx_cel_type *object) {
    bool ok = true;
    for (size_t i = of->policy->n_variables; ok && i < of->n_items; i++) {
        struct fx_cel_program *program = NULL;
        ok = check_item(of, &of->items[i], kind, object, &program);
        fx_cel_destroy(program);
    }
    return ok;
}

static void drop_programs(struct map_type_checking *of) {
    for (size_t i = 0; of->programs != NULL && i < of->policy->n_variables; i++) {
        fx_cel_destroy(of->programs[i]);
        of->programs[i] = NULL;
    }
}

static bool check_kind(struct map_type_checking *of, size_t kind) {
    const struct fx_cel_type *object = NULL;
    const bool ok = fx_map_type_of_schema(&of->arena, of->kinds.items[kind].schema,
                                          &object, of->err) &&
                    check_variables(of, kind, object) && check_others(of, kind, object);
    drop_programs(of);
    return ok;
}

static bool check_kinds(struct map_type_checking *of) {
    const size_t n = of->policy->n_variables + 1;
    of->variable_fields = calloc(n, sizeof *of->variable_fields);
    of->programs = calloc(n, sizeof(struct fx_cel_program *));
    if (of->variable_fields == NULL || of->programs == NULL) {
        return fx_fail_nomem(of->err);
    }
    of->variables_type = of->policy->variables_type;
    of->variables_type.fields = of->variable_fields;
    bool ok =
        of->kinds.params.schema.set == NULL ||
        fx_map_type_of_schema(&of->arena, of->kinds.params.schema, &of->params, of->err);
    for (size_t i = 0; ok && i < of->kinds.n; i++) {
        ok = check_kind(of, i);
    }
    return ok;
}

/* ---- which faults count ------------------------------------------------------------ */

static bool has_fault_at(const struct fx_cel_faults *faults, uint32_t at) {
    for (size_t i = 0; i < faults->n; i++) {
        if (faults->items[i].at == at) {
            return true;
        }
    }
    return false;
}

/* Is there a fault at this place for all kinds that the policy matches? */
static bool is_for_all(const struct map_type_checking *of, const struct map_checked *item,
                       uint32_t at) {
    for (size_t i = 0; i < of->kinds.n; i++) {
        if (!has_fault_at(&item->faults[i], at)) {
            return false;
        }
    }
    return of->kinds.is_complete;
}

static bool counts(const struct map_type_checking *of, const struct map_checked *item,
                   uint32_t at) {
    return is_for_all(of, item, at) ||
           (!item->is_lazy && !fx_map_is_guarded(item->expression->program, at));
}

/* Removes the faults that do not count. All places are decided before the first fault is
 * removed, since each depends on those of the other kinds. */
static bool mark_faults(const struct map_type_checking *of, struct map_checked *item,
                        bool *ret_counts) {
    bool any = false;
    size_t k = 0;
    for (size_t kind = 0; kind < of->kinds.n; kind++) {
        for (size_t i = 0; i < item->faults[kind].n; i++, k++) {
            ret_counts[k] = counts(of, item, item->faults[kind].items[i].at);
            any = any || ret_counts[k];
        }
    }
    return any;
}

static void keep_marked(const struct map_type_checking *of, struct map_checked *item,
                        const bool *marks) {
    for (size_t kind = 0; kind < of->kinds.n; kind++) {
        struct fx_cel_faults *faults = &item->faults[kind];
        size_t n = 0;
        for (size_t i = 0; i < faults->n; i++) {
            if (*marks++) {
                faults->items[n++] = faults->items[i];
            }
        }
        faults->n = n;
    }
}

/* ---- the warnings ------------------------------------------------------------------ */

/* The number of faults that are reported of one expression and kind. */
#define MOST_FAULTS 20u

static bool copy_faults(struct fx_type_warnings *warnings,
                        const struct fx_cel_faults *faults, size_t source_len,
                        struct fx_type_warning *warning) {
    struct fx_arena *arena = &warnings->arena;
    warning->n_faults = faults->n;
    warning->faults = fx_arena_alloc(arena, faults->n * sizeof *warning->faults);
    bool ok = warning->faults != NULL;
    for (size_t i = 0; ok && i < faults->n; i++) {
        const struct fx_cel_fault *fault = &faults->items[i];
        const char *nearest = fault->nearest;
        warning->faults[i] = (struct fx_type_fault){
            .at = fault->at < source_len ? fault->at : (uint32_t)source_len,
            .message = fx_arena_copy(arena, fx_text_of(fault->message)),
            .nearest = nearest == NULL ? NULL : fx_arena_copy(arena, fx_text_of(nearest)),
        };
        ok = warning->faults[i].message != NULL &&
             (nearest == NULL || warning->faults[i].nearest != NULL);
    }
    return ok;
}

/* Appends a warning. False without memory or room. */
static bool warn(const struct map_type_checking *of, const struct map_checked *item,
                 size_t kind, struct fx_type_warnings *warnings) {
    const struct map_typed_kind *of_kind = &of->kinds.items[kind];
    const struct fx_text source = item->expression->text;
    struct fx_cel_faults faults = item->faults[kind];
    struct fx_arena *arena = &warnings->arena;
    struct fx_buf text;
    faults.n = faults.n < MOST_FAULTS ? faults.n : MOST_FAULTS;
    fx_buf_init(&text, FX_LIMIT_TYPE_WARNING_BYTES);
    fx_cel_faults_print(&faults, source, &text);
    struct fx_type_warning warning = {
        .field = fx_arena_printf(arena, "spec.%s[%zu].%s", item->list, item->index,
                                 item->member),
        .expression = source,
        .kind =
            fx_arena_printf(arena, "%.*s/%.*s, Kind=%.*s", FX_TEXT_ARG(of_kind->group),
                            FX_TEXT_ARG(of_kind->version), FX_TEXT_ARG(of_kind->kind)),
        .text = text.failed ? NULL : fx_arena_copy(arena, fx_buf_view(&text)),
    };
    fx_buf_finish(&text);
    if (warning.field == NULL || warning.kind == NULL || warning.text == NULL ||
        !copy_faults(warnings, &faults, source.len, &warning) ||
        !FX_ARENA_GROW(arena, warnings->items, warnings->n_items, warnings->cap_items)) {
        return false;
    }
    warnings->items[warnings->n_items++] = warning;
    return true;
}

static bool report(const struct map_type_checking *of, struct map_checked *item,
                   struct fx_type_warnings *warnings) {
    size_t n = 0;
    for (size_t kind = 0; kind < of->kinds.n; kind++) {
        n += item->faults[kind].n;
    }
    if (n == 0) {
        return true;
    }
    bool *marks = calloc(n, sizeof *marks);
    bool ok = marks != NULL;
    if (ok && mark_faults(of, item, marks)) {
        keep_marked(of, item, marks);
        for (size_t kind = 0; ok && kind < of->kinds.n; kind++) {
            ok = item->faults[kind].n == 0 || warn(of, item, kind, warnings);
        }
    }
    free(marks);
    return ok;
}

static bool report_all(const struct map_type_checking *of,
                       struct fx_type_warnings *warnings) {
    bool ok = true;
    for (size_t i = 0; ok && i < of->n_items; i++) {
        ok = report(of, &of->items[i], warnings);
    }
    return ok || fx_fail_nomem(of->err);
}

/* ---- the whole --------------------------------------------------------------------- */

static bool check_policy(struct map_type_checking *of,
                         struct fx_type_warnings *warnings) {
    return add_items(of) && check_kinds(of) && report_all(of, warnings);
}

bool fx_map_check_types(const struct fx_unit *unit, const struct fx_schemas *schemas,
                        struct fx_type_warnings *ret_warnings, struct fx_err *err) {
    struct map_type_checking of = {.policy = (const struct map_policy *)unit->linkable,
                                   .err = err};
    fx_arena_init(&of.arena, FX_LIMIT_TYPE_BYTES);
    bool ok = fx_map_typed_kinds_find(of.policy, schemas, &of.kinds, err);
    if (ok && of.kinds.waits) {
        ret_warnings->waits = true;
    } else if (ok && of.kinds.n > 0) {
        ok = check_policy(&of, ret_warnings);
    }
    fx_map_typed_kinds_finish(&of.kinds);
    fx_arena_finish(&of.arena);
    free(of.items);
    free(of.variable_fields);
    free(of.programs);
    return ok && fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err) : ok;
}
