-- SPDX-License-Identifier: Apache-2.0
-- For wrk: sends the requests of the file that REQUESTS names, by dice. Each line of it is a
-- weight, a path and a file with the body, separated by tabs; a request in a hundred is the
-- last of its connection.
local starts = os.time()
local n_threads = 0
local requests = {}

function setup(thread)
  n_threads = n_threads + 1
  thread:set("seed", starts + n_threads)
end

local function add(weight, path, body)
  local headers = {["Content-Type"] = "application/json"}
  local kept = wrk.format("POST", path, headers, body)
  headers["Connection"] = "close"
  local last = wrk.format("POST", path, headers, body)
  for i = 1, weight do
    requests[#requests + 1] = {kept, last}
  end
end

function init(args)
  math.randomseed(seed)
  local list = assert(os.getenv("REQUESTS"), "REQUESTS names no file")
  for line in io.lines(list) do
    local weight, path, name = line:match("^(%d+)\t([^\t]+)\t(.+)$")
    local file = assert(io.open(name, "rb"))
    add(tonumber(weight), path, file:read("*a"))
    file:close()
  end
end

function request()
  return requests[math.random(#requests)][math.random(100) == 1 and 2 or 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'figures {"requests":%d,"p50_us":%d,"p99_us":%d,"max_us":%d,'
      .. '"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\n',
    summary.requests, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
