# versitygw: an S3 gateway to a folder, for a server or a NAS that you have anyway.
#   ROOT_ACCESS_KEY=… ROOT_SECRET_KEY=… versitygw --port :7070 posix /srv/leases
# Each folder in /srv/leases is a bucket; make acme-ha. The gateway is one machine:
# while it is away leaders stay, and no new one is elected.
node {
  id       = "db-a"
  data_dir = "/var/lib/electd"
}

arbiter "s3" {
  endpoint          = "http://10.0.0.9:7070" # https:// and tls_ca_file where others share the network
  bucket            = "acme-ha"
  prefix            = "prod"
  region            = "us-east-1"
  access_key_id     = env("STORE_KEY_ID")
  secret_access_key = env("STORE_SECRET")
}

election "orders" {}
