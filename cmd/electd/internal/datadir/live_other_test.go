//go:build !linux

package datadir

import "errors"

func childLive(string) error { return errors.New("only on Linux") }
