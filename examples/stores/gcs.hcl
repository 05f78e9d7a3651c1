# Google Cloud Storage, by its own API: its S3 API ignores the condition of writes.
# Credentials are the application default ones: those of the machine or the pod, or
# of GOOGLE_APPLICATION_CREDENTIALS. The account needs "Storage Object User" on the
# bucket.
node {
  id       = "db-a"
  data_dir = "/var/lib/electd"
}

arbiter "gcs" {
  bucket = "acme-ha"
  prefix = "prod"
}

election "orders" {}
