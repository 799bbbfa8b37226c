#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A provider of external data that takes its time: provider.py PORT CERT KEY SECONDS."""
import asyncio
import json
import ssl
import sys


def answer(body):
    keys = json.loads(body)["request"]["keys"]
    return json.dumps({
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "ProviderResponse",
        "response": {"idempotent": True, "systemError": "",
                     "items": [{"key": key, "value": key} for key in keys]},
    }).encode()


async def serve_connection(reader, writer, seconds):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
            lower = {name.lower(): value for name, value in fields.items()}
            body = await reader.readexactly(int(lower[b"content-length"]))
            await asyncio.sleep(seconds)
            out = answer(body)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(out) + out)
            await writer.drain()
            if lower.get(b"connection", b"").lower() == b"close":
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(port, cert, key, seconds):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)

    async def serve(reader, writer):
        await serve_connection(reader, writer, seconds)

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=context, backlog=256)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])))
