node { id = "n1" }
arbiter "bully" { bucket = "stands for the voters" }
election "queue" {
  run { command = ["worker"] }
}
