/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_words.c - the messages of reviews that fail (spec section 5).
 */
#include "engine/converge_words.h"

#include "base/buf.h"
#include "base/uuid.h"

/* `<group> <kind> <namespace> <name>`; empty parts leave double blanks. */
static void print_object(struct fx_buf *buf, const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_text parts[] = {
        subject.group,
        subject.kind,
        subject.namespace_,
        subject.name.len > 0 ? subject.name : subject.generate_name,
    };
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        fx_buf_str(buf, i > 0 ? " " : "");
        fx_buf_text(buf, parts[i]);
    }
}

static void print_mutation(struct fx_buf *buf, const struct fx_request *request) {
    char made[FX_UUID_SIZE];
    const char *id = request->mutation_id;
    if (id == NULL) {
        fx_uuid_make(made);
        id = made;
    }
    fx_buf_printf(buf, "mutation %s", id);
}

/* Gives the words to the error and frees them. Without memory there is no verdict. */
static bool prefix(struct fx_buf *words, struct fx_err *err) {
    if (words->failed) {
        (void)fx_fail_nomem(err);
    } else {
        err->code = FX_EMUTATE;
        (void)fx_err_prefix(err, "%s", words->data);
    }
    fx_buf_finish(words);
    return false;
}

/* No verdict about the object: memory or time did not last. */
static bool fail_ours(const struct fx_mutator *mutator, struct fx_err *err) {
    if (err->code == FX_EDEADLINE) {
        struct fx_buf id;
        fx_buf_init(&id, 0);
        fx_mutator_print_id(&id, mutator);
        (void)fx_fail(err, FX_EDEADLINE, "deadline exceeded in %s",
                      id.failed ? mutator->kind : id.data);
        fx_buf_finish(&id);
    }
    return false;
}

bool fx_converge_match_error(const struct fx_mutator *mutator, const json_t *object,
                             struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        return fail_ours(mutator, err);
    }
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_buf_str(&words, "matching for mutator ");
    fx_mutator_print_id(&words, mutator);
    fx_buf_str(&words, " failed for ");
    print_object(&words, object);
    fx_buf_str(&words, ": ");
    return prefix(&words, err);
}

bool fx_converge_apply_error(const struct fx_request *request,
                             const struct fx_mutator *mutator, const json_t *object,
                             struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        return fail_ours(mutator, err);
    }
    struct fx_buf words;
    fx_buf_init(&words, 0);
    print_mutation(&words, request);
    fx_buf_str(&words, " for mutator ");
    fx_mutator_print_id(&words, mutator);
    fx_buf_str(&words, " failed for ");
    print_object(&words, object);
    fx_buf_str(&words, ": ");
    return prefix(&words, err);
}

bool fx_converge_cycle_error(const struct fx_request *request, const json_t *object,
                             struct fx_err *err) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_buf_str(&words, "mutation not converging: ");
    print_mutation(&words, request);
    fx_buf_str(&words, " not converging for ");
    print_object(&words, object);
    if (words.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail(err, FX_ENOCONVERGE, "%s", words.data);
    }
    fx_buf_finish(&words);
    return false;
}
