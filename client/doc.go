// Package client is the Go client of the electd daemon's API (design 8.4): what
// the daemon says of its elections, and the requests an operator can make.
package client
