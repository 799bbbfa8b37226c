/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/label_words.h - what apimachinery says of texts that cannot be a label's key or
 * value, or an annotation's key (k8s.io/apimachinery 0.36, pkg/api/validate/content:
 * IsLabelKey, IsLabelValue; pkg/api/validation: ValidateAnnotations).
 */
#ifndef FX_ENGINE_LABEL_WORDS_H
#define FX_ENGINE_LABEL_WORDS_H

#include "base/buf.h"
#include "base/text.h"

/* Append the complaints, joined by "; "; nothing where the text is fine. The keys of
 * annotations are those of labels, but for the case of letters, which is free. */
void fx_label_key_words(struct fx_buf *buf, struct fx_text key);
void fx_annotation_key_words(struct fx_buf *buf, struct fx_text key);
void fx_label_value_words(struct fx_buf *buf, struct fx_text value);

#endif
