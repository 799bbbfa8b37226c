# SPDX-License-Identifier: Apache-2.0
"""Another time of day for a process (Debian: faketime). Its library names memory by the number
of the process, and who is killed or sandboxed leaves that behind, for a later process of the same
number to stumble over."""

import os
import pathlib
import re

LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def is_there():
    return os.path.exists(LIBRARY)


def environment(**settings):
    """What the process is to have in its environment; `settings` are those of libfaketime."""
    forget_the_dead()
    return dict({"LD_PRELOAD": LIBRARY}, **settings)


def forget_the_dead():
    """Removes what processes that are gone have left."""
    for file in pathlib.Path("/dev/shm").glob("*faketime_*"):
        number = re.search(r"_(\d+)$", file.name)
        if number and not os.path.exists("/proc/" + number[1]):
            file.unlink(missing_ok=True)
