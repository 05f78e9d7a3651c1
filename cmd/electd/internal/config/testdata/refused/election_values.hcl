node { id = "a" }
arbiter "s3" { bucket = "b" }
election "orders" {
  run {
    command = []
    env     = { ELECTD_EPOCH = "1", "A=B" = "c" }
    restart_limit = -1
    restart_delay = "2m"
  }
  hook "promote" { command = [""] }
  hook "demote" {
    command = ["x"]
    timeout = "0s"
  }
  health {
    command  = ["true"]
    http     = "http://127.0.0.1/"
    interval = "1ms"
    failures = 0
  }
}
election "invoices" {
  health {}
}
election "letters" {
  health { http = "127.0.0.1:8080" }
}
