node {
  id       = "a"
  data_dir = "/a/very/long/path/that/nobody/would/type/by/hand/but/that/some/build/systems/make/anyway/all/the/time"
}
arbiter "s3" { bucket = "b" }
election "orders" {}
api {
  token_file = "token"
  status_code {
    leader = 100
  }
}
watchdog { timeout = "1500ms" }
telemetry { endpoint = "127.0.0.1:4318" }
