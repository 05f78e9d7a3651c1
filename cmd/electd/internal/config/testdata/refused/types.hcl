node {
  id       = ["a"]
  data_dir = "a\u0000b"
  identity = "nodeid"
}
arbiter "s3" { bucket = "b" }
election "orders" {
  arbiter_lease   = 30
  heartbeat_lease = "soon"
  fence_margin    = "-1s"
  priority        = "high"
  max_rate_error  = true
  run {
    command = "./worker"
    env     = { A = ["b"] }
  }
}
