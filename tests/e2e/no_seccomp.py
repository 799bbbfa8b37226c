# SPDX-License-Identifier: Apache-2.0
"""no_seccomp.py COMMAND…: runs it where seccomp() is refused, as some containers do it."""

import ctypes
import os
import platform
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]
PRCTL = {"x86_64": 157, "aarch64": 167}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # EPERM
NUMBER, FIRST_ARGUMENT = 0, 16  # in struct seccomp_data

# seccomp() and prctl(PR_SET_SECCOMP) are refused, the rest is allowed.
PROGRAM = b"".join(
    struct.pack("HBBI", *step)
    for step in (
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 3, 0, SECCOMP),
        (EQUAL, 0, 3, PRCTL),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 0, 1, PR_SET_SECCOMP),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    )
)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    made = Filter(len(PROGRAM) // 8, PROGRAM)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or (
        libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(made), 0, 0) != 0
    ):
        sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
    os.execvp(sys.argv[1], sys.argv[1:])


main()
