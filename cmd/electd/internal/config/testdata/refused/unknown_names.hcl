nodes { id = "a" }
node {
  id      = "a"
  datadir = "/var/lib/electd"
  zebra   = 1
}
arbiter "s3" { bucket = "b" }
election "orders" {
  heartbeat_leese = "2s"
  stop_timeout    = "1s"
  listen          = "x"
  run = { command = ["worker"] }
  priority { }
}
log { levle = "info" }
