# The arbiter alone decides, with every default.
node { id = "cron-1" }
arbiter "s3" { bucket = "acme-ha" }
election "nightly" {}
