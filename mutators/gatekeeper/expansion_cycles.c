/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_cycles.c - finds templates that expand each other without
 * end.
 *
 * The search uses a graph of types: a template leads from each type that it expands to
 * the type that it makes. It is part of a cycle if both ends are in one strongly
 * connected component (R. Tarjan, Depth-first search and linear graph algorithms, 1972;
 * here without recursion). Only types that some template makes can be in a cycle.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"
#include "mutators/gatekeeper/expansion.h"

#define NONE UINT32_MAX

/* A type that a template makes. */
struct vertex {
    struct fx_text group, version, kind;
    uint32_t first_edge; /* NONE if the vertex has no edges */
    uint32_t next_edge;  /* the next edge of the walk; NONE if all are done */
    uint32_t order, low; /* Tarjan's numbers, from 1; order is 0 before the visit */
    uint32_t component;  /* NONE until it is known */
};

struct edge {
    uint32_t from, to;
    uint32_t next;     /* the next edge of the same vertex, or NONE */
    uint32_t resource; /* the template of this edge */
};

struct graph {
    struct vertex *vertices; /* sorted by type */
    uint32_t n_vertices;
    struct edge *edges;
    size_t n_edges, cap_edges;
    uint32_t *path;  /* vertices that are being visited, innermost last */
    uint32_t *stack; /* vertices whose component is not known yet */
    uint32_t n_path, n_stack, n_seen;
};

static const struct fx_expansion *expansion_of(const struct fx_resource *resource) {
    return fx_expansion_is(resource) ? (const struct fx_expansion *)resource : NULL;
}

static int compare_types(const struct vertex *a, const struct vertex *b) {
    const int group = fx_text_compare(a->group, b->group);
    const int version = fx_text_compare(a->version, b->version);
    return group != 0     ? group
           : version != 0 ? version
                          : fx_text_compare(a->kind, b->kind);
}

static int by_type(const void *left, const void *right) {
    return compare_types(left, right);
}

static struct vertex made_by(const struct fx_expansion *expansion) {
    return (struct vertex){.group = expansion->group,
                           .version = expansion->version,
                           .kind = expansion->kind,
                           .first_edge = NONE,
                           .component = NONE};
}

/* Returns the index of the vertex of this type; NONE if no template makes it. */
static uint32_t find_type(const struct graph *graph, const struct vertex *type) {
    const struct vertex *found =
        bsearch(type, graph->vertices, graph->n_vertices, sizeof *type, by_type);
    return found == NULL ? NONE : (uint32_t)(found - graph->vertices);
}

/* Adds a vertex for each type that a template makes, without duplicates. */
static bool add_vertices(struct graph *graph, struct fx_resource *const *resources,
                         size_t n_resources) {
    graph->vertices = calloc(n_resources + 1, sizeof *graph->vertices);
    graph->path = calloc(n_resources + 1, sizeof *graph->path);
    graph->stack = calloc(n_resources + 1, sizeof *graph->stack);
    if (graph->vertices == NULL || graph->path == NULL || graph->stack == NULL) {
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < n_resources; i++) {
        const struct fx_expansion *expansion = expansion_of(resources[i]);
        if (expansion != NULL) {
            graph->vertices[n++] = made_by(expansion);
        }
    }
    qsort(graph->vertices, n, sizeof *graph->vertices, by_type);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_type(&graph->vertices[i - 1], &graph->vertices[i]) != 0) {
            graph->vertices[graph->n_vertices++] = graph->vertices[i];
        }
    }
    return true;
}

static bool add_edge(struct graph *graph, const struct edge *edge) {
    if (!FX_VEC_GROW(graph->edges, graph->n_edges, graph->cap_edges)) {
        return false;
    }
    struct vertex *from = &graph->vertices[edge->from];
    graph->edges[graph->n_edges] = *edge;
    graph->edges[graph->n_edges].next = from->first_edge;
    from->first_edge = (uint32_t)graph->n_edges++;
    return true;
}

/* Adds an edge from each type of the target that some template makes. */
static bool add_target(struct graph *graph, const struct fx_expansion_target *target,
                       const struct edge *edge) {
    const size_t n_pairs = target->versions.n_items * target->kinds.n_items;
    for (size_t i = 0; i < target->groups.n_items * n_pairs; i++) {
        const struct vertex type = {
            .group = target->groups.items[i / n_pairs],
            .version = target->versions.items[i % n_pairs / target->kinds.n_items],
            .kind = target->kinds.items[i % target->kinds.n_items],
        };
        struct edge whole = *edge;
        whole.from = find_type(graph, &type);
        if (whole.from != NONE && !add_edge(graph, &whole)) {
            return false;
        }
    }
    return true;
}

static bool add_edges(struct graph *graph, struct fx_resource *const *resources,
                      size_t n_resources) {
    for (size_t i = 0; i < n_resources; i++) {
        const struct fx_expansion *expansion = expansion_of(resources[i]);
        if (expansion == NULL) {
            continue;
        }
        const struct vertex made = made_by(expansion);
        const struct edge edge = {.to = find_type(graph, &made), .resource = (uint32_t)i};
        for (size_t t = 0; t < expansion->n_targets; t++) {
            if (!add_target(graph, &expansion->targets[t], &edge)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the walk -------------------------------------------------------------------- */

static void lower(uint32_t *low, uint32_t to) {
    *low = to < *low ? to : *low;
}

static void enter_vertex(struct graph *graph, uint32_t index) {
    struct vertex *vertex = &graph->vertices[index];
    vertex->order = ++graph->n_seen;
    vertex->low = vertex->order;
    vertex->next_edge = vertex->first_edge;
    graph->path[graph->n_path++] = index;
    graph->stack[graph->n_stack++] = index;
}

/* Leaves the innermost vertex, after a walk of all its edges. */
static void leave_vertex(struct graph *graph) {
    const uint32_t index = graph->path[--graph->n_path];
    const struct vertex *vertex = &graph->vertices[index];
    if (vertex->low == vertex->order) {
        uint32_t member = NONE;
        while (member != index) {
            member = graph->stack[--graph->n_stack];
            graph->vertices[member].component = index;
        }
    }
    if (graph->n_path > 0) {
        lower(&graph->vertices[graph->path[graph->n_path - 1]].low, vertex->low);
    }
}

static void walk_graph(struct graph *graph, uint32_t root) {
    enter_vertex(graph, root);
    while (graph->n_path > 0) {
        struct vertex *vertex = &graph->vertices[graph->path[graph->n_path - 1]];
        if (vertex->next_edge == NONE) {
            leave_vertex(graph);
            continue;
        }
        const struct edge *edge = &graph->edges[vertex->next_edge];
        const struct vertex *to = &graph->vertices[edge->to];
        vertex->next_edge = edge->next;
        if (to->order == 0) {
            enter_vertex(graph, edge->to);
        } else if (to->component == NONE) {
            lower(&vertex->low, to->order);
        }
    }
}

static void find_components(struct graph *graph) {
    for (uint32_t i = 0; i < graph->n_vertices; i++) {
        if (graph->vertices[i].order == 0) {
            walk_graph(graph, i);
        }
    }
}

/* Marks the template of the edge if both ends are in one component, because then it is in
 * a cycle. */
static void mark_edge(const struct graph *graph, const struct edge *edge,
                      bool *ret_in_cycle) {
    if (graph->vertices[edge->from].component == graph->vertices[edge->to].component) {
        ret_in_cycle[edge->resource] = true;
    }
}

bool fx_expansion_find_cycles(struct fx_resource *const *resources, size_t n_resources,
                              bool *ret_in_cycle) {
    struct graph graph = {0};
    const bool ok = add_vertices(&graph, resources, n_resources) &&
                    add_edges(&graph, resources, n_resources);
    if (ok && graph.edges != NULL) {
        find_components(&graph);
        for (size_t i = 0; i < graph.n_edges; i++) {
            mark_edge(&graph, &graph.edges[i], ret_in_cycle);
        }
    }
    free(graph.vertices);
    free(graph.path);
    free(graph.stack);
    free(graph.edges);
    return ok;
}
