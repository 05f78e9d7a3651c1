node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen   = "127.0.0.1:7400"
  insecure = true
  peer "b" { address = "127.0.0.1:7402" }
}
election "orders" {}
watchdog { timeout = "2s" }
