node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen   = "10.0.0.1"
  insecure = true
  peer "a" { address = "10.0.0.2:7400" }
  peer "b" { address = "127.0.0.1:0" }
  peer "c" { address = ":7400" }
  peer "d" { address = "d.example:http" }
}
election "orders" {}
