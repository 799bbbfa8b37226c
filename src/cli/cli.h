/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/cli.h - the command line: one binary, one file per command.
 */
#ifndef FX_CLI_CLI_H
#define FX_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* Exit statuses (design section 2). */
enum fx_exit {
    FX_EXIT_DONE = 0,
    FX_EXIT_FINDINGS = 1, /* differences, failed tests or findings */
    FX_EXIT_USAGE = 2,
    FX_EXIT_INVALID = 3,  /* invalid policy or input */
    FX_EXIT_MUTATION = 4, /* a mutation failed, did not converge, or was denied */
    FX_EXIT_IO = 5,       /* error of a file, a socket or the cluster */
    FX_EXIT_LEFT = 6,     /* serve ended before all requests were answered */
    FX_EXIT_BUG = 70,
};

/* Runs the command that argv names and returns the exit status. */
int fx_cli_main(int argc, char **argv);

/* Prints one line to standard error, "fixpoint: " and the text, as plain text
 * (policy/plain.h). */
FX_PRINTF(1, 2) void fx_say(const char *fmt, ...);

/* The exit status of an error: 3 for invalid input, 4 for a failed mutation, 5 for files
 * and the network, 70 for an internal error. */
enum fx_exit fx_exit_of(const struct fx_err *err);

/* The greater of the two. */
enum fx_exit fx_exit_worse(enum fx_exit a, enum fx_exit b);

/* Prints the error, and returns its exit status. */
enum fx_exit fx_say_err(const struct fx_err *err);

/* Prints "out of memory", and returns its exit status. */
enum fx_exit fx_say_nomem(void);

/* Prints a usage error. Returns FX_EXIT_USAGE. */
enum fx_exit fx_say_usage(const char *fault);

/* Prints the bytes to standard error as they are, and frees them. */
void fx_say_take(struct fx_buf *bytes);

/* Writes all bytes to standard output, and frees them. Returns FX_EXIT_DONE, or the exit
 * status after printing the error; a closed pipe is not reported. */
enum fx_exit fx_output_take(struct fx_buf *bytes);

/* The values of --color. */
extern const char *const fx_color_words[]; /* auto, always, never */

/* Is colour wanted on the stream? `when` is an index of fx_color_words. Auto: if the
 * stream is a terminal other than `dumb`, and NO_COLOR is unset or empty. */
bool fx_color_wanted(unsigned when, FILE *stream);

#define FX_COLOR_OPTION(type)                                                           \
    FX_OPTION_ROW("color", '\0', CHOICE, offsetof(type, color), "WHEN", fx_color_words, \
                  "auto (on a terminal, unless NO_COLOR is set), always or never")

#endif
