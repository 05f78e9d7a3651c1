// Package plugins is the process boundary between electd and its arbiters
// (design 7): what an author calls to serve an arbiter from a process of its
// own, and what a host calls to launch one, supervise it and use it as a
// core.Arbiter.
//
// An author writes a main function that calls Serve with a Plugin. A host calls
// Launch, looks at the plugin's Schema, hands over Values with Configure and
// then uses Arbiter. The wire protocol is electd.arbiter.v1, in proto/.
package plugins
