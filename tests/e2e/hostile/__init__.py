# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm, each a program of its own, and a good client to measure by."""
