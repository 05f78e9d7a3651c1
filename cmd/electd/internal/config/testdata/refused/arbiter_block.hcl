node { id = "a" }
arbiter "s3" {
  bucket = null
  tls "again" { ca_file = "x" }
  secret_key = "s3cr3t"
}
election "orders" {}
