node {
  id = "db-b"
}
arbiter "s3" {
  bucket     = "leases"
  region     = "us-east-1"
  endpoint   = "http://store:7070"
  path_style = true
}
transport {
  listen    = "0.0.0.0:7400"
  advertise = "db-b:7400"
  peer "db-a" {
    address = "db-a:7400"
  }
  tls {
    ca_file   = "/tls/ca.pem"
    cert_file = "/tls/db-b.pem"
    key_file  = "/tls/db-b.key"
  }
}
election "orders" {
  run {
    command = ["sh", "-c", "while :; do echo epoch $ELECTD_EPOCH: $ELECTD_NODE works; sleep 1; done"]
  }
}
api {
  listen    = "0.0.0.0:7401" # reads only: there is no token
  advertise = "db-b:7401"
}
