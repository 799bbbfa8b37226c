/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/loop_draw.h - for the fuzz target of the loop: bytes become policies and objects
 * with a small vocabulary, so that policies match objects. Each byte is one choice. When
 * no bytes are left, the first choice, which is the simplest, is taken.
 */
#ifndef FX_POLICY_LOOP_DRAW_H
#define FX_POLICY_LOOP_DRAW_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"

struct draw {
    const uint8_t *bytes;
    size_t left;
    struct fx_buf *out;
};

static inline size_t draw_below(struct draw *draw, size_t n) {
    if (draw->left == 0) {
        return 0;
    }
    draw->left--;
    return *draw->bytes++ % n;
}

static inline bool draw_rarely(struct draw *draw) {
    return draw_below(draw, 4) == 3;
}

static inline const char *draw_word(struct draw *draw, const char *const *words,
                                    size_t n) {
    return words[draw_below(draw, n)];
}

#define DRAW(draw, ...)                                 \
    draw_word(draw, (const char *const[]){__VA_ARGS__}, \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- values ---- */

static inline void draw_value(struct draw *draw, unsigned depth);

static inline void draw_list(struct draw *draw, unsigned depth) {
    fx_buf_char(draw->out, '[');
    for (size_t i = 0, n = draw_below(draw, 4); i < n; i++) {
        fx_buf_str(draw->out, i == 0 ? "" : ",");
        draw_value(draw, depth);
    }
    fx_buf_char(draw->out, ']');
}

static inline void draw_fields(struct draw *draw, unsigned depth) {
    static const char *const keys[] = {"a", "b", "c", "v", "tags"};
    const size_t chosen = draw_below(draw, 1u << FX_COUNT(keys));
    bool first = true;
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if ((chosen >> i & 1) != 0) {
            fx_buf_printf(draw->out, "%s\"%s\":", first ? "" : ",", keys[i]);
            draw_value(draw, depth);
            first = false;
        }
    }
}

static inline void draw_element(struct draw *draw, unsigned depth) {
    fx_buf_printf(draw->out, "{\"name\":\"%s\"", DRAW(draw, "x", "y", "z"));
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"image\":\"%s\"",
                      DRAW(draw, "nginx", "nginx:1", "r.io/a/b@sha256:0", "", "a/b"));
    }
    if (depth > 0 && draw_rarely(draw)) {
        fx_buf_str(draw->out, ",\"v\":");
        draw_value(draw, depth - 1);
    }
    fx_buf_char(draw->out, '}');
}

/* Elements of lists with the names that locations use. */
static inline void draw_elements(struct draw *draw, unsigned depth) {
    fx_buf_char(draw->out, '[');
    for (size_t i = 0, n = draw_below(draw, 4); i < n; i++) {
        fx_buf_str(draw->out, i == 0 ? "" : ",");
        draw_element(draw, depth);
    }
    fx_buf_char(draw->out, ']');
}

static inline void draw_value(struct draw *draw, unsigned depth) {
    switch (draw_below(draw, depth == 0 ? 5 : 9)) {
    case 0: fx_buf_str(draw->out, "\"x\""); break;
    case 1: fx_buf_str(draw->out, "\"y\""); break;
    case 2: fx_buf_str(draw->out, "5"); break;
    case 3: fx_buf_str(draw->out, "true"); break;
    case 4: fx_buf_str(draw->out, "null"); break;
    case 5: draw_list(draw, depth - 1); break;
    case 6: draw_elements(draw, depth - 1); break;
    case 7: draw_element(draw, depth - 1); break;
    default:
        fx_buf_char(draw->out, '{');
        draw_fields(draw, depth - 1);
        fx_buf_char(draw->out, '}');
        break;
    }
}

/* ---- the object ---- */

static inline void draw_words(struct draw *draw, const char *field) {
    fx_buf_printf(draw->out, ",\"%s\":{", field);
    for (size_t i = 0, n = draw_below(draw, 3); i < n; i++) {
        fx_buf_printf(draw->out, "%s\"l%zu\":\"%s\"", i == 0 ? "" : ",", i,
                      DRAW(draw, "x", "y", ""));
    }
    fx_buf_char(draw->out, '}');
}

static inline void draw_object(struct draw *draw) {
    static const char *const fields[] = {"a", "b", "set", "list", "containers"};
    const bool is_pod = !draw_rarely(draw);
    fx_buf_printf(draw->out, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{",
                  is_pod ? "v1" : "apps/v1", is_pod ? "Pod" : "Deployment");
    fx_buf_printf(draw->out, "\"name\":\"%s\"", DRAW(draw, "pod", "other"));
    if (!draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"namespace\":\"%s\"", DRAW(draw, "one", "two"));
    }
    if (draw_rarely(draw)) {
        draw_words(draw, "labels");
    }
    if (draw_rarely(draw)) {
        draw_words(draw, "annotations");
    }
    fx_buf_str(draw->out, "},\"spec\":{");
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        fx_buf_printf(draw->out, "%s\"%s\":", i == 0 ? "" : ",", fields[i]);
        if (i >= 3 && !draw_rarely(draw)) {
            draw_elements(draw, 3);
        } else {
            draw_value(draw, 3);
        }
    }
    fx_buf_str(draw->out, "}}");
}

/* ---- policies ---- */

static inline const char *draw_location(struct draw *draw) {
    return DRAW(draw, "spec.a", "spec.b", "spec.a.b", "spec.a.b.c",
                "spec.list[name: x].v", "spec.list[name: *].v", "spec.list[name: y]",
                "spec.list[name: y].a", "spec.list[name: *].list[name: z].v", "spec.set",
                "spec.containers[name: x].image", "spec.containers[name: *].image",
                "spec.containers[name: *].a.b", "spec.containers[name: z]", "status.a");
}

/* Draws a prefix of the location, up to one of its steps. */
static inline void draw_prefix(struct draw *draw, const char *location) {
    size_t len = strlen(location);
    for (size_t cuts = draw_below(draw, 3); cuts > 0; cuts--) {
        size_t at = len;
        while (at > 0 && location[at] != '.') {
            at--;
        }
        len = at == 0 ? len : at;
    }
    fx_buf_add(draw->out, location, len);
}

static inline void draw_path_tests(struct draw *draw, const char *location) {
    if (!draw_rarely(draw)) {
        return;
    }
    fx_buf_str(draw->out, ",\"pathTests\":[{\"subPath\":\"");
    draw_prefix(draw, location);
    fx_buf_printf(draw->out, "\",\"condition\":\"%s\"}]",
                  DRAW(draw, "MustNotExist", "MustExist"));
}

static inline void draw_match(struct draw *draw) {
    fx_buf_str(draw->out, "\"match\":{");
    switch (draw_below(draw, 9)) {
    case 0: break;
    case 1:
        fx_buf_printf(draw->out, "\"labelSelector\":{\"matchLabels\":{\"l0\":\"%s\"}}",
                      DRAW(draw, "x", "y"));
        break;
    case 2:
        fx_buf_printf(draw->out,
                      "\"labelSelector\":{\"matchExpressions\":[{\"key\":\"%s\","
                      "\"operator\":\"%s\"}]}",
                      DRAW(draw, "l0", "l1"), DRAW(draw, "Exists", "DoesNotExist"));
        break;
    case 3:
        fx_buf_printf(draw->out, "\"namespaces\":[\"%s\"]",
                      DRAW(draw, "one", "two", "o*"));
        break;
    case 4:
        fx_buf_printf(draw->out, "\"excludedNamespaces\":[\"%s\"]",
                      DRAW(draw, "one", "two", "*o"));
        break;
    case 5: fx_buf_str(draw->out, "\"scope\":\"Namespaced\""); break;
    case 6: fx_buf_printf(draw->out, "\"name\":\"%s\"", DRAW(draw, "pod", "p*")); break;
    case 7:
        fx_buf_printf(draw->out, "\"kinds\":[{\"apiGroups\":[\"*\"],\"kinds\":[\"%s\"]}]",
                      DRAW(draw, "Pod", "Deployment", "*"));
        break;
    default:
        fx_buf_str(draw->out,
                   "\"namespaceSelector\":{\"matchLabels\":{\"stage\":\"test\"}}");
        break;
    }
    fx_buf_char(draw->out, '}');
}

static inline void draw_apply_to(struct draw *draw) {
    fx_buf_str(draw->out, ",\"applyTo\":[{\"groups\":[\"\"],\"versions\":[\"v1\"],"
                          "\"kinds\":[\"Pod\"]}");
    if (draw_rarely(draw)) {
        fx_buf_str(draw->out, ",{\"groups\":[\"apps\"],\"versions\":[\"v1\"],"
                              "\"kinds\":[\"Deployment\"]}");
    }
    fx_buf_char(draw->out, ']');
}

static inline void draw_head(struct draw *draw, const char *group, const char *kind,
                             unsigned index) {
    fx_buf_printf(draw->out,
                  "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":"
                  "\"%c%u\"},\"spec\":{",
                  group, kind, (char)('a' + draw_below(draw, 4)), index);
    draw_match(draw);
}

static inline const char *draw_group(struct draw *draw) {
    return DRAW(draw, "mutations.gatekeeper.sh/v1", "mutations.gatekeeper.sh/v1beta1",
                "mutations.fixpoint.dev/v1alpha1");
}

static inline void draw_assigned(struct draw *draw, bool is_ours) {
    switch (draw_below(draw, is_ours ? 4 : 3)) {
    case 0:
        fx_buf_str(draw->out, "\"value\":");
        draw_value(draw, 2);
        break;
    case 1: /* an element, for locations that end in a list */
        fx_buf_str(draw->out, "\"value\":");
        draw_element(draw, 2);
        break;
    case 2:
        fx_buf_printf(draw->out, "\"fromMetadata\":{\"field\":\"%s\"}",
                      DRAW(draw, "name", "namespace"));
        break;
    default:
        fx_buf_printf(draw->out, "\"fromObject\":\"%s\"", draw_location(draw));
        break;
    }
}

static inline void draw_assign(struct draw *draw, unsigned index) {
    const char *group = draw_group(draw);
    const char *location = draw_location(draw);
    draw_head(draw, group, "Assign", index);
    draw_apply_to(draw);
    fx_buf_printf(draw->out, ",\"location\":\"%s\",\"parameters\":{\"assign\":{",
                  location);
    draw_assigned(draw, strstr(group, "fixpoint") != NULL);
    fx_buf_char(draw->out, '}');
    draw_path_tests(draw, location);
    fx_buf_str(draw->out, "}}}");
}

static inline void draw_assign_metadata(struct draw *draw, unsigned index) {
    draw_head(draw, draw_group(draw), "AssignMetadata", index);
    fx_buf_printf(draw->out,
                  ",\"location\":\"metadata.%s.%s\",\"parameters\":{\"assign\":{",
                  DRAW(draw, "labels", "annotations"), DRAW(draw, "l0", "l1", "l2"));
    if (draw_rarely(draw)) {
        fx_buf_str(draw->out, "\"fromMetadata\":{\"field\":\"namespace\"}");
    } else {
        fx_buf_printf(draw->out, "\"value\":\"%s\"", DRAW(draw, "x", "y"));
    }
    fx_buf_str(draw->out, "}}}}");
}

static inline void draw_modify_set(struct draw *draw, unsigned index) {
    const char *location =
        DRAW(draw, "spec.set", "spec.a", "spec.list[name: *].tags", "spec.a.b");
    draw_head(draw, draw_group(draw), "ModifySet", index);
    draw_apply_to(draw);
    fx_buf_printf(draw->out,
                  ",\"location\":\"%s\",\"parameters\":{\"operation\":\"%s\","
                  "\"values\":{\"fromList\":",
                  location, DRAW(draw, "merge", "prune"));
    draw_list(draw, 1);
    fx_buf_char(draw->out, '}');
    draw_path_tests(draw, location);
    fx_buf_str(draw->out, "}}}");
}

static inline void draw_assign_image(struct draw *draw, unsigned index) {
    const char *location = DRAW(draw, "spec.containers[name: *].image",
                                "spec.containers[name: x].image", "spec.a");
    draw_head(
        draw,
        DRAW(draw, "mutations.gatekeeper.sh/v1alpha1", "mutations.fixpoint.dev/v1alpha1"),
        "AssignImage", index);
    draw_apply_to(draw);
    fx_buf_printf(draw->out, ",\"location\":\"%s\",\"parameters\":{%s", location,
                  DRAW(draw, "\"assignDomain\":\"r.io\"", "\"assignTag\":\":v1\"",
                       "\"assignPath\":\"c/d\"",
                       "\"assignDomain\":\"q.io\",\"assignTag\":\":v2\""));
    draw_path_tests(draw, location);
    fx_buf_str(draw->out, "}}}");
}

static inline void draw_remove(struct draw *draw, unsigned index) {
    draw_head(draw, "mutations.fixpoint.dev/v1alpha1", "Remove", index);
    draw_apply_to(draw);
    fx_buf_printf(draw->out, ",\"location\":\"%s\"", draw_location(draw));
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out,
                      ",\"conditions\":[{\"location\":\"%s\",\"operator\":\"%s\"}]",
                      draw_location(draw), DRAW(draw, "Exists", "DoesNotExist"));
    }
    fx_buf_str(draw->out, "}}");
}

static inline void draw_policy(struct draw *draw, unsigned index) {
    switch (draw_below(draw, 8)) {
    case 0:
    case 1:
    case 2:
    case 3: draw_assign(draw, index); break;
    case 4: draw_assign_metadata(draw, index); break;
    case 5: draw_modify_set(draw, index); break;
    case 6: draw_assign_image(draw, index); break;
    default: draw_remove(draw, index); break;
    }
}

#endif
