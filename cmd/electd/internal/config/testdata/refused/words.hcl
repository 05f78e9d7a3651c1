node {
  id       = "a"
  identity = "nodeid"
}
arbiter "s3" {
  bucket = "b"
  probe  = "never"
}
election "orders" {
  clock_check = "fance"
  run {
    command     = ["worker"]
    restart     = "sometimes"
    stop_signal = "TERM"
  }
  hook "promoted" { command = ["x"] }
}
log { level = "information" }
watchdog { on_overrun = "explode" }
