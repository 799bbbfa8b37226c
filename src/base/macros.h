/* SPDX-License-Identifier: Apache-2.0
 *
 * base/macros.h - compiler hints.
 */
#ifndef FX_BASE_MACROS_H
#define FX_BASE_MACROS_H

#define FX_PRINTF(fmt_at, args_at) \
    __attribute__((__format__(__printf__, fmt_at, args_at)))
#define FX_MUST_USE     __attribute__((warn_unused_result))
#define FX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Expands to the texts of a list of X(name, text): `names[] =
 * {FX_KUBE_VERBS(FX_WORD)}`. */
#define FX_WORD(name, text) text,

/* Marks a rarely called function. It is not inlined, so its callers need no stack for
 * it. */
#define FX_RARE __attribute__((noinline, cold))

/* Marks a variable of the thread. (C++'s `thread_local` may run constructors.) */
#ifdef __cplusplus
#define FX_THREAD_LOCAL __thread
#else
#define FX_THREAD_LOCAL _Thread_local
#endif

#endif
