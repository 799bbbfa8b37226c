/* SPDX-License-Identifier: Apache-2.0
 *
 * random/draw_kyverno.c - ClusterPolicies and Policies of Kyverno.
 */
#include "draw.h"

/* ---- expressions ------------------------------------------------------------------- */

static const char *draw_query(struct draw *draw, bool in_foreach) {
    if (in_foreach && draw_below(draw, 2) == 0) {
        return DRAW(draw, "element.name", "element.image || ''", "elementIndex",
                    "to_string(elementIndex)", "element.env[0].name || 'none'",
                    "to_upper(element.name)", "length(element.name)",
                    "replace_all(element.image, 'nginx', 'r.io/nginx')", "element");
    }
    return DRAW(
        draw, "request.object.metadata.name", "request.namespace", "request.operation",
        "request.object.metadata.labels.app || 'none'", "request.object.metadata.labels",
        "length(request.object.spec.containers[] || `[]`)", "request.object.kind",
        "request.object.spec.containers[0].image || ''", "request.object.spec.a",
        "join('-', request.object.spec.containers[].name || `[]`)", "missing || 'x'",
        "to_upper(request.object.metadata.name)", "request.object.spec.list",
        "images.containers.x.registry || ''", "sum([`1`, `2`])", "v", "cm.data.app",
        "request.object.metadata.labels.app", "keys(request.object.metadata)",
        "request.object.metadata.annotations.app || v || `null`",
        "truncate(request.object.metadata.name, `2`)",
        "request.object.spec.containers[?image=='nginx'].name | [0] || 'no'",
        "split(request.object.metadata.name, 'e')", "keys(@)",
        "request.object.spec.replicas");
}

/* A text with variables, or without. */
static void draw_text(struct draw *draw, bool in_foreach) {
    switch (draw_below(draw, 6)) {
    case 4: fx_buf_printf(draw->out, "\"{{ %s }}\"", draw_query(draw, in_foreach)); break;
    case 5:
        fx_buf_printf(draw->out, "\"x-{{ %s }}\"", draw_query(draw, in_foreach));
        break;
    default: fx_buf_printf(draw->out, "\"%s\"", DRAW(draw, "x", "y", "web", "")); break;
    }
}

/* ---- match ------------------------------------------------------------------------- */

static void draw_resources(struct draw *draw) {
    fx_buf_printf(draw->out, "{\"resources\":{\"kinds\":[\"%s\"]",
                  DRAW(draw, "Pod", "Pod", "*", "Deployment", "v1/Pod", "apps/*/*",
                       "example.com/v1/Widget", "ConfigMap", "Pod/status"));
    switch (draw_below(draw, 12)) {
    case 6: fx_buf_str(draw->out, ",\"operations\":[\"CREATE\"]"); break;
    case 7:
        fx_buf_printf(draw->out, ",\"names\":[\"%s\"]", DRAW(draw, "p*", "web", "?o?"));
        break;
    case 8:
        fx_buf_printf(draw->out, ",\"namespaces\":[\"%s\"]", DRAW(draw, "o*", "two"));
        break;
    case 9:
        fx_buf_printf(draw->out, ",\"selector\":{\"matchLabels\":{\"%s\":\"%s\"}}",
                      DRAW(draw, "app", "l0", "t*"), DRAW(draw, "x", "*", "w?b"));
        break;
    case 10:
        fx_buf_printf(draw->out, ",\"annotations\":{\"%s\":\"%s\"}",
                      DRAW(draw, "app", "*"), DRAW(draw, "x", "*"));
        break;
    case 11:
        fx_buf_str(draw->out,
                   ",\"namespaceSelector\":{\"matchLabels\":{\"stage\":\"test\"}}");
        break;
    default: break;
    }
    fx_buf_str(draw->out, "}}");
}

static void draw_filters(struct draw *draw, const char *name) {
    fx_buf_printf(draw->out, "\"%s\":{\"%s\":[", name, DRAW(draw, "any", "all"));
    draw_resources(draw);
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_resources(draw);
    }
    fx_buf_str(draw->out, "]},");
}

static void draw_condition(struct draw *draw, bool in_foreach) {
    fx_buf_printf(draw->out, "{\"key\":\"{{ %s }}\",\"operator\":\"%s\",\"value\":",
                  draw_query(draw, in_foreach),
                  DRAW(draw, "Equals", "NotEquals", "AnyIn", "AllIn", "AnyNotIn",
                       "AllNotIn", "GreaterThan", "LessThanOrEquals", "In", "NotIn",
                       "DurationLessThan"));
    switch (draw_below(draw, 5)) {
    case 0: draw_text(draw, in_foreach); break;
    case 1: fx_buf_str(draw->out, "[\"x\",\"w*\",\"CREATE\"]"); break;
    case 2: fx_buf_str(draw->out, DRAW(draw, "1", "2.5", "true")); break;
    case 3: fx_buf_str(draw->out, DRAW(draw, "\"1h\"", "\"1-3\"", "\"*\"")); break;
    default: draw_value(draw, 1); break;
    }
    fx_buf_char(draw->out, '}');
}

static void draw_preconditions(struct draw *draw, bool in_foreach) {
    if (!draw_rarely(draw)) {
        return;
    }
    fx_buf_printf(draw->out, "\"preconditions\":{\"%s\":[", DRAW(draw, "all", "any"));
    draw_condition(draw, in_foreach);
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_condition(draw, in_foreach);
    }
    fx_buf_str(draw->out, "]},");
}

static void draw_context(struct draw *draw, bool in_foreach) {
    switch (draw_below(draw, 6)) {
    case 3:
        fx_buf_printf(draw->out,
                      "\"context\":[{\"name\":\"v\",\"variable\":{\"jmesPath\":\"%s\","
                      "\"default\":\"%s\"}}],",
                      draw_query(draw, in_foreach), DRAW(draw, "x", ""));
        break;
    case 4:
        fx_buf_str(draw->out, "\"context\":[{\"name\":\"v\",\"variable\":{\"value\":");
        draw_value(draw, 2);
        fx_buf_str(draw->out, "}}],");
        break;
    case 5:
        fx_buf_str(draw->out, "\"context\":[{\"name\":\"cm\",\"configMap\":{\"name\":"
                              "\"settings\",\"namespace\":\"one\"}},{\"name\":\"v\","
                              "\"variable\":{\"jmesPath\":\"cm.data\"}}],");
        break;
    default: break;
    }
}

/* ---- patches ----------------------------------------------------------------------- */

/* A key with an anchor, or without. */
static void draw_key(struct draw *draw, const char *name) {
    static const char *const anchors[] = {"%s",    "%s",    "%s",    "(%s)",  "+(%s)",
                                          "+(%s)", "=(%s)", "X(%s)", "^(%s)", "<(%s)"};
    const char *anchor = anchors[draw_below(draw, FX_COUNT(anchors))];
    fx_buf_char(draw->out, '"');
    for (const char *c = anchor; *c != '\0'; c++) {
        if (*c == '%') {
            fx_buf_str(draw->out, name);
            c++;
        } else {
            fx_buf_char(draw->out, *c);
        }
    }
    fx_buf_str(draw->out, "\":");
}

static void draw_leaf(struct draw *draw, bool in_foreach) {
    switch (draw_below(draw, 4)) {
    case 2:
        fx_buf_str(draw->out, DRAW(draw, "\"*\"", "\"?*\"", "\"*:latest\"", "\"!x\"",
                                   "\"x | y\"", "\">1\"", "null", "\"nginx*\""));
        break;
    case 3: draw_value(draw, 1); break;
    default: draw_text(draw, in_foreach); break;
    }
}

static void draw_patch_map(struct draw *draw, const char *name, bool in_foreach) {
    static const char *const keys[] = {"app", "team", "l0"};
    draw_key(draw, name);
    fx_buf_char(draw->out, '{');
    for (size_t i = 0, n = 1 + draw_below(draw, 2); i < n; i++) {
        fx_buf_str(draw->out, i == 0 ? "" : ",");
        draw_key(draw, keys[(i + draw_below(draw, 2)) % FX_COUNT(keys)]);
        draw_leaf(draw, in_foreach);
    }
    if (draw_below(draw, 16) == 15) {
        fx_buf_printf(draw->out, ",\"$patch\":\"%s\"", DRAW(draw, "replace", "delete"));
    }
    fx_buf_char(draw->out, '}');
}

static void draw_patch_container(struct draw *draw, bool in_foreach) {
    fx_buf_char(draw->out, '{');
    draw_key(draw, "name");
    fx_buf_str(draw->out,
               in_foreach && draw_below(draw, 2) == 0
                   ? "\"{{ element.name }}\""
                   : DRAW(draw, "\"x\"", "\"*\"", "\"y\"", "\"new\"", "\"?\""));
    if (draw_below(draw, 2) == 1) {
        fx_buf_char(draw->out, ',');
        draw_key(draw, "image");
        draw_leaf(draw, in_foreach);
    }
    if (draw_below(draw, 2) == 1) {
        fx_buf_char(draw->out, ',');
        draw_key(draw, "imagePullPolicy");
        fx_buf_str(draw->out, DRAW(draw, "\"Always\"", "\"IfNotPresent\"", "\"Always\""));
    }
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_key(draw, "env");
        fx_buf_str(draw->out, "[{");
        draw_key(draw, "name");
        fx_buf_printf(draw->out, "\"%s\",", DRAW(draw, "A", "B", "*"));
        draw_key(draw, "value");
        draw_leaf(draw, in_foreach);
        fx_buf_str(draw->out, "}]");
    }
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_patch_map(draw, "resources", in_foreach);
    }
    if (draw_below(draw, 16) == 15) {
        fx_buf_printf(draw->out, ",\"$patch\":\"%s\"", DRAW(draw, "replace", "delete"));
    }
    fx_buf_char(draw->out, '}');
}

static void draw_patch_spec(struct draw *draw, bool in_foreach) {
    draw_key(draw, "spec");
    fx_buf_char(draw->out, '{');
    switch (draw_below(draw, 6)) {
    case 0:
    case 1:
    case 2:
        draw_key(draw, "containers");
        fx_buf_char(draw->out, '[');
        draw_patch_container(draw, in_foreach);
        fx_buf_char(draw->out, ']');
        break;
    case 3:
        draw_key(draw, DRAW(draw, "hostNetwork", "terminationGracePeriodSeconds"));
        fx_buf_str(draw->out, DRAW(draw, "true", "5", "false", "\">=5\""));
        break;
    case 4: draw_patch_map(draw, "nodeSelector", in_foreach); break;
    default:
        draw_key(draw, DRAW(draw, "a", "list", "set"));
        draw_value(draw, 3);
        break;
    }
    fx_buf_char(draw->out, '}');
}

static void draw_strategic(struct draw *draw, bool in_foreach) {
    fx_buf_str(draw->out, "\"patchStrategicMerge\":{");
    const size_t parts = 1 + draw_below(draw, 3);
    if ((parts & 1) != 0) {
        draw_key(draw, "metadata");
        fx_buf_char(draw->out, '{');
        draw_patch_map(draw, DRAW(draw, "labels", "annotations"), in_foreach);
        fx_buf_str(draw->out, parts == 3 ? "}," : "}");
    }
    if ((parts & 2) != 0) {
        draw_patch_spec(draw, in_foreach);
    }
    fx_buf_char(draw->out, '}');
}

static void draw_operation(struct draw *draw, bool in_foreach) {
    const char *op =
        DRAW(draw, "add", "add", "replace", "remove", "test", "copy", "move");
    fx_buf_printf(draw->out, "{op: %s, path: ", op);
    if (in_foreach && draw_below(draw, 2) == 0) {
        fx_buf_printf(draw->out, "/spec/containers/{{elementIndex}}/%s",
                      DRAW(draw, "imagePullPolicy", "image", "env/-", "env"));
    } else {
        fx_buf_str(draw->out,
                   DRAW(draw, "/metadata/labels/app", "/metadata/annotations/app",
                        "/spec/containers/-", "/spec/containers/0/image", "/spec/set/-",
                        "/spec/a", "/spec/list/-1", "/spec/containers/1", "/data/app",
                        "/spec/tolerations/-", "/metadata/labels", "/spec/set/0"));
    }
    if (op[0] == 'c' || op[0] == 'm') {
        fx_buf_printf(draw->out, ", from: %s",
                      DRAW(draw, "/metadata/labels/team", "/spec/a", "/metadata/name"));
    } else if (op[0] != 'r' || op[2] == 'p') {
        switch (draw_below(draw, 4)) {
        case 0: fx_buf_str(draw->out, ", value: x"); break;
        case 1: fx_buf_str(draw->out, ", value: {name: new, image: nginx}"); break;
        case 2:
            fx_buf_printf(draw->out, ", value: '{{ %s }}'",
                          DRAW(draw, "request.object.metadata.name", "element.name",
                               "request.namespace", "v"));
            break;
        default: fx_buf_str(draw->out, DRAW(draw, ", value: 5", ", value: [x]")); break;
        }
    }
    fx_buf_char(draw->out, '}');
}

static void draw_json_patch(struct draw *draw, bool in_foreach) {
    fx_buf_str(draw->out, "\"patchesJson6902\":\"");
    for (size_t i = 0, n = 1 + draw_below(draw, 2); i < n; i++) {
        fx_buf_str(draw->out, "- ");
        draw_operation(draw, in_foreach);
        fx_buf_str(draw->out, "\\n");
    }
    fx_buf_char(draw->out, '"');
}

static void draw_patch(struct draw *draw, bool in_foreach) {
    if (draw_rarely(draw)) {
        draw_json_patch(draw, in_foreach);
    } else {
        draw_strategic(draw, in_foreach);
    }
}

static void draw_foreach(struct draw *draw, unsigned depth) {
    fx_buf_printf(draw->out, "\"foreach\":[{\"list\":\"%s\",",
                  depth > 0
                      ? DRAW(draw, "element.env[] || `[]`", "[element]")
                      : DRAW(draw, "request.object.spec.containers",
                             "request.object.spec.containers[] || `[]`",
                             "items(request.object.metadata.labels || `{}`,'name','u')",
                             "request.object.spec.list", "[`1`, `2`]"));
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, "\"order\":\"%s\",",
                      DRAW(draw, "Ascending", "Descending"));
    }
    draw_context(draw, true);
    draw_preconditions(draw, true);
    if (depth < 2 && draw_rarely(draw)) {
        draw_foreach(draw, depth + 1);
    } else {
        draw_patch(draw, true);
    }
    fx_buf_str(draw->out, "}]");
}

/* ---- policies ---------------------------------------------------------------------- */

static void draw_rule(struct draw *draw, unsigned number) {
    fx_buf_printf(draw->out, "{\"name\":\"r%u\",", number);
    draw_filters(draw, "match");
    if (draw_rarely(draw)) {
        draw_filters(draw, "exclude");
    }
    draw_context(draw, false);
    draw_preconditions(draw, false);
    fx_buf_str(draw->out, "\"mutate\":{");
    if (draw_rarely(draw)) {
        draw_foreach(draw, 0);
    } else {
        draw_patch(draw, false);
    }
    fx_buf_str(draw->out, "}}");
}

void random_draw_kyverno(struct draw *draw, unsigned index) {
    const bool is_namespaced = draw_below(draw, 8) == 7;
    fx_buf_printf(draw->out,
                  "{\"apiVersion\":\"kyverno.io/v1\",\"kind\":\"%s\",\"metadata\":{"
                  "\"name\":\"%c%u\"%s},\"spec\":{",
                  is_namespaced ? "Policy" : "ClusterPolicy",
                  (char)('a' + draw_below(draw, 4)), index,
                  is_namespaced ? ",\"namespace\":\"one\"" : "");
    if (draw_below(draw, 8) == 7) {
        fx_buf_str(draw->out, "\"failurePolicy\":\"Ignore\",");
    }
    if (draw_below(draw, 8) == 7) {
        fx_buf_str(draw->out, "\"applyRules\":\"One\",");
    }
    fx_buf_str(draw->out, "\"rules\":[");
    for (unsigned i = 0, n = 1 + (unsigned)draw_below(draw, 3); i < n; i++) {
        fx_buf_str(draw->out, i == 0 ? "" : ",");
        draw_rule(draw, i);
    }
    fx_buf_str(draw->out, "]}}");
}
