-- SPDX-License-Identifier: Apache-2.0
-- For wrk: POSTs the review in the file named by REVIEW, as an API server sends it.
--
--     REVIEW=review.json wrk -t1 -c8 -d10s --latency -s review.lua https://127.0.0.1:8443
local file = assert(io.open(assert(os.getenv("REVIEW"), "REVIEW names no file"), "rb"))
wrk.body = file:read("*a")
file:close()
wrk.method = "POST"
wrk.path = "/v1/mutate?timeout=5s"
wrk.headers["User-Agent"] = "kube-apiserver-admission"
wrk.headers["Accept"] = "application/json, */*"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept-Encoding"] = "gzip"
