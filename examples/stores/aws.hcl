# Amazon S3. Credentials come from the standard chain: here from the role of the
# instance, the task or the pod. docs/arbiter-s3.md has the policy that it needs.
node {
  id       = "db-a"
  data_dir = "/var/lib/electd"
}

arbiter "s3" {
  bucket = "acme-ha"
  prefix = "prod"
  region = "eu-west-1"
  # role_arn = "arn:aws:iam::111122223333:role/electd" # a role in another account
  # sse      = "aws:kms"                               # if the bucket has no default
}

election "orders" {}
