node {
  id = "a
}
arbiter "s3" {
  bucket = "b"
  secret_key = "s3cr3t
}
