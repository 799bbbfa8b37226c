/* SPDX-License-Identifier: Apache-2.0
 *
 * random/draw_object.c - objects.
 */
#include "draw.h"

static void draw_map(struct draw *draw, const char *name) {
    static const char *const keys[] = {"app", "team", "l0", "l1"};
    const size_t chosen = draw_below(draw, 1u << FX_COUNT(keys));
    const char *comma = "";
    fx_buf_printf(draw->out, "\"%s\":{", name);
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        if ((chosen >> i & 1) != 0) {
            fx_buf_printf(draw->out, "%s\"%s\":\"%s\"", comma, keys[i],
                          DRAW(draw, "x", "y", "web", ""));
            comma = ",";
        }
    }
    fx_buf_char(draw->out, '}');
}

static void draw_metadata(struct draw *draw, const char *name, bool is_namespaced) {
    fx_buf_printf(draw->out, "\"metadata\":{\"name\":\"%s\"", name);
    if (is_namespaced) {
        fx_buf_printf(draw->out, ",\"namespace\":\"%s\"", DRAW(draw, "one", "two"));
    }
    if (draw_below(draw, 2) == 1) {
        fx_buf_char(draw->out, ',');
        draw_map(draw, "labels");
    }
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_map(draw, "annotations");
    }
    fx_buf_char(draw->out, '}');
}

static void draw_env(struct draw *draw) {
    fx_buf_str(draw->out, ",\"env\":[");
    for (size_t i = 0, n = draw_below(draw, 3); i < n; i++) {
        fx_buf_printf(draw->out, "%s{\"name\":\"%s\",\"value\":\"%s\"}",
                      i == 0 ? "" : ",", i == 0 ? "A" : "B", DRAW(draw, "x", "5"));
    }
    fx_buf_char(draw->out, ']');
}

static void draw_container(struct draw *draw, const char *name) {
    fx_buf_printf(draw->out, "{\"name\":\"%s\",\"image\":\"%s\"", name,
                  DRAW(draw, "nginx", "nginx:latest", "r.io/a/b:1.2", "r.io/a@sha256:0"));
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"imagePullPolicy\":\"%s\"",
                      DRAW(draw, "Always", "IfNotPresent"));
    }
    if (draw_rarely(draw)) {
        draw_env(draw);
    }
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"resources\":{\"limits\":{\"%s\":\"%s\"}}",
                      DRAW(draw, "memory", "cpu"), DRAW(draw, "1Gi", "100m", "2"));
    }
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"ports\":[{\"containerPort\":%s}]",
                      DRAW(draw, "80", "8080"));
    }
    fx_buf_char(draw->out, '}');
}

static void draw_containers(struct draw *draw) {
    static const char *const names[] = {"x", "y", "z"};
    fx_buf_str(draw->out, "\"containers\":[");
    for (size_t i = 0, n = 1 + draw_below(draw, 3); i < n; i++) {
        fx_buf_str(draw->out, i == 0 ? "" : ",");
        draw_container(draw, names[i]);
    }
    fx_buf_char(draw->out, ']');
}

/* Fields that a Pod does not have. */
static void draw_other_fields(struct draw *draw) {
    static const char *const fields[] = {"a", "b", "set", "list"};
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        fx_buf_printf(draw->out, ",\"%s\":", fields[i]);
        if (i == 3 && !draw_rarely(draw)) {
            draw_elements(draw, 2);
        } else {
            draw_value(draw, 2);
        }
    }
}

static void draw_pod_spec(struct draw *draw, bool has_others) {
    fx_buf_char(draw->out, '{');
    draw_containers(draw);
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"hostNetwork\":%s", DRAW(draw, "true", "false"));
    }
    if (draw_rarely(draw)) {
        fx_buf_char(draw->out, ',');
        draw_map(draw, "nodeSelector");
    }
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out,
                      ",\"tolerations\":[{\"key\":\"%s\",\"operator\":\"Exists\"}]",
                      DRAW(draw, "x", "y"));
    }
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"volumes\":[{\"name\":\"%s\",\"emptyDir\":{}}]",
                      DRAW(draw, "x", "y"));
    }
    if (draw_rarely(draw)) {
        fx_buf_printf(draw->out, ",\"terminationGracePeriodSeconds\":%s",
                      DRAW(draw, "0", "5", "30"));
    }
    if (has_others) {
        draw_other_fields(draw);
    }
    fx_buf_char(draw->out, '}');
}

static void draw_deployment(struct draw *draw) {
    fx_buf_str(draw->out, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",");
    draw_metadata(draw, DRAW(draw, "web", "pod"), true);
    fx_buf_printf(draw->out, ",\"spec\":{\"replicas\":%s,\"template\":{",
                  DRAW(draw, "1", "3"));
    draw_metadata(draw, "web", false);
    fx_buf_str(draw->out, ",\"spec\":");
    draw_pod_spec(draw, draw_rarely(draw));
    fx_buf_str(draw->out, "}}}");
}

static void draw_config_map(struct draw *draw) {
    fx_buf_str(draw->out, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",");
    draw_metadata(draw, DRAW(draw, "web", "settings"), true);
    fx_buf_char(draw->out, ',');
    draw_map(draw, "data");
    fx_buf_char(draw->out, '}');
}

static void draw_custom(struct draw *draw) {
    fx_buf_str(draw->out, "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",");
    draw_metadata(draw, DRAW(draw, "web", "pod"), true);
    fx_buf_str(draw->out, ",\"spec\":");
    draw_pod_spec(draw, true);
    fx_buf_char(draw->out, '}');
}

void random_draw_object(struct draw *draw) {
    switch (draw_below(draw, 8)) {
    case 5: draw_deployment(draw); break;
    case 6: draw_config_map(draw); break;
    case 7: draw_custom(draw); break;
    default:
        fx_buf_str(draw->out, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",");
        draw_metadata(draw, DRAW(draw, "pod", "web", "other"), true);
        fx_buf_str(draw->out, ",\"spec\":");
        draw_pod_spec(draw, draw_rarely(draw));
        fx_buf_char(draw->out, '}');
        break;
    }
}
