/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - errors of an evaluation, and building values in its arena.
 */
#include "location/cel/run.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/budget.h"
#include "location/cel/map.h"

#define MOST_MESSAGE 2048u /* bytes; a longer message is cut */

static struct fx_cel_value error_of(const char *message, uint8_t flags) {
    return (struct fx_cel_value){.kind = FX_CEL_ERROR, .flags = flags, .error = message};
}

struct fx_cel_value fx_cel_fail(struct fx_cel_run *run, const char *fmt, ...) {
    char text[MOST_MESSAGE];
    va_list args;
    va_start(args, fmt);
    const int length = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (length < 0) {
        return fx_cel_no_memory(run);
    }
    const size_t kept = (size_t)length < sizeof text
                            ? (size_t)length
                            : fx_text_rune_floor(text, sizeof text - 1);
    const char *message = fx_arena_copy(run->arena, (struct fx_text){text, kept});
    return message == NULL ? fx_cel_no_memory(run) : error_of(message, 0);
}

struct fx_cel_value fx_cel_no_overload(void) {
    return error_of("no such overload", 0);
}

struct fx_cel_value fx_cel_no_overload_for(struct fx_cel_run *run, const char *function) {
    return fx_cel_fail(run, "no such overload: %s", function);
}

/* The reason is kept once: `err` is that of the caller's evaluation. */
struct fx_cel_value fx_cel_no_memory(struct fx_cel_run *run) {
    if (run->err != NULL) {
        (void)fx_fail_nomem(run->err);
    }
    return error_of("out of memory", FX_CEL_FATAL);
}

struct fx_cel_value fx_cel_fatal(struct fx_cel_run *run) {
    const char *message =
        run->err == NULL ? NULL : fx_arena_copy(run->arena, fx_text_of(run->err->msg));
    return error_of(message == NULL ? "evaluation failed" : message, FX_CEL_FATAL);
}

struct fx_cel_value fx_cel_exceeded(struct fx_cel_run *run) {
    if (run->err != NULL) {
        (void)fx_fail_exceeded(run->err);
    }
    return error_of("evaluation exceeded its budget", FX_CEL_FATAL);
}

struct fx_cel_value fx_cel_over_cost(struct fx_cel_run *run) {
    static const char message[] = "operation cancelled: actual cost limit exceeded";
    if (run->err != NULL) {
        (void)fx_fail(run->err, FX_ELIMIT, "%s", message);
    }
    return error_of(message, FX_CEL_FATAL);
}

struct fx_cel_value fx_cel_fail_internal(struct fx_cel_run *run, const char *what) {
    struct fx_cel_value error = fx_cel_fail(run, "internal error: %s", what);
    if ((error.flags & FX_CEL_FATAL) == 0 && run->err != NULL) {
        (void)fx_fail(run->err, FX_EMUTATE, "%s", error.error);
    }
    error.flags |= FX_CEL_FATAL;
    return error;
}

/* A copy of the bytes in the arena; false without memory, or over the budget. */
static bool copy_text(struct fx_cel_run *run, struct fx_text text,
                      struct fx_text *ret_copy) {
    if (!fx_spend_text(text.len)) {
        return false;
    }
    ret_copy->data = fx_arena_copy(run->arena, text);
    ret_copy->len = text.len;
    return ret_copy->data != NULL;
}

static struct fx_cel_value cannot_build(struct fx_cel_run *run) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_cel_exceeded(run)
                                                       : fx_cel_no_memory(run);
}

struct fx_cel_value fx_cel_copy_string(struct fx_cel_run *run, struct fx_text text) {
    struct fx_text copy;
    return copy_text(run, text, &copy) ? fx_cel_make_string(copy) : cannot_build(run);
}

struct fx_cel_value fx_cel_copy_bytes(struct fx_cel_run *run, struct fx_text text) {
    struct fx_text copy;
    return copy_text(run, text, &copy) ? fx_cel_make_bytes(copy) : cannot_build(run);
}

struct fx_cel_value fx_cel_take_buf(struct fx_cel_run *run, struct fx_buf *buf) {
    const struct fx_cel_value string =
        buf->failed ? cannot_build(run) : fx_cel_copy_string(run, fx_buf_view(buf));
    fx_buf_finish(buf);
    return string;
}

struct fx_cel_value fx_cel_new_list(struct fx_cel_run *run, size_t cap) {
    if (cap > SIZE_MAX / sizeof(struct fx_cel_value) || !fx_spend(cap / 4)) {
        return cannot_build(run);
    }
    struct fx_cel_list *list = fx_arena_alloc(run->arena, sizeof *list);
    if (list == NULL) {
        return fx_cel_no_memory(run);
    }
    if (cap > 0) {
        list->items = fx_arena_alloc(run->arena, cap * sizeof *list->items);
        if (list->items == NULL) {
            return fx_cel_no_memory(run);
        }
    }
    list->cap = cap;
    return (struct fx_cel_value){.kind = FX_CEL_LIST, .list = list};
}

bool fx_cel_list_add(struct fx_cel_run *run, struct fx_cel_value list,
                     struct fx_cel_value element) {
    struct fx_cel_list *own = list.list;
    if (!FX_ARENA_GROW(run->arena, own->items, own->n, own->cap)) {
        return false;
    }
    own->items[own->n++] = element;
    return true;
}

struct fx_cel_value fx_cel_new_map(struct fx_cel_run *run, size_t cap) {
    if (cap > SIZE_MAX / sizeof(struct fx_cel_map_entry) || !fx_spend(cap / 4)) {
        return cannot_build(run);
    }
    struct fx_cel_map *map = fx_arena_alloc(run->arena, sizeof *map);
    if (map == NULL) {
        return fx_cel_no_memory(run);
    }
    if (cap > 0) {
        map->entries = fx_arena_alloc(run->arena, cap * sizeof *map->entries);
        if (map->entries == NULL) {
            return fx_cel_no_memory(run);
        }
    }
    map->cap = cap;
    return (struct fx_cel_value){.kind = FX_CEL_MAP, .map = map};
}

bool fx_cel_map_set(struct fx_cel_run *run, struct fx_cel_value map,
                    struct fx_cel_value key, struct fx_cel_value value) {
    return fx_cel_map_put(run->arena, map.map, key, value);
}

struct fx_cel_value fx_cel_new_optional(struct fx_cel_run *run,
                                        struct fx_cel_value value) {
    struct fx_cel_value *inner = fx_arena_alloc(run->arena, sizeof *inner);
    if (inner == NULL) {
        return fx_cel_no_memory(run);
    }
    *inner = value;
    return (struct fx_cel_value){.kind = FX_CEL_OPTIONAL, .inner = inner};
}

struct fx_cel_value fx_cel_optional_none(void) {
    return (struct fx_cel_value){.kind = FX_CEL_OPTIONAL};
}
