-- SPDX-License-Identifier: Apache-2.0
-- For wrk: POSTs the review in the file named by REVIEW, as an API server sends it; with
-- RECONNECT set, each on a connection of its own. At the end it prints a line of JSON with
-- what wrk's own output lacks or rounds.
--
--     REVIEW=review.json wrk -t1 -c8 -d10s -s review.lua https://127.0.0.1:8443
local file = assert(io.open(assert(os.getenv("REVIEW"), "REVIEW names no file"), "rb"))
wrk.body = file:read("*a")
file:close()
wrk.method = "POST"
wrk.path = "/v1/mutate?timeout=5s"
wrk.headers["User-Agent"] = "kube-apiserver-admission"
wrk.headers["Accept"] = "application/json, */*"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept-Encoding"] = "gzip"
if os.getenv("RECONNECT") then
  wrk.headers["Connection"] = "close"
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'figures {"requests":%d,"us":%d,"p50_us":%d,"p99_us":%d,"p999_us":%d,'
      .. '"errors":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9), errors.connect, errors.read, errors.write, errors.timeout,
    errors.status))
end
