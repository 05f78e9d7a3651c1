node { id = env("NO_SUCH_VARIABLE") }
arbiter "s3" {
  bucket = "b"
}
plugin_dir = file("no-such-file")
election "orders" {
  priority = upper("x")
  run { command = [worker] }
}
log { level = debug }
