// Package proto holds the wire protocol between electd and its arbiter plugins
// and a frozen copy of its first version, against which a test compares every
// later one.
//
// After a change to a .proto file, run go generate ./plugins/proto. It needs
// Debian's protobuf-compiler and installs the pinned generators by itself.
package proto

//go:generate ./generate.sh
