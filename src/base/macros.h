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

/* The texts of a list of X(name, text): `names[] = {FX_KUBE_VERBS(FX_WORD)}`. */
#define FX_WORD(name, text) text,

/* A rarely called function, which is not inlined: its callers need no stack for it. */
#define FX_RARE __attribute__((noinline, cold))

/* A variable of the thread. (C++ has `thread_local`, which may run constructors.) */
#ifdef __cplusplus
#define FX_THREAD_LOCAL __thread
#else
#define FX_THREAD_LOCAL _Thread_local
#endif

#endif
