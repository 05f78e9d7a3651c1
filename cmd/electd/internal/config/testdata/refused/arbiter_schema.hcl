node { id = "a" }
arbiter "s3" {
  bukcet     = "b"
  path_style = "perhaps"
  retries    = 1.5
  skew       = 30
  share      = "much"
  hosts      = "one"
  headers    = ["x"]
  pin        = ["s3cr3t", env("SECRET_IN_ENVIRONMENT")]
  tls {
    phrase = [{ a = "s3cr3t" }]
    cafile = "x"
  }
}
election "orders" {}
