// Package wirepb is the generated form of wire.proto.
package wirepb

//go:generate ./generate.sh
