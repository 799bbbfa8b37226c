/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/panic.h - private: what Go's runtime says where a function panics,
 * which a template sees as an execution error.
 */
#ifndef FX_LOCATION_SPRIG_PANIC_H
#define FX_LOCATION_SPRIG_PANIC_H

/* A nil was asked for its type. */
#define PANIC_NIL "runtime error: invalid memory address or nil pointer dereference"

/* A list of a negative length was to be made. */
#define PANIC_LENGTH "runtime error: makeslice: len out of range"

/* A part of a list beyond its ends. */
#define PANIC_SLICE "reflect.Value.Slice: slice index out of bounds"

#endif
