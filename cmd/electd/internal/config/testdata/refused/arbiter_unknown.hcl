node { id = "a" }
arbiter "s3" {
  bucket = "b"
  plugin "x" { paht = "x" }
}
election "orders" {}
