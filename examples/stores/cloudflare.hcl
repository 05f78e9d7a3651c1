# Cloudflare R2. The endpoint has the account in it, the region is always "auto".
# Make a token that may read and write objects of this bucket alone.
node {
  id       = "db-a"
  data_dir = "/var/lib/electd"
}

arbiter "s3" {
  endpoint          = "https://0123456789abcdef0123456789abcdef.r2.cloudflarestorage.com"
  bucket            = "acme-ha"
  prefix            = "prod"
  region            = "auto"
  access_key_id     = env("STORE_KEY_ID")
  secret_access_key = env("STORE_SECRET")
}

election "orders" {}
