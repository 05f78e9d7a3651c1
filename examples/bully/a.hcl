node {
  id       = "a"
  data_dir = "data/a"
}

# No store: the three nodes decide by their own votes.
arbiter "bully" {
  voters = ["a", "b", "c"] # the same on every node

  vote_listen = "127.0.0.1:7530"
  addresses   = { a = "127.0.0.1:7530", b = "127.0.0.1:7531", c = "127.0.0.1:7532" }

  bind    = "127.0.0.1:7430" # gossip, TCP and UDP
  join    = ["127.0.0.1:7430", "127.0.0.1:7431", "127.0.0.1:7432"]
  profile = "local"

  insecure = true # loopback alone; elsewhere a tls block
}

election "jobs" {
  run {
    command      = ["/bin/sh", "worker.sh"]
    stop_timeout = "300ms"
  }
}
