/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_report.c - is an object news?
 */
#include "kube/reflector_internal.h"

#include "base/limits.h"

static bool has_room(const struct fx_kube_reflector *reflector, struct fx_err *err) {
    return reflector->known.n_objects < FX_LIMIT_KUBE_OBJECTS ||
           fx_fail(err, FX_ELIMIT, "there are more than %u objects",
                   FX_LIMIT_KUBE_OBJECTS);
}

static void tell_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    struct fx_kube_reflector *reflector = user;
    reflector->events.on_gone(namespace_, name, reflector->user);
}

/* Who was told could not take it, and may still have an older state of it. */
static void take_back(struct fx_kube_reflector *reflector,
                      const struct fx_kube_identity *identity, bool has_older) {
    if (has_older) {
        fx_kube_known_forget_version(&reflector->known, identity);
    } else {
        fx_kube_known_remove(&reflector->known, identity);
    }
}

bool fx_kube_reflector_report_object(struct fx_kube_reflector *reflector, json_t *object,
                                     const struct fx_kube_identity *identity, bool anyway,
                                     struct fx_err *err) {
    struct fx_kube_identity old;
    const bool found = fx_kube_known_find(&reflector->known, identity, &old);
    const bool same_uid = found && fx_text_equal(old.uid, identity->uid);
    const bool same = same_uid && fx_text_equal(old.version, identity->version);
    if (!found && !has_room(reflector, err)) {
        return false;
    }
    /* Told only when it is sure to be known from then on. */
    const bool tells = !same || anyway;
    const bool slim = !tells || fx_kube_object_strip(object, &reflector->kind,
                                                     reflector->options.metadata_only);
    if (!slim || !fx_kube_known_put(&reflector->known, identity)) {
        return fx_fail_nomem(err);
    }
    if (found && !same_uid) {
        tell_gone(identity->namespace_, identity->name, reflector);
    }
    if (tells && !reflector->events.on_object(object, reflector->user)) {
        take_back(reflector, identity, same_uid);
        return fx_fail_nomem(err);
    }
    return true;
}

bool fx_kube_reflector_report_event(struct fx_kube_reflector *reflector,
                                    enum fx_kube_event event, json_t *object,
                                    const struct fx_kube_identity *identity,
                                    struct fx_err *err) {
    struct fx_kube_identity old;
    const bool found = fx_kube_known_find(&reflector->known, identity, &old);
    if (found && fx_kube_version_is_before(identity->version, old.version)) {
        return true;
    }
    if (event != FX_KUBE_EVENT_DELETED) {
        return fx_kube_reflector_report_object(reflector, object, identity, false, err);
    }
    if (found) {
        fx_kube_known_remove(&reflector->known, identity);
        tell_gone(identity->namespace_, identity->name, reflector);
    }
    return true;
}

void fx_kube_reflector_report_removed(struct fx_kube_reflector *reflector) {
    fx_kube_known_remove_unseen(&reflector->known, tell_gone, reflector);
}
