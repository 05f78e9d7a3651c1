# The fast profile: three nodes, 50/200/50 ms.
node { id = "a" }
arbiter "file" { bucket = "x" }
transport {
  listen   = "127.0.0.1:7400"
  insecure = true
  peer "b" { address = "127.0.0.1:7402" }
  peer "c" { address = "[::1]:7404" }
}
election "fast" {
  arbiter_lease        = "2s"
  heartbeat_interval   = "50ms"
  heartbeat_lease      = "200ms"
  fence_margin         = "50ms"
  scheduling_allowance = "20ms"
  run {
    command        = ["worker"]
    stop_timeout   = "10ms"
    kill_allowance = "10ms"
  }
}
