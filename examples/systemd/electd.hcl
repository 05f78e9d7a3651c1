# /etc/electd/electd.hcl on db-a; on db-b the two nodes change places.
node {
  id = "db-a"
}
arbiter "s3" {
  bucket = "acme-ha"
  region = "eu-west-1"
}
transport {
  listen = "10.0.0.1:7400"
  peer "db-b" {
    address = "10.0.0.2:7400"
  }
  tls {
    ca_file   = "/etc/electd/ca.pem"
    cert_file = "/etc/electd/db-a.pem"
    key_file  = "/etc/electd/db-a.key"
  }
}
election "orders" {
  run {
    command = ["/usr/local/bin/orders-worker"]
  }
}
# The machine resets itself if the program cannot be stopped in time.
watchdog {
  device = "/dev/watchdog"
}
log {
  format = "json" # the journal has the time already
}
