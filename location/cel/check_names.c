/* SPDX-License-Identifier: Apache-2.0
 *
 * check_names.c - what names mean: locals, variables, types; and fields.
 *
 * A dotted name means the variable or type with its longest part: with a variable `a.b`,
 * `a.b.c` is its field c. A local name comes before all dotted ones that begin with it; a
 * name with a leading dot is never local.
 */
#include <string.h>

#include "base/budget.h"
#include "base/suggestion.h"
#include "location/cel/checker.h"

/* ---- types by name ----------------------------------------------------------------- */

static const struct fx_cel_type optional_type = {
    .kind = FX_CEL_TYPE_OPTIONAL,
    .name = "optional_type",
};

/* The types that have a name, as values, and as messages show them. */
static const struct named_type {
    const char *name;
    const struct fx_cel_type *value, *shown;
} named_types[] = {
    {"bool", &fx_cel_bool, &fx_cel_bool},
    {"bytes", &fx_cel_bytes, &fx_cel_bytes},
    {"double", &fx_cel_double, &fx_cel_double},
    {"google.protobuf.Duration", &fx_cel_duration, &fx_cel_duration},
    {"google.protobuf.Timestamp", &fx_cel_timestamp, &fx_cel_timestamp},
    {"int", &fx_cel_int, &fx_cel_int},
    {"list", &fx_cel_list_dyn, &fx_cel_list_dyn},
    {"map", &fx_cel_map_dyn, &fx_cel_map_dyn},
    {"null_type", &fx_cel_null_type, &fx_cel_null_type},
    {"optional_type", &fx_cel_optional_dyn, &optional_type},
    {"string", &fx_cel_string, &fx_cel_string},
    {"type", &fx_cel_type_type, &fx_cel_type_type},
    {"uint", &fx_cel_uint, &fx_cel_uint},
};

/* `Object`, `Object.spec` and so on; any name below Object is a type. */
static const struct fx_cel_type *find_object(struct fx_cel_checker *checker,
                                             struct fx_text name) {
    if (fx_text_is(name, fx_cel_json_patch.name)) {
        return &fx_cel_json_patch;
    }
    if (fx_text_is(name, fx_cel_object.name)) {
        return &fx_cel_object;
    }
    if (!fx_text_starts(name, FX_TEXT("Object."))) {
        return NULL;
    }
    struct fx_cel_type *type = fx_arena_alloc(checker->arena, sizeof *type);
    const char *copy = fx_arena_copy(checker->arena, name);
    if (type == NULL || copy == NULL) {
        checker->unifier.no_memory = true;
        return NULL;
    }
    *type = (struct fx_cel_type){.kind = FX_CEL_TYPE_STRUCT, .name = copy};
    return type;
}

/* The type of a library that the environment declares: those of addresses alone, not
 * those of Kubernetes (`kubernetes.URL`). It is the result of one of their functions. */
static const struct fx_cel_type *find_address_type(const struct fx_cel_env *env,
                                                   struct fx_text name) {
    if (!fx_text_starts(name, FX_TEXT("net."))) {
        return NULL;
    }
    for (const struct fx_cel_overload *const *library = env->libraries; *library != NULL;
         library++) {
        for (const struct fx_cel_overload *overload = *library;
             overload->function != NULL && fx_spend(1); overload++) {
            if (overload->result->kind == FX_CEL_TYPE_OPAQUE &&
                fx_text_is(name, overload->result->name)) {
                return overload->result;
            }
        }
    }
    return NULL;
}

const struct fx_cel_type *fx_cel_check_find_type(struct fx_cel_checker *checker,
                                                 struct fx_text name,
                                                 const struct fx_cel_type **ret_value) {
    for (size_t i = 0; i < FX_COUNT(named_types); i++) {
        if (fx_text_is(name, named_types[i].name)) {
            *ret_value = named_types[i].value;
            return named_types[i].shown;
        }
    }
    const struct fx_cel_type *type = find_address_type(checker->env, name);
    if (type == NULL && checker->env->has_objects) {
        type = find_object(checker, name);
    }
    *ret_value = type;
    return type;
}

/* ---- names ------------------------------------------------------------------------- */

static size_t find_variable(const struct fx_cel_env *env, struct fx_text name) {
    for (size_t i = 0; i < env->n_variables; i++) {
        if (fx_text_is(name, env->variables[i].name)) {
            return i;
        }
    }
    return FX_CEL_NO_VARIABLE;
}

/* Makes the node the name of this local. */
static void set_local(struct fx_cel_node *node, struct fx_cel_local *local) {
    node->checked = local->type;
    node->name.local = local;
    node->name.type = NULL;
    node->name.variable = FX_CEL_NO_VARIABLE;
}

/* Makes the node the name of the variable or type, if there is one of this name. */
static bool set_global(struct fx_cel_checker *checker, struct fx_cel_node *node,
                       struct fx_text name) {
    const struct fx_cel_type *value = NULL;
    const size_t variable = find_variable(checker->env, name);
    if (variable != FX_CEL_NO_VARIABLE) {
        node->checked = checker->env->variables[variable].type;
        name = fx_text_of(checker->env->variables[variable].name);
    } else {
        const struct fx_cel_type *type = fx_cel_check_find_type(checker, name, &value);
        if (type == NULL) {
            return false;
        }
        node->checked = fx_cel_type_of_type(checker->arena, type);
        if (node->checked == NULL) {
            node->checked = &fx_cel_error_type;
            checker->unifier.no_memory = true;
        }
        name = value->kind == FX_CEL_TYPE_STRUCT ? fx_text_of(value->name) : name;
    }
    node->type = FX_CEL_NODE_NAME;
    node->name.name = name;
    node->name.is_absolute = false;
    node->name.local = NULL;
    node->name.type = value;
    node->name.variable = variable;
    return true;
}

bool fx_cel_check_find_name(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    struct fx_cel_local *local =
        node->name.is_absolute ? NULL : fx_cel_check_find_local(checker, node->name.name);
    if (local != NULL) {
        set_local(node, local);
        return true;
    }
    node->name.variable = FX_CEL_NO_VARIABLE;
    return set_global(checker, node, node->name.name);
}

void fx_cel_check_name(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    if (!fx_cel_check_find_name(checker, node)) {
        fx_cel_check_undeclared(checker, node->at, node->name.is_absolute,
                                node->name.name);
    }
}

/* The name at the root of a chain of selects; NULL: it begins with something else. */
static const struct fx_cel_node *find_root(const struct fx_cel_node *node) {
    while (node->type == FX_CEL_NODE_SELECT && !node->select.is_test && fx_spend(1)) {
        node = node->select.operand;
    }
    return node->type == FX_CEL_NODE_NAME ? node : NULL;
}

struct fx_text fx_cel_check_dotted(struct fx_cel_checker *checker, struct fx_arena *arena,
                                   const struct fx_cel_node *node, struct fx_text last) {
    const struct fx_cel_node *root = find_root(node);
    if (root == NULL) {
        return (struct fx_text){NULL, 0};
    }
    size_t len = root->name.name.len + (last.len > 0 ? last.len + 1 : 0);
    for (const struct fx_cel_node *at = node; at != root; at = at->select.operand) {
        len += at->select.field.len + 1;
    }
    char *text = fx_arena_alloc(arena, len + 1);
    if (text == NULL) {
        checker->unifier.no_memory = true;
        return (struct fx_text){NULL, 0};
    }
    char *end = text + len;
    if (last.len > 0) {
        end -= last.len;
        memcpy(end, last.data, last.len);
        *--end = '.';
    }
    for (const struct fx_cel_node *at = node; at != root; at = at->select.operand) {
        end -= at->select.field.len;
        memcpy(end, at->select.field.data, at->select.field.len);
        *--end = '.';
    }
    memcpy(text, root->name.name.data, root->name.name.len);
    return (struct fx_text){text, len};
}

/* Does a dotted name of a variable or type begin with this name? */
static bool begins_dotted(const struct fx_cel_env *env, struct fx_text name) {
    for (size_t i = 0; i < env->n_variables; i++) {
        const char *variable = env->variables[i].name;
        if (strncmp(variable, name.data, name.len) == 0 && variable[name.len] == '.') {
            return true;
        }
    }
    return (env->has_objects && fx_text_is(name, fx_cel_object.name)) ||
           fx_text_is(name, "google") || fx_text_is(name, "net");
}

bool fx_cel_check_is_dotted(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    const struct fx_cel_node *root = node->select.is_test ? NULL : find_root(node);
    if (root == NULL || !begins_dotted(checker->env, root->name.name) ||
        (!root->name.is_absolute &&
         fx_cel_check_find_local(checker, root->name.name) != NULL)) {
        return false;
    }
    const struct fx_text name =
        fx_cel_check_dotted(checker, checker->arena, node, (struct fx_text){NULL, 0});
    return name.data != NULL && set_global(checker, node, name);
}

/* ---- fields ------------------------------------------------------------------------ */

/* The type of a field that JSONPatch does not have: messages show no name for it. */
static const struct fx_cel_type no_type = {.kind = FX_CEL_TYPE_OPAQUE, .name = ""};

const struct fx_cel_type *fx_cel_check_find_field(const struct fx_cel_type *type,
                                                  struct fx_text name) {
    for (const struct fx_cel_field *field = type->fields;
         field != NULL && field->name != NULL; field++) {
        if (fx_text_is(name, field->name)) {
            return field->type;
        }
    }
    return NULL;
}

/* Adds the fault of a field that the type does not have, with the name of one that it
 * has and that may be meant. */
static void fault_undefined(struct fx_cel_checker *checker, uint32_t at,
                            const struct fx_cel_type *type, struct fx_text name) {
    struct fx_suggestion nearest;
    struct fx_cel_faults *faults = checker->faults;
    const size_t n_before = faults->n;
    fx_cel_faults_add(faults, at, "undefined field '%.*s'", FX_TEXT_ARG(name));
    fx_suggestion_init(&nearest, name);
    for (const struct fx_cel_field *field = type->fields;
         field->name != NULL && fx_spend(name.len + 1); field++) {
        fx_suggestion_offer(&nearest, field->name);
    }
    if (faults->n > n_before && nearest.word != NULL) {
        const char *copy = fx_arena_copy(faults->arena, fx_text_of(nearest.word));
        faults->failed = faults->failed || copy == NULL;
        faults->items[n_before].nearest = copy;
    }
}

const struct fx_cel_type *fx_cel_check_field(struct fx_cel_checker *checker, uint32_t at,
                                             const struct fx_cel_type *type,
                                             struct fx_text name) {
    if (type->kind != FX_CEL_TYPE_STRUCT && type->kind != FX_CEL_TYPE_MAP) {
        fx_cel_check_fault_type(checker, at, "unexpected failed resolution of ", type,
                                "");
        return &fx_cel_error_type;
    }
    if (type->fields == NULL) {
        return &fx_cel_dyn;
    }
    const struct fx_cel_type *found = fx_cel_check_find_field(type, name);
    if (found != NULL) {
        return found;
    }
    if (type == &fx_cel_json_patch) {
        return &no_type;
    }
    fault_undefined(checker, at, type, name);
    return &fx_cel_error_type;
}

/* Libraries of Kubernetes declare their types as messages, whose fields are then not
 * found; those of addresses as opaque types. */
static bool is_message(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_STRUCT ||
           (type->kind == FX_CEL_TYPE_OPAQUE &&
            strncmp(type->name, "kubernetes.", sizeof "kubernetes." - 1) == 0);
}

/* The type of operand.field, optional if the operand is. */
static const struct fx_cel_type *select_field(struct fx_cel_checker *checker, uint32_t at,
                                              struct fx_cel_node *operand,
                                              struct fx_text field, bool is_optional) {
    bool unwrapped = false;
    checker->n_reads++;
    fx_cel_check_node(checker, operand);
    checker->n_reads--;
    const struct fx_cel_type *type = fx_cel_check_unwrap(
        fx_cel_unify_resolve(&checker->unifier, operand->checked, false), &unwrapped);
    const struct fx_cel_type *result = &fx_cel_dyn;
    if (type->kind == FX_CEL_TYPE_MAP && type->fields == NULL) {
        result = type->params[1];
    } else if (type->kind == FX_CEL_TYPE_MAP || is_message(type)) {
        result = fx_cel_check_field(checker, at, type, field);
    } else if (type->kind == FX_CEL_TYPE_PARAMETER) {
        fx_cel_unify(&checker->unifier, &fx_cel_dyn, type);
    } else if (!fx_cel_is_dyn_or_error(type)) {
        fx_cel_check_fault_type(checker, at, "type ", type,
                                " does not support field selection");
    }
    if (unwrapped || is_optional) {
        result = fx_cel_unify_optional(&checker->unifier, result);
    }
    return fx_cel_unify_resolve(&checker->unifier, result, false);
}

void fx_cel_check_select(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    if (fx_cel_check_is_dotted(checker, node)) {
        return;
    }
    const struct fx_cel_type *type =
        select_field(checker, node->at, node->select.operand, node->select.field, false);
    node->checked = node->select.is_test ? &fx_cel_bool : type;
}

void fx_cel_check_optional_select(struct fx_cel_checker *checker,
                                  struct fx_cel_node *node) {
    struct fx_cel_node *field = node->call.args[1];
    field->checked = &fx_cel_string;
    node->checked =
        select_field(checker, node->at, node->call.args[0], field->literal.text, true);
}
