/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/version.c - `fixpoint version`: prints versions.
 */
#include <jansson.h>
#include <uv.h>
#include <yaml.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "net/http_server.h"
#include "net/tls.h"
#include "value/json.h"

struct values {
    unsigned output;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const output_words[] = {"text", "json", NULL};

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

struct part {
    const char *name, *version;
};

static void print_text(struct fx_buf *buf, const struct part *parts) {
    fx_buf_printf(buf, "fixpoint %s\n", parts->version);
    for (parts++; parts->name != NULL; parts++) {
        fx_buf_printf(buf, "  %-10s%s\n", parts->name, parts->version);
    }
}

static void print_json(struct fx_buf *buf, const struct part *parts) {
    const char *separator = "{";
    for (; parts->name != NULL; parts++) {
        fx_buf_str(buf, separator);
        fx_json_write_string(buf, fx_text_of(parts->name), FX_JSON_COMPACT);
        fx_buf_char(buf, ':');
        fx_json_write_string(buf, fx_text_of(parts->version), FX_JSON_COMPACT);
        separator = ",";
    }
    fx_buf_str(buf, "}\n");
}

static enum fx_exit run_version(const void *values) {
    const struct part parts[] = {
        {"version", FX_VERSION},
        {"compiler", COMPILER},
        {"jansson", jansson_version_str()},
        {"libyaml", yaml_get_version_string()},
        {"libuv", uv_version_string()},
        {"http", fx_http_library()},
        {"tls", fx_tls_library()},
        {NULL, NULL},
    };
    const struct values *given = values;
    struct fx_buf buf = {0};
    (given->output == OUTPUT_JSON ? print_json : print_text)(&buf, parts);
    return fx_output_take(&buf);
}

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct values, output), "FORMAT",
     output_words, "text or json"},
    {.name = NULL},
};

const struct fx_command fx_command_version = {
    .name = "version",
    .usage = "[-o text|json]",
    .summary = "print the version",
    .details = "Prints the versions of fixpoint, of the compiler and of the libraries.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run_version,
};
