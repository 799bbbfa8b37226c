/* SPDX-License-Identifier: Apache-2.0
 *
 * random/draw_policy.c - ModRules, and policies with CEL expressions.
 */
#include "draw.h"

/* ---- ModRules ---------------------------------------------------------------------- */

static void draw_rule_match(struct draw *draw) {
    fx_buf_printf(draw->out, "{\"select\":\"%s\"",
                  DRAW(draw, "$.kind", "$.metadata.labels.app",
                       "$.spec.containers[*].name",
                       "$.spec.containers[?(@.name==\\\"x\\\")].image", "$.spec.a",
                       "$.metadata.annotations.team"));
    switch (draw_below(draw, 4)) {
    case 1:
        fx_buf_printf(draw->out, ",\"matchValue\":\"%s\"", DRAW(draw, "Pod", "x"));
        break;
    case 2: fx_buf_str(draw->out, ",\"matchRegex\":\"^(Pod|x|nginx.*)$\""); break;
    case 3: fx_buf_str(draw->out, ",\"negate\":true"); break;
    default: break;
    }
    fx_buf_char(draw->out, '}');
}

static void draw_rule_patch(struct draw *draw) {
    switch (draw_below(draw, 6)) {
    case 0:
        fx_buf_printf(draw->out,
                      "{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":\"%s\"}",
                      DRAW(draw, "{app: x}", "{team: '{{ .Target.metadata.name }}'}"));
        break;
    case 1:
        fx_buf_str(draw->out, "{\"op\":\"add\",\"path\":\"/spec/containers/-1\","
                              "\"value\":\"{name: new, image: nginx}\"}");
        break;
    case 2:
        fx_buf_printf(draw->out,
                      "{\"op\":\"replace\",\"select\":\"$.spec.containers[*]\",\"path\":"
                      "\"/spec/containers/#0/image\",\"value\":\"%s\"}",
                      DRAW(draw, "nginx", "r.io/{{ .SelectedItem.image }}"));
        break;
    case 3:
        fx_buf_printf(draw->out, "{\"op\":\"remove\",\"path\":\"%s\"}",
                      DRAW(draw, "/spec/a", "/metadata/labels/app",
                           "/spec/containers/0/imagePullPolicy"));
        break;
    case 4:
        fx_buf_printf(draw->out, "{\"op\":\"add\",\"path\":\"/spec/a\",\"value\":\"%s\"}",
                      DRAW(draw, "x", "5", "[x]"));
        break;
    default:
        fx_buf_str(draw->out,
                   "{\"op\":\"replace\",\"path\":\"/spec/set/-1\",\"value\":\"x\"}");
        break;
    }
}

void random_draw_modrule(struct draw *draw, unsigned index) {
    fx_buf_printf(draw->out,
                  "{\"apiVersion\":\"api.kubemod.io/v1beta1\",\"kind\":\"ModRule\","
                  "\"metadata\":{\"name\":\"%c%u\",\"namespace\":\"%s\"},\"spec\":{"
                  "\"type\":\"Patch\",\"executionTier\":%u,\"match\":[",
                  (char)('a' + draw_below(draw, 4)), index, DRAW(draw, "one", "two"),
                  (unsigned)draw_below(draw, 3));
    draw_rule_match(draw);
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_rule_match(draw);
    }
    fx_buf_str(draw->out, "],\"patch\":[");
    draw_rule_patch(draw);
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_rule_patch(draw);
    }
    fx_buf_str(draw->out, "]}}");
}

/* ---- policies with CEL expressions ------------------------------------------------- */

static const char *draw_cel_text(struct draw *draw) {
    return DRAW(draw, "'x'", "object.metadata.name", "object.metadata.name + '-x'",
                "request.operation", "string(size(object.metadata.name))",
                "object.metadata.?labels[?'app'].orValue('none')",
                "namespaceObject.metadata.name", "variables.v");
}

static const char *draw_cel_test(struct draw *draw) {
    return DRAW(draw, "true", "has(object.metadata.labels)", "object.kind == 'Pod'",
                "object.spec.containers.exists(c, c.name == 'x')",
                "size(object.metadata.name) > 3", "request.operation == 'CREATE'",
                "!has(object.metadata.annotations)", "object.spec.containers.size() < 3");
}

/* Without the quotes around the expression. */
static void draw_configuration(struct draw *draw) {
    switch (draw_below(draw, 5)) {
    case 0:
    case 1:
        fx_buf_printf(draw->out,
                      "Object{metadata: Object.metadata{%s: {'%s': string(%s)}}}",
                      DRAW(draw, "labels", "annotations"), DRAW(draw, "app", "team"),
                      draw_cel_text(draw));
        break;
    case 2:
        fx_buf_printf(
            draw->out,
            "Object{spec: Object.spec{containers: object.spec.containers.map(c, "
            "Object.spec.containers{name: c.name, image: c.image%s})}}",
            DRAW(draw, "", " + 'x'"));
        break;
    case 3:
        fx_buf_printf(
            draw->out,
            "Object{spec: Object.spec{containers: [Object.spec.containers{name: "
            "'%s', image: 'nginx'}]}}",
            DRAW(draw, "x", "new"));
        break;
    default:
        fx_buf_printf(draw->out, "Object{spec: Object.spec{%s}}",
                      DRAW(draw, "hostNetwork: true",
                           "terminationGracePeriodSeconds: "
                           "object.spec.?terminationGracePeriodSeconds.orValue(0) + 1",
                           "nodeSelector: {'app': 'x'}"));
        break;
    }
}

static void draw_cel_patch(struct draw *draw) {
    fx_buf_str(draw->out, draw_rarely(draw) ? "!has(object.spec.a) ? [] : [" : "[");
    switch (draw_below(draw, 4)) {
    case 0:
        fx_buf_printf(draw->out,
                      "JSONPatch{op: 'add', path: '/metadata/%s', value: {'app': %s}}",
                      DRAW(draw, "labels", "annotations"), draw_cel_text(draw));
        break;
    case 1:
        fx_buf_str(draw->out, "JSONPatch{op: 'add', path: '/spec/containers/-', value: "
                              "Object.spec.containers{name: 'new', image: 'nginx'}}");
        break;
    case 2:
        fx_buf_printf(draw->out,
                      "JSONPatch{op: 'replace', path: '/spec/containers/0/image', value: "
                      "%s}",
                      draw_cel_text(draw));
        break;
    default:
        fx_buf_printf(draw->out, "JSONPatch{op: 'remove', path: '%s'}",
                      DRAW(draw, "/metadata/labels", "/spec/containers/0/env"));
        break;
    }
    fx_buf_char(draw->out, ']');
}

static void draw_mutation(struct draw *draw) {
    if (draw_rarely(draw)) {
        fx_buf_str(draw->out,
                   "{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":\"");
        draw_cel_patch(draw);
    } else {
        fx_buf_str(draw->out, "{\"patchType\":\"ApplyConfiguration\","
                              "\"applyConfiguration\":{\"expression\":\"");
        draw_configuration(draw);
    }
    fx_buf_str(draw->out, "\"}}");
}

static void draw_cel_spec(struct draw *draw) {
    fx_buf_printf(
        draw->out,
        "{\"failurePolicy\":\"%s\",\"reinvocationPolicy\":\"%s\","
        "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"%s\"],"
        "\"apiVersions\":[\"v1\"],\"operations\":[\"%s\"],\"resources\":[\"%s\"]"
        "}]},\"variables\":[{\"name\":\"v\",\"expression\":\"%s\"}],",
        DRAW(draw, "Fail", "Ignore"), DRAW(draw, "Never", "IfNeeded"),
        DRAW(draw, "", "*", "apps"), DRAW(draw, "*", "CREATE"),
        DRAW(draw, "pods", "*", "deployments", "configmaps"),
        DRAW(draw, "'v'", "string(size(object.spec.containers))"));
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out,
                      "\"matchConditions\":[{\"name\":\"c\",\"expression\":\"%s\"}],",
                      draw_cel_test(draw));
    }
    fx_buf_str(draw->out, "\"mutations\":[");
    draw_mutation(draw);
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_mutation(draw);
    }
    fx_buf_str(draw->out, "]}");
}

void random_draw_admission_policy(struct draw *draw, unsigned index) {
    const bool is_kyvernos = draw_below(draw, 2) == 0;
    const char letter = (char)('a' + draw_below(draw, 4));
    fx_buf_printf(
        draw->out,
        "%s{\"apiVersion\":\"%s/v1\",\"kind\":\"%s\",\"metadata\":{\"name\":"
        "\"%c%u\"},\"spec\":",
        is_kyvernos ? "" : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[",
        is_kyvernos ? "policies.kyverno.io" : "admissionregistration.k8s.io",
        is_kyvernos ? "MutatingPolicy" : "MutatingAdmissionPolicy", letter, index);
    draw_cel_spec(draw);
    fx_buf_char(draw->out, '}');
    if (!is_kyvernos) {
        fx_buf_printf(draw->out,
                      ",{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"
                      "\"MutatingAdmissionPolicyBinding\",\"metadata\":{\"name\":"
                      "\"%c%u\"},\"spec\":{\"policyName\":\"%c%u\"}}]}",
                      letter, index, letter, index);
    }
}

/* ---- all dialects ------------------------------------------------------------------ */

void random_draw_policy(struct draw *draw, unsigned index) {
    switch (draw_below(draw, 6)) {
    case 3: draw_policy(draw, index); break; /* Gatekeeper's and our own */
    case 4: random_draw_modrule(draw, index); break;
    case 5: random_draw_admission_policy(draw, index); break;
    default: random_draw_kyverno(draw, index); break;
    }
}
