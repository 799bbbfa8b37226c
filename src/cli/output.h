/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/output.h - data on standard output, words on standard error, and what a failure
 * does to the exit status.
 */
#ifndef FX_CLI_OUTPUT_H
#define FX_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/cli.h"

/* Says one line on standard error, behind "fixpoint: ", as plain text (policy/plain.h).
 */
FX_PRINTF(1, 2) void fx_say(const char *fmt, ...);

/* The exit status of an error: 3 for the user's input, 4 for a mutation, 5 for files, 70
 * for what is our own fault. */
enum fx_exit fx_exit_of(const struct fx_err *err);

/* The status that says more: the greater of the two. */
enum fx_exit fx_exit_worse(enum fx_exit a, enum fx_exit b);

/* Says the error, and gives its exit status. */
enum fx_exit fx_say_err(const struct fx_err *err);

/* Says the words as they are. */
void fx_say_words(const struct fx_buf *words);

/* Writes the bytes to standard output, all of them at once. FX_EXIT_DONE; else it gives
 * the status, and says why not (a full disk, no memory); of a reader that went away it
 * says nothing. */
enum fx_exit fx_output_write(const struct fx_buf *bytes);

/* --color */
extern const char *const fx_color_words[]; /* auto, always, never */

/* Is colour wanted on that stream? `when` is an index of fx_color_words. Auto: on a
 * terminal that can, unless the environment has a NO_COLOR that is not empty. */
bool fx_color_wanted(unsigned when, FILE *stream);

#define FX_COLOR_OPTION(type)                                            \
    {                                                                    \
        "color",                                                         \
        '\0',                                                            \
        FX_OPTION_CHOICE,                                                \
        offsetof(type, color),                                           \
        "WHEN",                                                          \
        fx_color_words,                                                  \
        "auto (on a terminal, unless NO_COLOR is set), always or never", \
    }

#endif
