node {
  id       = "db-b"
  data_dir = "/var/lib/electd"
}

arbiter "s3" {
  bucket = "acme-ha"
  prefix = "prod"
  region = "eu-west-1"
}

transport {
  listen = "10.0.0.2:7400"
  peer "db-a" {
    address = "10.0.0.1:7400"
  }
  tls {
    ca_file   = "/etc/electd/ca.pem"
    cert_file = "/etc/electd/db-b.pem"
    key_file  = "/etc/electd/db-b.key"
  }
}

election "orders" {
  run {
    command = ["/usr/local/bin/orders-worker"]
  }
}
