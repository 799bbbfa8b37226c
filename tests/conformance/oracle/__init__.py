# SPDX-License-Identifier: Apache-2.0
"""A second reading of Gatekeeper's mutation rules, written from their description and not
from the C code, so that each can find the other's mistakes. Slow, short and plain."""
