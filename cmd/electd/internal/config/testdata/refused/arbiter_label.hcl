node { id = "a" }
arbiter "../evil" {
  bucket = "b"
  plugin {
    sha256 = "abc"
    env    = ["A=b", "*", ""]
  }
}
election "orders" {}
