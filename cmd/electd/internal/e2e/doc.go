// Package e2e tests electd as its users have it: real processes, a real S3
// server, real signals, and a resource that takes down every attempt to write
// to it.
package e2e
