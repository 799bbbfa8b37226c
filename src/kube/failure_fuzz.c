/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure_fuzz.c - any answer is a failure with a reason and a printable message:
 * the first line of the input is the status, then the head up to an empty line, then the
 * body.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "kube/failure.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fx_kube_resource leases = {"coordination.k8s.io", "v1", "leases",
                                               "Lease"};

/* Removes the part up to `mark` from the front; everything if there is no mark. */
static struct fx_text take(struct fx_text *rest, struct fx_text mark) {
    size_t end = 0;
    while (end < rest->len &&
           !fx_text_starts((struct fx_text){rest->data + end, rest->len - end}, mark)) {
        end++;
    }
    end = end < rest->len ? end + mark.len : rest->len;
    const struct fx_text taken = {rest->data, end};
    rest->data += end;
    rest->len -= end;
    return taken;
}

static unsigned status_of(struct fx_text line) {
    unsigned status = 0;
    for (size_t i = 0; i < line.len && i < 3; i++) {
        if (line.data[i] >= '0' && line.data[i] <= '9') {
            status = status * 10 + (unsigned)(line.data[i] - '0');
        }
    }
    return status;
}

static void check_message(const char *message) {
    assert(message[0] != '\0' && strlen(message) < FX_ERR_TEXT);
    assert(fx_text_is_utf8(fx_text_of(message)));
    for (const char *at = message; *at != '\0'; at++) {
        assert((unsigned char)*at >= ' ' && *at != 0x7f);
    }
}

static void check_failure(struct fx_kube_failure *failure) {
    const struct fx_kube_name name = {.namespace_ = FX_TEXT("ns"),
                                      .name = FX_TEXT("fixpoint"),
                                      .subresource = "status"};
    assert(failure->reason > FX_KUBE_REASON_NONE &&
           failure->reason <= FX_KUBE_REASON_MEMORY);
    assert(failure->retry_after_s <= 3600);
    (void)fx_kube_failure_is_temporary(failure);
    check_message(failure->message);
    fx_kube_failure_prefix(failure, "patch", &leases, &name);
    check_message(failure->message);
    assert(fx_text_starts(fx_text_of(failure->message),
                          FX_TEXT("patch leases.coordination.k8s.io/status fixpoint in "
                                  "namespace ns: ")));
}

static void check_stream(struct fx_text body) {
    struct fx_kube_failure failure;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(body, NULL, &err);
    if (object != NULL) {
        fx_kube_failure_of_status(object, &failure);
        check_failure(&failure);
        json_decref(object);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_text rest = {(const char *)data, size};
    struct fx_kube_failure failure;
    if (size == 0) {
        return 0;
    }
    const unsigned status = status_of(take(&rest, FX_TEXT("\n")));
    const struct fx_text head = take(&rest, FX_TEXT("\r\n\r\n"));
    fx_kube_failure_read(status, head, rest, &failure);
    assert(failure.status == status);
    check_failure(&failure);
    check_stream(rest);
    return 0;
}
