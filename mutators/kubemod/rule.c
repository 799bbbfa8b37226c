/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule.c - compiles a ModRule.
 */
#include "mutators/kubemod/rule.h"

#include <stdlib.h>

#include "base/buf.h"
#include "location/sprig/sprig.h"
#include "value/tree.h"

static const char *const root_fields[] = {"apiVersion", "kind",   "metadata",
                                          "spec",       "status", NULL};
static const char *const spec_fields[] = {
    "type",  "executionTier", "admissionOperations",  "match",
    "patch", "rejectMessage", "targetNamespaceRegex", NULL,
};

/* Values beyond these are reserved for KubeMod's own loop. */
#define TIER_MIN (-32767)
#define TIER_MAX 32766

static void read_type(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule) {
    const json_t *type = fx_reading_field(reading, spec, "type", "spec.type", "string");
    const struct fx_text name = fx_tree_text(type);
    if (type == NULL) {
        if (fx_reading_view(spec, "type") == NULL) {
            fx_reading_require(reading, spec, "spec.type", NULL);
        }
    } else if (!fx_text_is(name, "Patch") && !fx_text_is(name, "Reject")) {
        fx_reading_fault(reading, spec, type, "spec.type", NULL,
                         "unrecognized ModRule type");
    }
    fx_modrule_set_type(rule, fx_text_is(name, "Reject"));
}

static void read_tier(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule) {
    const json_t *tier =
        fx_reading_field(reading, spec, "executionTier", "spec.executionTier", "integer");
    const json_int_t value = json_integer_value(tier);
    if (value < TIER_MIN || value > TIER_MAX) {
        fx_reading_fault(reading, spec, tier, "spec.executionTier", NULL,
                         "field 'executionTier' should be an integer value between "
                         "-32767 and 32766");
        return;
    }
    rule->head.tier = (int32_t)value;
}

static unsigned bit_of(const json_t *operation) {
    const enum fx_operation found = fx_operation_parse(fx_tree_text(operation));
    return found == FX_OPERATION_NONE || found == FX_OPERATION_CONNECT
               ? 0
               : FX_OPERATION_BIT(found);
}

/* Drops DELETE. A deleted object cannot be patched: the API server would refuse the
 * response. */
static void drop_deletes(struct rule_reading *reading, const json_t *list,
                         struct modrule *rule) {
    const unsigned deletes = FX_OPERATION_BIT(FX_OPERATION_DELETE);
    if (rule->rejects || (rule->operations & deletes) == 0) {
        return;
    }
    if (rule->operations == deletes) {
        fx_reading_fault(reading, list, list, "spec.admissionOperations", NULL,
                         "a rule of type Patch has nothing to patch on DELETE");
        return;
    }
    rule->operations &= ~deletes;
    fx_reading_need(reading, fx_compilation_warn(
                                 reading->compilation, list,
                                 "there is nothing to patch on DELETE: the rule is not "
                                 "applied then"));
}

static void read_operations(struct rule_reading *reading, const json_t *spec,
                            struct modrule *rule) {
    const json_t *list = fx_reading_field(reading, spec, "admissionOperations",
                                          "spec.admissionOperations", "array");
    size_t index = 0;
    const json_t *operation = NULL;
    json_array_foreach (list, index, operation) {
        const unsigned bit = bit_of(operation);
        rule->operations |= bit;
        if (bit == 0) {
            fx_reading_fault(reading, list, operation, "spec.admissionOperations", NULL,
                             "supported values: \"CREATE\", \"UPDATE\", \"DELETE\"");
        }
    }
    if (json_array_size(list) == 0) {
        rule->operations =
            FX_OPERATION_BIT(FX_OPERATION_CREATE) | FX_OPERATION_BIT(FX_OPERATION_UPDATE);
    } else if (rule->operations != 0) {
        drop_deletes(reading, list, rule);
    }
}

static void warn_of_fields(struct rule_reading *reading, const json_t *message,
                           const struct fx_gotemplate *template) {
    static const char *const fields[] = {"Namespace", "Target", NULL};
    const struct fx_text unknown = fx_gotemplate_find_unknown(template, fields);
    if (unknown.len > 0 &&
        !fx_compilation_warn(
            reading->compilation, message,
            "spec.rejectMessage: there is no `.%.*s`, so the message is the rule's name "
            "when its template reaches it: the fields are .Namespace and .Target",
            FX_TEXT_ARG(unknown))) {
        reading->is_out_of_memory = true;
    }
}

static void read_message(struct rule_reading *reading, const json_t *spec,
                         struct modrule *rule) {
    const json_t *message =
        fx_reading_field(reading, spec, "rejectMessage", "spec.rejectMessage", "string");
    struct fx_err err = FX_ERR_INIT;
    if (message == NULL) {
        return;
    }
    if (!rule->rejects) {
        fx_reading_fault(
            reading, spec, message, "spec.rejectMessage", NULL,
            "field 'rejectMessage' should be present only for ModRules of type Reject");
    } else if (!fx_gotemplate_compile(FX_TEXT("rejectMessage"), fx_tree_text(message),
                                      &fx_sprig, &rule->message, &err)) {
        fx_reading_compile_fault(reading, message, "spec.rejectMessage", &err);
    } else {
        warn_of_fields(reading, message, rule->message);
    }
}

/* Warns about a target that has no effect. The author of such a rule intends other
 * namespaces. */
static void warn_of_target(struct rule_reading *reading, const json_t *regex,
                           const struct modrule *rule) {
    if (!rule->is_cluster &&
        !fx_compilation_warn(reading->compilation, regex,
                             "spec.targetNamespaceRegex counts only in the cluster "
                             "namespace: this rule applies only to objects in namespace "
                             "\"%s\"",
                             rule->head.namespace_)) {
        reading->is_out_of_memory = true;
    }
}

/* Compiles the target expression. KubeMod keeps a rule with an invalid expression, but
 * never runs it. */
static void read_target(struct rule_reading *reading, const json_t *spec,
                        struct modrule *rule) {
    json_t *regex = fx_reading_field(reading, spec, "targetNamespaceRegex",
                                     "spec.targetNamespaceRegex", "string");
    const struct fx_text pattern = fx_tree_text(regex);
    struct fx_err err = FX_ERR_INIT;
    rule->target_pattern = json_incref(regex);
    if (pattern.len == 0) {
        return;
    }
    if (!fx_regex_compile(pattern, &rule->target, &err)) {
        (void)fx_err_prefix(&err, "error parsing regexp: ");
        fx_reading_compile_fault(reading, regex, "spec.targetNamespaceRegex", &err);
    } else {
        warn_of_target(reading, regex, rule);
    }
}

static void read_spec(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule) {
    read_type(reading, spec, rule);
    read_tier(reading, spec, rule);
    read_operations(reading, spec, rule);
    fx_reading_match(reading, spec, rule);
    fx_reading_patch(reading, spec, rule);
    read_message(reading, spec, rule);
    read_target(reading, spec, rule);
    fx_reading_warn_unknown(reading, spec, "spec", spec_fields);
}

/* Reports all faults in one message, as Kubernetes does. Several faults are in
 * brackets. */
static bool fail_rule(const struct rule_reading *reading,
                      const struct fx_subject *subject, struct fx_err *err) {
    const struct fx_compilation *compilation = reading->compilation;
    const struct fx_fault *first = &compilation->faults[0];
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "ModRule.%s \"", KUBEMOD_GROUP);
    fx_buf_text(&text, subject->name);
    fx_buf_printf(&text, "\" is invalid: %s", compilation->n_faults > 1 ? "[" : "");
    for (size_t i = 0; i < compilation->n_faults; i++) {
        fx_buf_str(&text, i == 0 ? "" : ", ");
        fx_buf_str(&text, compilation->faults[i].text);
    }
    fx_buf_str(&text, compilation->n_faults > 1 ? "]" : "");
    if (text.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail_in(err, first->node, FX_EINVALID, "%s", text.data);
        err->off = first->off;
        err->len = first->len;
    }
    fx_buf_finish(&text);
    return false;
}

static bool read_all(struct rule_reading *reading, struct modrule *rule,
                     struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(reading->source, &subject);
    const json_t *spec =
        fx_reading_field(reading, reading->source, "spec", "spec", "object");
    const json_t *metadata =
        fx_reading_field(reading, reading->source, "metadata", "metadata", "object");
    (void)fx_reading_field(reading, metadata, "namespace", "metadata.namespace",
                           "string");
    if (spec != NULL) {
        read_spec(reading, spec, rule);
    } else if (fx_reading_view(reading->source, "spec") == NULL) {
        fx_reading_require(reading, reading->source, "spec", NULL);
    }
    fx_reading_warn_unknown(reading, reading->source, "", root_fields);
    if (reading->is_out_of_memory) {
        return fx_fail_nomem(err);
    }
    return reading->compilation->n_faults == 0 || fail_rule(reading, &subject, err);
}

bool fx_rule_compile(json_t *source, struct fx_compilation *ret_compilation,
                     struct fx_err *err) {
    struct rule_reading reading = {.compilation = ret_compilation, .source = source};
    struct modrule *rule = calloc(1, sizeof *rule);
    struct fx_subject subject;
    fx_subject_read(source, &subject);
    if (rule == NULL ||
        !fx_modrule_begin(rule, &subject, source, ret_compilation->settings)) {
        fx_modrule_destroy(rule);
        return fx_fail_nomem(err);
    }
    if (!read_all(&reading, rule, err)) {
        fx_modrule_destroy(rule);
        return false;
    }
    if (!fx_modrule_index(rule)) {
        fx_modrule_destroy(rule);
        return fx_fail_nomem(err);
    }
    return fx_compilation_add_take(ret_compilation, &rule->head) || fx_fail_nomem(err);
}
