/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_status.h - the status codes that are used here (RFC 9110 section 15).
 */
#ifndef FX_NET_HTTP_STATUS_H
#define FX_NET_HTTP_STATUS_H

#define FX_HTTP_STATUSES(X)                   \
    X(200, "OK")                              \
    X(201, "Created")                         \
    X(202, "Accepted")                        \
    X(204, "No Content")                      \
    X(301, "Moved Permanently")               \
    X(302, "Found")                           \
    X(304, "Not Modified")                    \
    X(400, "Bad Request")                     \
    X(401, "Unauthorized")                    \
    X(403, "Forbidden")                       \
    X(404, "Not Found")                       \
    X(405, "Method Not Allowed")              \
    X(406, "Not Acceptable")                  \
    X(408, "Request Timeout")                 \
    X(409, "Conflict")                        \
    X(411, "Length Required")                 \
    X(413, "Content Too Large")               \
    X(414, "URI Too Long")                    \
    X(415, "Unsupported Media Type")          \
    X(417, "Expectation Failed")              \
    X(422, "Unprocessable Content")           \
    X(429, "Too Many Requests")               \
    X(431, "Request Header Fields Too Large") \
    X(500, "Internal Server Error")           \
    X(501, "Not Implemented")                 \
    X(502, "Bad Gateway")                     \
    X(503, "Service Unavailable")             \
    X(504, "Gateway Timeout")                 \
    X(505, "HTTP Version Not Supported")

/* The reason phrase; "Unknown" for a code that is not on the list. */
const char *fx_http_status_phrase(unsigned status);

#endif
