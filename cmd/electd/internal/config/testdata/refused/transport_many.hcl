node { id = "a" }
arbiter "s3" { bucket = "b" }
transport {
  listen   = "127.0.0.1:7400"
  insecure = true
  peer "p1" { address = "127.0.0.1:7401" }
  peer "p2" { address = "127.0.0.1:7402" }
  peer "p3" { address = "127.0.0.1:7403" }
  peer "p4" { address = "127.0.0.1:7404" }
  peer "p5" { address = "127.0.0.1:7405" }
  peer "p6" { address = "127.0.0.1:7406" }
  peer "p7" { address = "127.0.0.1:7407" }
  peer "p8" { address = "127.0.0.1:7408" }
  peer "p9" { address = "127.0.0.1:7409" }
}
election "orders" {}
