/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/label_rules.h - checks keys and values of labels, and keys of annotations, with
 * the messages of apimachinery (k8s.io/apimachinery 0.36,
 * pkg/api/validate/content: IsLabelKey, IsLabelValue; pkg/api/validation:
 * ValidateAnnotations).
 */
#ifndef FX_ENGINE_LABEL_RULES_H
#define FX_ENGINE_LABEL_RULES_H

#include "base/buf.h"
#include "base/text.h"

/* Append a message for each rule that the text violates, with "; " between them; nothing
 * if the text is valid. The prefix of an annotation key may have upper case letters. */
void fx_label_key_check(struct fx_buf *buf, struct fx_text key);
void fx_annotation_key_check(struct fx_buf *buf, struct fx_text key);
void fx_label_value_check(struct fx_buf *buf, struct fx_text value);

#endif
