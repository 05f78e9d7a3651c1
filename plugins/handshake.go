package plugins

import (
	"context"
	"errors"
	"strconv"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// handshake is what a host and a plugin must agree on before they speak.
// ProtocolVersion is the major version of electd.arbiter; it changes only when
// an old host could misunderstand a new plugin or the other way round.
var handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  major,
	MagicCookieKey:   "ELECTD_ARBITER_PLUGIN",
	MagicCookieValue: "electd.arbiter",
}

// major is the version of electd.arbiter that is spoken here.
const major = 1

var protocolVersion = strconv.Itoa(major)

// sdk is what plugins built with this package say they are built with.
const sdk = "electd Go plugins v1"

// arbiterPlugin names the one thing a plugin serves, for go-plugin.
const arbiterPlugin = "arbiter"

// boundary is go-plugin's view of the two services. The plugin's side has a
// server, the host's side has none.
type boundary struct {
	goplugin.NetRPCUnsupportedPlugin
	server *server
}

var _ goplugin.GRPCPlugin = boundary{}

// GRPCServer registers the services with the plugin's gRPC server.
func (b boundary) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if b.server == nil {
		return errors.New("this is the host's side")
	}
	b.server.register(s)
	return nil
}

// GRPCClient hands the host the bare connection.
func (boundary) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}
