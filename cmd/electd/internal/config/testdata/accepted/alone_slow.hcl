# The arbiter alone decides, for a program that takes its time to stop.
node { id = "cron-1" }
arbiter "s3" { bucket = "acme-ha" }
election "nightly" {
  arbiter_lease = "30s"
  fence_margin  = "3s"
  run {
    command      = ["worker"]
    stop_timeout = "2500ms"
  }
}
election "short" {
  arbiter_lease   = "1s"
  fence_margin    = "200ms"
  arbiter_timeout = "200ms"
}
