node { id = "a" }
arbiter "s3" {
  bucket     = "b"
  pin        = s3cr3t
  secret_key = s3cr3t
  tls {
    ca_file = "ca.pem"
    phrase  = s3cr3t
  }
}
election "orders" {}
