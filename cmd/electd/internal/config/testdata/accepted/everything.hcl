plugin_dir = "plugins"
node {
  id       = "db-a"
  data_dir = "state"
  identity = "node-id"
}
arbiter "acme" {
  probe = "skip"
  plugin {
    path     = "./electd-arbiter-acme"
    sha256   = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    env      = ["ACME_*", "DEBUG"]
    insecure = true
  }
  bucket     = "acme-${env("NO_SUCH_VARIABLE", "ha")}"
  path_style = true
  retries    = 3
  skew       = "2s"
  share      = 0.5
  hosts      = ["a", "b"]
  headers    = { "X-A" = "1" }
  pin        = file("pin.txt")
  tls {
    ca_file = "ca.pem"
    phrase  = "s3cr3t"
  }
}
transport {
  listen         = ":7400"
  advertise      = "db-a.example:7400"
  insecure       = true
  force_insecure = true
  peer "db-b" { address = "db-b.example:7400" }
}
election "orders" {
  priority             = 0
  arbiter_timeout      = "3s"
  heartbeat_interval   = "400ms"
  fence_margin         = "900ms"
  heartbeat_lease      = "2s"
  clock_check          = "fence"
  max_rate_error       = 0.001
  scheduling_allowance = "40ms"
  run {
    command        = ["./worker", "--x"]
    dir            = "work"
    env            = { MODE = "active" }
    stop_signal    = "SIGINT"
    stop_timeout   = "500ms"
    kill_allowance = "60ms"
    restart        = "always"
    restart_delay  = "100ms"
    restart_limit  = 2
  }
  hook "fence" {
    command = ["fence"]
    timeout = "100ms"
    env     = { A = "b" }
  }
  health {
    http     = "http://127.0.0.1:8080/healthz"
    interval = "1s"
    timeout  = "500ms"
    failures = 2
    successes = 3
  }
}
election "invoices" {
  health { command = ["true"] }
}
api {
  listen     = "0.0.0.0:7401"
  advertise  = "db-a.example:7401"
  socket     = "electd.sock"
  token_file = "token"
  tls {
    ca_file   = "clients.pem"
    cert_file = "api.pem"
    key_file  = "api.key"
  }
  status_code {
    leader     = 204
    not_leader = 404
  }
}
log {
  level  = "debug"
  format = "json"
}
watchdog {
  device     = "/dev/watchdog1"
  mode       = "required"
  timeout    = "1s"
  on_overrun = "reset"
}
telemetry {
  endpoint   = "http://127.0.0.1:4318"
  deployment = "prod"
}
