node { id = "a" }
arbiter "s3" { bucket = "b" }
election "e" {
  priority = 1e9999999
}
