node { id = "a" }
arbiter "s3" { bucket = "b" }
election "orders" {}
election "fast" { arbiter_lease = "4s" }
watchdog { timeout = "5s" }
