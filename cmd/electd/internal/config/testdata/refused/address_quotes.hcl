node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen = 10.0.0.1:7400"
}
election "orders" {}
