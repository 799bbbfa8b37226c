/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_fuzz.c - any text gives an error with a span within the
 * text, or a location that prints, can be parsed again where its names allow it, and
 * can be walked. The bytes after the first 0xff describe the tree.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "location/gatekeeper/location.h"
#include "location/gatekeeper/write.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rest of the input, followed by zeros. */
struct bytes {
    const uint8_t *data;
    size_t len;
};

static unsigned next(struct bytes *bytes, unsigned below) {
    if (bytes->len == 0) {
        return 0;
    }
    bytes->len--;
    return *bytes->data++ % below;
}

/* A key of the step, or another one. */
static json_t *grow_key(struct bytes *bytes, const struct fx_location_step *step) {
    switch (next(bytes, 4)) {
    case 0: return json_integer(5);
    case 1: return json_real(5.0);
    case 2: return json_string("v");
    default: break;
    }
    if (step->n_except > 0) {
        return json_incref(step->except[next(bytes, (unsigned)step->n_except)]);
    }
    return step->glob ? json_string("w") : json_incref(step->value);
}

static json_t *grow(struct bytes *bytes, const struct fx_location *location,
                    size_t depth);

static json_t *grow_object(struct bytes *bytes, const struct fx_location *location,
                           size_t depth) {
    json_t *object = json_object();
    if (next(bytes, 4) != 0) {
        (void)json_object_set_new(object, "other", json_object());
    }
    if (next(bytes, 4) != 0) {
        json_t *child = grow(bytes, location, depth + 1);
        assert(fx_tree_set_take(object, location->steps[depth].name, child));
    }
    return object;
}

static json_t *grow_list(struct bytes *bytes, const struct fx_location *location,
                         size_t depth) {
    const struct fx_location_step *step = &location->steps[depth];
    json_t *list = json_array();
    for (unsigned n = next(bytes, 5); n > 0; n--) {
        json_t *element = grow(bytes, location, depth + 1);
        if (json_is_object(element) && next(bytes, 4) != 0) {
            assert(fx_tree_set_take(element, step->name, grow_key(bytes, step)));
        }
        assert(fx_tree_append_take(list, element));
    }
    return list;
}

/* A node that mostly fits the location. */
static json_t *grow(struct bytes *bytes, const struct fx_location *location,
                    size_t depth) {
    const unsigned shape = next(bytes, 16);
    if (shape == 0) {
        return json_null();
    }
    if (shape == 1) {
        return json_string("s");
    }
    if (depth >= location->n_steps) {
        return json_object();
    }
    return location->steps[depth].type == FX_LOCATION_OBJECT
               ? grow_object(bytes, location, depth)
               : grow_list(bytes, location, depth);
}

/* True where the printed name can be parsed again. */
static bool reads_back(struct fx_text name) {
    static const char quoted_if_any[] = "'\"\t\n \\*[]:.";
    bool quoted = name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9');
    bool word = true;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        quoted = quoted || memchr(quoted_if_any, c, sizeof quoted_if_any - 1) != NULL;
        word = word && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-');
    }
    return quoted || word;
}

static bool all_read_back(const struct fx_location *location) {
    for (size_t i = 0; i < location->n_steps; i++) {
        const json_t *value = location->steps[i].value;
        if (!reads_back(location->steps[i].name) ||
            (json_is_string(value) && !reads_back(fx_tree_text(value)))) {
            return false;
        }
    }
    return true;
}

static bool same(const struct fx_location *a, const struct fx_location *b) {
    return a->n_steps == b->n_steps && fx_location_has_prefix(a, b) &&
           fx_location_common(a, b) == a->n_steps;
}

static void check_print(const struct fx_location *location,
                        enum fx_location_syntax syntax) {
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_location_print(&printed, location);
    assert(!printed.failed);
    struct fx_location *again = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_location_parse((struct fx_text){printed.data, printed.len}, syntax,
                                      &again, &err);
    if (all_read_back(location) && (ok || err.code != FX_ELIMIT)) {
        assert(ok && same(location, again));
    }
    fx_location_destroy(again);
    fx_buf_finish(&printed);
}

/* What a setter of this file does: sets the value, or removes where it is NULL; passes
 * every `skip`th position; copies the first value of `source`, if any. */
struct order {
    json_t *value;
    size_t skip;
    size_t *count;
    const struct fx_location *source;
};

static bool obey(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)err;
    const struct order *order = user;
    ++*order->count;
    if (order->skip > 0 && *order->count % order->skip == 0) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = "skipped";
        return true;
    }
    json_t *value = order->value;
    if (order->source != NULL) {
        value = fx_location_first(order->source, 0, position->nodes[0]);
    }
    *ret_write = value == NULL ? FX_WRITE_REMOVE : FX_WRITE_SET;
    *ret_value = json_incref(value);
    return true;
}

static bool run(const struct fx_location *location, struct order order, json_t **root,
                struct fx_written *ret_written) {
    size_t count = 0;
    order.count = &count;
    const struct fx_setter setter = {.set = obey,
                                     .user = &order,
                                     .removes =
                                         order.value == NULL && order.source == NULL};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_location_write(location, NULL, &setter, root, ret_written, &err)) {
        assert(err.code == FX_EMUTATE && err.msg[0] != '\0');
        return false;
    }
    assert(!ret_written->applied || (count > 0 && ret_written->criterion == NULL));
    assert(ret_written->applied || ret_written->criterion != NULL);
    return true;
}

/* Writing may change the key of an element, which is then another position. */
static bool writes_its_key(const struct fx_location *location) {
    const size_t n_steps = location->n_steps;
    return n_steps > 1 && location->steps[n_steps - 2].type == FX_LOCATION_LIST &&
           location->steps[n_steps - 1].type == FX_LOCATION_OBJECT &&
           fx_text_equal(location->steps[n_steps - 2].name,
                         location->steps[n_steps - 1].name);
}

static bool is_value(void *user, json_t *value) {
    return fx_equal(user, value);
}

/* A second run changes nothing, and each position has the wanted value. */
static void check_settled(const struct fx_location *location, struct order order,
                          json_t **root) {
    if (writes_its_key(location) && order.value != NULL) {
        return;
    }
    json_t *settled = json_incref(*root);
    struct fx_written again = {0};
    assert(run(location, order, root, &again));
    assert(!again.changed && *root == settled);
    json_decref(settled);
    if (order.value == NULL) {
        assert(!again.applied && fx_location_first(location, 0, *root) == NULL);
    } else if (location->steps[location->n_steps - 1].type == FX_LOCATION_OBJECT) {
        assert(fx_location_each(location, 0, *root, is_value, order.value));
    }
}

/* Writes to a tree of its own and to a shared one: they come out the same (but for
 * copies, see fx_write_position.nodes), and what the other holder sees stays as it was.
 */
static void check_write(const struct fx_location *location, struct order order,
                        struct bytes bytes) {
    json_t *trees[3];
    for (size_t i = 0; i < FX_COUNT(trees); i++) {
        struct bytes again = bytes;
        trees[i] = grow(&again, location, 0);
    }
    json_t *own = trees[0];
    json_t *before = trees[1];
    json_t *untouched = trees[2];
    json_t *root = json_incref(before);
    struct fx_written written = {0};
    struct fx_written other = {0};
    const bool ok = run(location, order, &root, &written);
    assert(fx_equal(before, untouched));
    const bool ok_too = run(location, order, &own, &other);
    if (ok) {
        assert(written.changed != fx_equal(root, before));
        assert(written.changed || root == before);
    }
    if (order.source == NULL) {
        assert(ok == ok_too && (!ok || fx_equal(own, root)));
    }
    if (ok && order.skip == 0 && order.source == NULL) {
        check_settled(location, order, &root);
    }
    json_decref(root);
    json_decref(untouched);
    json_decref(before);
    json_decref(own);
}

/* An object, with the key where the location ends in a list. */
static json_t *new_value(const struct fx_location *location) {
    json_t *value = json_object();
    (void)json_object_set_new(value, "n", json_integer(1));
    const struct fx_location_step *last =
        location->n_steps == 0 ? NULL : &location->steps[location->n_steps - 1];
    if (last != NULL && last->value != NULL) {
        assert(fx_tree_set_take(value, last->name, json_incref(last->value)));
    }
    return value;
}

static void check_walks(const struct fx_location *location, struct bytes bytes) {
    json_t *value = new_value(location);
    const size_t skip = 1 + next(&bytes, 3);
    struct fx_location source = *location;
    source.n_steps = location->n_steps == 0
                         ? 0
                         : next(&bytes, 255) % location->n_steps; /* on the way */
    const struct order orders[] = {
        {.value = value},    {.value = value, .skip = skip},
        {.value = NULL},     {.value = NULL, .skip = skip},
        {.source = &source},
    };
    for (size_t i = 0; i < FX_COUNT(orders); i++) {
        check_write(location, orders[i], bytes);
    }
    json_decref(value);
}

static struct fx_location *parse(struct fx_text text, enum fx_location_syntax syntax) {
    struct fx_location *location = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_location_parse(text, syntax, &location, &err)) {
        assert(location == NULL && err.code != FX_OK && err.msg[0] != '\0');
        assert(err.len == 0 || err.off + err.len <= text.len + 1);
    }
    return location;
}

/* A location of Gatekeeper's syntax is the same in the extended one. */
static void check_location(struct fx_text text, struct bytes bytes) {
    struct fx_location *extended = parse(text, FX_LOCATION_EXTENDED);
    struct fx_location *plain = parse(text, FX_LOCATION_GATEKEEPER);
    if (plain != NULL) {
        assert(extended != NULL && same(plain, extended));
        check_print(plain, FX_LOCATION_GATEKEEPER);
    }
    if (extended != NULL) {
        check_print(extended, FX_LOCATION_EXTENDED);
        check_walks(extended, bytes);
    }
    fx_location_destroy(plain);
    fx_location_destroy(extended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size == 0 ? NULL : memchr(data, 0xff, size);
    const size_t n_text = end == NULL ? size : (size_t)(end - data);
    const struct fx_text text = {(const char *)data, n_text};
    uint8_t usual[64];
    memset(usual, 7, sizeof usual);
    check_location(text, end == NULL ? (struct bytes){usual, sizeof usual}
                                     : (struct bytes){end + 1, size - n_text - 1});
    return 0;
}
