/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - runs the command line.
 */
#include "cli/cli.h"

int main(int argc, char **argv) {
    return fx_cli_main(argc, argv);
}
