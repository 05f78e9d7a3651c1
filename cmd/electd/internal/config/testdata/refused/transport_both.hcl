node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen   = "10.0.0.1:7400"
  insecure = true
  tls {
    ca_file   = "ca.pem"
    cert_file = "a.pem"
    key_file  = "a.key"
  }
  peer "b" { address = "10.0.0.2:7400" }
}
election "orders" {}
