node { id = "a" }
arbiter "s3" { bucket = "b" }
election "orders" {
  run { command = ["worker"] }
  hook "fence" { command = ["fence"] }
}
