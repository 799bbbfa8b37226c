/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_replace.h - private: another text for each match.
 */
#ifndef FX_LOCATION_SPRIG_REGEX_REPLACE_H
#define FX_LOCATION_SPRIG_REGEX_REPLACE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/regex.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

struct regex_replacement {
    struct fx_text text;
    /* `$1`, `${1}`, `$name`, `${name}` stand for groups, `$$` for a `$`. A name goes as
     * far as letters, digits and `_` do; a group that there is not is empty. */
    bool expands;
};

/* Appends the text with every match replaced. */
bool regex_replace(struct run *run, const struct fx_regex *regex, struct fx_text text,
                   const struct regex_replacement *by, struct fx_buf *ret) FX_MUST_USE;

#endif
