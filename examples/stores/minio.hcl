# MinIO and stores like it: a host of your own, the bucket in the path, keys for
# nothing but this.
node {
  id       = "db-a"
  data_dir = "/var/lib/electd"
}

arbiter "s3" {
  endpoint          = "https://minio.example.com:9000"
  bucket            = "acme-ha"
  prefix            = "prod"
  region            = "us-east-1"
  path_style        = true
  access_key_id     = env("STORE_KEY_ID")
  secret_access_key = env("STORE_SECRET")
  # tls_ca_file     = "/etc/electd/store-ca.pem" # if an authority of your own signed its certificate
}

election "orders" {}
