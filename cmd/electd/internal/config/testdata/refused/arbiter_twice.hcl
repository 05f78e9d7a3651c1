node { id = "a" }
arbiter "s3" { bucket = "b" }
arbiter "file" { dir = "d" }
arbiter {}
election "orders" {}
