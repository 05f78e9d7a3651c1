node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen   = "127.0.0.1:7400"
  insecure = true
  peer "b" { address = "127.0.0.1:7402" }
}
election "orders" {
  arbiter_lease        = "2h"
  heartbeat_interval   = "1ms"
  heartbeat_lease      = "0s"
  fence_margin         = "0s"
  max_rate_error       = 0
  scheduling_allowance = "0s"
  arbiter_timeout      = "1ms"
  priority             = -1
}
