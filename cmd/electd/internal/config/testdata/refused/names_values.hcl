node { id = "a b" }
arbiter "s3" { bucket = "b" }
election "a/b" {}
election "orders" {}
election "Orders" {}
election "nodes.json" {}
election "" {}
