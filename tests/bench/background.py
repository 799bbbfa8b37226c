#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A steady background of reviews: background.py PORT CERT REVIEW CONNECTIONS EVERY_SECONDS.

Each connection sends the review, waits for its answer, and sends the next one when
EVERY_SECONDS have passed since the last. On SIGTERM it prints how many were answered with
200, and how many otherwise."""
import asyncio
import signal
import ssl
import sys


async def keep_asking(port, context, request, every, counts):
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname="localhost")
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length"))
        await reader.readexactly(length)
        counts[head.startswith(b"HTTP/1.1 200 ")] += 1
        due = max(due + every, loop.time())
        await asyncio.sleep(due - loop.time())


async def main(port, cert, review, connections, every):
    context = ssl.create_default_context(cafile=cert)
    body = open(review, "rb").read()
    request = (b"POST /v1/mutate?timeout=5s HTTP/1.1\r\nHost: localhost\r\n"
               b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    counts = {True: 0, False: 0}
    tasks = [asyncio.ensure_future(keep_asking(port, context, request, every, counts))
             for _ in range(connections)]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await asyncio.wait([asyncio.ensure_future(stop.wait()), *tasks],
                       return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        if task.done():
            task.result()  # it ends by a failure only: tell it
        task.cancel()
    print(counts[True], counts[False])


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]),
                     float(sys.argv[5])))
