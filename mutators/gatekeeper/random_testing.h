/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/random_testing.h - private: policies and objects made at random, of
 * so few names that they meet. The same ones in each run. Included behind testing.h.
 */
#ifndef FX_MUTATORS_GATEKEEPER_RANDOM_TESTING_H
#define FX_MUTATORS_GATEKEEPER_RANDOM_TESTING_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "mutators/gatekeeper/testing.h"

/* ---- chance ---------------------------------------------------------------------- */

static uint64_t dice_state = UINT64_C(20261122);

/* SplitMix64; a number below `n`. */
static inline unsigned throw(unsigned n) {
    dice_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = dice_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((z ^ (z >> 31)) % n);
}

static inline bool one_in(unsigned n) {
    return throw(n) == 0;
}

#define PICK(array) ((array)[throw(FX_COUNT(array))])

/* ---- policies and objects -------------------------------------------------------- */

static const char *const keys[] = {"x", "y", "*", "*", "z"};
static const char *const names[] = {"a", "b", "c"};
static const char *const labels[] = {"p", "q", "r"};
static const char *const texts[] = {"u", "v"};

/* Are there only fields of spec, set and taken away if another one is there, or is not?
 * Then there are cycles. */
static bool is_flat;

/* Appends a location within spec. */
static inline void add_location(struct fx_buf *buf, const char *end) {
    fx_buf_str(buf, "spec");
    for (unsigned n = is_flat ? 0 : throw(3); n > 0; n--) {
        if (one_in(3)) {
            fx_buf_printf(buf, ".%s", PICK(names));
        } else {
            fx_buf_printf(buf, ".%s[k: %s]", one_in(3) ? "m" : "l", PICK(keys));
        }
    }
    fx_buf_printf(buf, ".%s", end != NULL ? end : names[throw(is_flat ? 2 : 3)]);
}

static inline void add_value(struct fx_buf *buf) {
    static const char *const values[] = {
        "1", "2", "'u'", "'v'", "{'b':1}", "{'a':{'c':1}}", "[]", "['u']", "{}", "null",
    };
    fx_buf_str(buf, PICK(values));
}

static inline void add_selector(struct fx_buf *buf, const char *field) {
    static const char *const operators[] = {"Exists", "DoesNotExist"};
    static const char *const relations[] = {"In", "NotIn"};
    fx_buf_printf(buf, "'%s':{", field);
    switch (throw(3)) {
    case 0:
        fx_buf_printf(buf, "'matchLabels':{'%s':'%s'}}", PICK(labels), PICK(texts));
        break;
    case 1:
        fx_buf_printf(buf, "'matchExpressions':[{'key':'%s','operator':'%s'}]}",
                      PICK(labels), PICK(operators));
        break;
    default:
        fx_buf_printf(
            buf, "'matchExpressions':[{'key':'%s','operator':'%s','values':['%s']}]}",
            PICK(labels), PICK(relations), PICK(texts));
        break;
    }
}

/* Half of them want anything. */
static inline void add_match(struct fx_buf *buf, bool ours) {
    fx_buf_str(buf, "'match':{");
    switch (is_flat ? 15 : throw(16)) {
    case 0:
    case 1:
    case 2: add_selector(buf, "labelSelector"); break;
    case 3: add_selector(buf, "namespaceSelector"); break;
    case 4:
    case 5: add_selector(buf, ours ? "annotationSelector" : "labelSelector"); break;
    case 6: fx_buf_str(buf, "'namespaces':['ns']"); break;
    case 7: fx_buf_str(buf, "'excludedNamespaces':['other','*x']"); break;
    case 8: fx_buf_str(buf, "'scope':'Namespaced','name':'p*'"); break;
    case 9: fx_buf_str(buf, "'kinds':[{'apiGroups':[''],'kinds':['Pod']}]"); break;
    default: break;
    }
    fx_buf_str(buf, "},");
}

static inline void add_conditions(struct fx_buf *buf) {
    static const char *const operators[] = {"Exists", "DoesNotExist", "In", "NotIn"};
    fx_buf_str(buf, "'conditions':[");
    for (unsigned i = 0, n = is_flat ? 1 : 1 + throw(2); i < n; i++) {
        const unsigned relation = throw(is_flat ? 2 : FX_COUNT(operators));
        fx_buf_printf(buf, "%s{'location':'", i > 0 ? "," : "");
        if (!is_flat && one_in(4)) {
            fx_buf_printf(buf, "metadata.%s.%s", one_in(2) ? "labels" : "annotations",
                          PICK(labels));
        } else {
            add_location(buf, !is_flat && one_in(4) ? "k" : NULL);
        }
        fx_buf_printf(buf, "','operator':'%s'%s}", operators[relation],
                      relation >= 2 ? ",'values':['u','x']" : "");
    }
    fx_buf_str(buf, "],");
}

/* The first `n` names of the location, or all. */
static inline void add_path_tests(struct fx_buf *buf, struct fx_text location) {
    size_t len = location.len;
    for (unsigned n = throw(3); n > 0; n--) {
        size_t shorter = len;
        while (shorter > 0 && location.data[shorter - 1] != '.') {
            shorter--;
        }
        len = shorter > 1 ? shorter - 1 : len;
    }
    fx_buf_printf(buf, "'pathTests':[{'subPath':'%.*s','condition':'%s'}],", (int)len,
                  location.data, one_in(2) ? "MustExist" : "MustNotExist");
}

static inline void add_external(struct fx_buf *buf, bool metadata) {
    fx_buf_printf(buf, "{'externalData':{'provider':'p'%s,'failurePolicy':'Ignore'}}",
                  metadata || one_in(3) ? ",'dataSource':'Username'" : "");
}

/* `assign` of Assign; at a list's end only what is an element of it will do. */
static inline void add_assign(struct fx_buf *buf, bool ours, const char *element) {
    fx_buf_str(buf, "'assign':");
    if (ours && one_in(is_flat ? 8 : 3)) {
        fx_buf_str(buf, "{'fromObject':'");
        add_location(buf, NULL);
        fx_buf_str(buf, "'}");
    } else if (element != NULL) {
        fx_buf_printf(buf, "{'value':{'k':'%s','%s':1}}", element, PICK(names));
    } else if (one_in(10)) {
        add_external(buf, false);
    } else if (one_in(10)) {
        fx_buf_str(buf, "{'fromMetadata':{'field':'name'}}");
    } else {
        fx_buf_str(buf, "{'value':");
        add_value(buf);
        fx_buf_char(buf, '}');
    }
}

static inline void add_apply_to(struct fx_buf *buf) {
    static const char *const kinds[] = {"'Pod'", "'Pod'", "'Pod','Namespace'",
                                        "'Pod','Other'", "'Other'"};
    fx_buf_printf(buf, "'applyTo':[{'groups':['','g'],'versions':['v1'],'kinds':[%s]}],",
                  is_flat ? "'Pod'" : PICK(kinds));
}

static inline void add_assign_policy(struct fx_buf *buf, bool ours) {
    static const char *const types[] = {"Pod", "Other", "Namespace"};
    struct fx_buf location;
    const char *element = NULL;
    fx_buf_init(&location, 0);
    if (!is_flat && one_in(24)) {
        fx_buf_str(&location, one_in(2) ? "kind" : "apiVersion");
    } else if (!is_flat && one_in(6)) {
        element = one_in(2) ? "x" : "y";
        add_location(&location, element[0] == 'x' ? "l[k: x]" : "l[k: y]");
    } else {
        add_location(&location, NULL);
    }
    fx_buf_printf(buf, "'location':'%s','parameters':{", location.data);
    if (!is_flat && one_in(3)) {
        add_path_tests(buf, (struct fx_text){location.data, location.len});
    }
    if (location.data[0] == 's') {
        add_assign(buf, ours, element);
    } else {
        fx_buf_printf(buf, "'assign':{'value':'%s'}",
                      location.data[0] == 'k' ? PICK(types)
                      : one_in(2)             ? "v1"
                                              : "g/v1");
    }
    fx_buf_str(buf, "}");
    fx_buf_finish(&location);
}

static inline void add_metadata_policy(struct fx_buf *buf, bool ours) {
    (void)ours;
    fx_buf_printf(buf, "'location':'metadata.%s.%s','parameters':{'assign':",
                  one_in(2) ? "labels" : "annotations", PICK(labels));
    if (one_in(6)) {
        add_external(buf, true);
    } else if (one_in(6)) {
        fx_buf_str(buf, "{'fromMetadata':{'field':'namespace'}}");
    } else {
        fx_buf_printf(buf, "{'value':'%s'}", PICK(texts));
    }
    fx_buf_str(buf, "}");
}

static inline void add_set_policy(struct fx_buf *buf, bool ours) {
    (void)ours;
    fx_buf_str(buf, "'location':'");
    add_location(buf, one_in(2) ? "s" : NULL);
    fx_buf_printf(buf, "','parameters':{'operation':'%s','values':{'fromList':[%s]}}",
                  one_in(2) ? "merge" : "prune", one_in(2) ? "'u'" : "'v',1");
}

static inline void add_image_policy(struct fx_buf *buf, bool ours) {
    fx_buf_str(buf, "'location':'");
    add_location(buf, one_in(2) ? "i" : NULL);
    fx_buf_printf(buf, "','parameters':{%s",
                  ours && one_in(3) ? "'onlyIf':{'tags':['',':u']}," : "");
    if (one_in(3)) {
        fx_buf_str(buf, "'assignPath':'a.b'}");
    } else {
        fx_buf_printf(buf, "'assignTag':':%s'}", PICK(texts));
    }
}

static inline void add_remove_policy(struct fx_buf *buf, bool ours) {
    (void)ours;
    fx_buf_str(buf, "'location':'");
    if (is_flat) {
        add_location(buf, NULL);
    } else if (one_in(4)) {
        fx_buf_printf(buf, "metadata.%s.%s", one_in(2) ? "labels" : "annotations",
                      PICK(labels));
    } else {
        add_location(buf, one_in(4) ? "l[k: *]" : one_in(4) ? "l[k: x]" : NULL);
    }
    fx_buf_str(buf, "'");
}

static const struct {
    const char *kind;
    bool only_ours, has_apply_to;
    void (*add)(struct fx_buf *buf, bool ours);
} kinds[] = {
    {"Assign", false, true, add_assign_policy},
    {"Assign", false, true, add_assign_policy},
    {"AssignMetadata", false, false, add_metadata_policy},
    {"ModifySet", false, true, add_set_policy},
    {"AssignImage", false, true, add_image_policy},
    {"Remove", true, true, add_remove_policy},
};
#define REMOVE (FX_COUNT(kinds) - 1)

static inline json_t *make_policy(unsigned number) {
    const size_t kind =
        is_flat && one_in(2) ? REMOVE : throw(is_flat ? 2 : FX_COUNT(kinds));
    const bool ours = kinds[kind].only_ours || is_flat || one_in(2);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_printf(&buf,
                  "{'apiVersion':'mutations.%s/v1alpha1','kind':'%s','metadata':{"
                  "'name':'m%u'},'spec':{",
                  ours ? "fixpoint.dev" : "gatekeeper.sh", kinds[kind].kind, number);
    add_match(&buf, ours);
    if (kinds[kind].has_apply_to) {
        add_apply_to(&buf);
    }
    if (ours && one_in(is_flat ? 1 : 3)) {
        add_conditions(&buf);
    }
    kinds[kind].add(&buf, ours);
    fx_buf_str(&buf, "}}");
    json_t *policy = must_read(buf.data);
    fx_buf_finish(&buf);
    return policy;
}

static inline void add_fields(struct fx_buf *buf, unsigned depth);

static inline void add_list(struct fx_buf *buf, unsigned depth) {
    fx_buf_char(buf, '[');
    for (unsigned i = 0, n = throw(3); i < n; i++) {
        fx_buf_printf(buf, "%s{'k':'%s'", i > 0 ? "," : "", one_in(2) ? "x" : "y");
        if (depth > 0) {
            fx_buf_char(buf, ',');
            add_fields(buf, depth - 1);
        }
        fx_buf_char(buf, '}');
    }
    fx_buf_char(buf, ']');
}

/* Some of them, with values that mostly fit. Of one image new ones are made without end
 * where it gets another path. */
static inline void add_fields(struct fx_buf *buf, unsigned depth) {
    static const char *const images[] = {"r.io/a", "r.io/a:u", "n@x/y"};
    fx_buf_printf(buf, "'i':'%s'", PICK(images));
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        if (one_in(3)) {
            fx_buf_printf(buf, ",'%s':", names[i]);
            add_value(buf);
        }
    }
    if (one_in(2)) {
        fx_buf_str(buf, one_in(20) ? ",'s':1" : ",'s':['u']");
    }
    if (depth > 0 && one_in(2)) {
        fx_buf_printf(buf, ",'%s':", one_in(3) ? "m" : "l");
        add_list(buf, depth - 1);
    }
}

static inline void add_metadata(struct fx_buf *buf, const char *field) {
    fx_buf_printf(buf, ",'%s':{", field);
    const char *comma = "";
    for (size_t i = 0; i < FX_COUNT(labels); i++) {
        if (one_in(3)) {
            fx_buf_printf(buf, "%s'%s':'%s'", comma, labels[i], PICK(texts));
            comma = ",";
        }
    }
    fx_buf_char(buf, '}');
}

static inline json_t *make_object(void) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'");
    fx_buf_str(&buf, one_in(8) ? "" : ",'namespace':'ns'");
    if (one_in(2)) {
        add_metadata(&buf, "labels");
    }
    if (one_in(2)) {
        add_metadata(&buf, "annotations");
    }
    fx_buf_char(&buf, '}');
    if (!one_in(10)) {
        fx_buf_str(&buf, ",'spec':{");
        add_fields(&buf, 3);
        fx_buf_char(&buf, '}');
    }
    fx_buf_char(&buf, '}');
    json_t *object = must_read(buf.data);
    fx_buf_finish(&buf);
    return object;
}

#endif
