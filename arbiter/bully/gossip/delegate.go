package gossip

import (
	"fmt"

	"github.com/hashicorp/memberlist"
)

// delegate is what memberlist calls.
type delegate Members

func (d *delegate) NodeMeta(int) []byte { return d.config.Meta.encode() }

func (d *delegate) NotifyMsg(b []byte) {
	items, err := decode(b)
	if err != nil {
		return // news that cannot be read is no news
	}
	for _, i := range items {
		if (*Members)(d).Spread(i) {
			d.config.Hear.News(i)
		}
	}
}

func (d *delegate) GetBroadcasts(overhead, limit int) [][]byte {
	return d.queue.GetBroadcasts(overhead, limit)
}

func (d *delegate) LocalState(bool) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return encode(d.board.Items()...)
}

func (d *delegate) MergeRemoteState(b []byte, _ bool) { d.NotifyMsg(b) }

func (d *delegate) NotifyJoin(n *memberlist.Node) {
	d.config.Hear.Member(n.Name, decodeMeta(n.Meta))
	select {
	case d.came <- struct{}{}:
	default:
	}
}

func (d *delegate) NotifyUpdate(n *memberlist.Node) { d.NotifyJoin(n) }

func (d *delegate) NotifyLeave(n *memberlist.Node) { d.config.Hear.Gone(n.Name) }

func (d *delegate) NotifyConflict(existing, other *memberlist.Node) {
	d.config.Hear.Happened("gossip-twin "+existing.Name, fmt.Sprintf(
		"node id %q is used at %s and at %s: every node needs its own id", existing.Name, existing.Address(), other.Address()))
}
