node { id = "a b" }
arbiter "s3" { bucket = "b" }
election "a/b" {}
election "orders" {}
election "Orders" {}
election "orders" {}
election "nodes.json" {}
election "" {}
election {}
election "two" "labels" {}
