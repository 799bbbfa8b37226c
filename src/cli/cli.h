/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/cli.h - the command line: one binary, one file per command.
 */
#ifndef FX_CLI_CLI_H
#define FX_CLI_CLI_H

/* Exit statuses (design section 2). */
enum fx_exit {
    FX_EXIT_DONE = 0,
    FX_EXIT_FINDINGS = 1, /* differences, failed tests, findings */
    FX_EXIT_USAGE = 2,
    FX_EXIT_INVALID = 3,  /* policy or input */
    FX_EXIT_MUTATION = 4, /* failed, denied, not converging */
    FX_EXIT_IO = 5,       /* files, sockets, cluster */
    FX_EXIT_LEFT = 6,     /* serve had to end before all requests were answered */
    FX_EXIT_BUG = 70,
};

/* Runs the command that argv names and returns the exit status. */
int fx_cli_main(int argc, char **argv);

#endif
