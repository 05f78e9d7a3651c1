node { id = "a" }
arbiter "s3" { bucket = "b" }
election "orders" {
  heartbeat_lease = "1s"
  fence_margin    = "1s"
}
