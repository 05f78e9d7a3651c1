package gcs_test

// exceptions are the checks of the conformance kit that a server cannot pass for
// a reason of its own, with that reason. The arbiter is the same for all.
var exceptions = map[string]map[string]string{}
