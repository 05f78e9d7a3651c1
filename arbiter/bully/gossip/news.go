package gossip

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/electd/electd/arbiter/bully/register"
)

// Item is one piece of news: in this ballot, this version was decided.
type Item struct {
	Key     string          `json:"k"`
	Ballot  register.Ballot `json:"b"`
	Version string          `json:"v"`
}

// newer reports whether a replaces b, both of one key. Ballots are unique, so the
// version matters only for news that somebody made up: any order will do, as long
// as everybody has the same.
func (a Item) newer(b Item) bool {
	if c := a.Ballot.Compare(b.Ballot); c != 0 {
		return c > 0
	}
	return a.Version > b.Version
}

// Board is the newest item of every key. Merging boards is commutative,
// associative and idempotent: whatever way news takes, and however often and
// late it comes, everybody ends with the same board.
type Board struct {
	items map[string]Item
}

// maxKeys bounds a board: news beyond it is forgotten, which costs a hint.
const maxKeys = 10_000

// Newest returns the newest item of a key.
func (b *Board) Newest(key string) (Item, bool) {
	i, found := b.items[key]
	return i, found
}

// Add takes an item in and reports whether it was news.
func (b *Board) Add(i Item) bool {
	old, known := b.items[i.Key]
	if known && !i.newer(old) || !known && len(b.items) >= maxKeys {
		return false
	}
	if b.items == nil {
		b.items = map[string]Item{}
	}
	b.items[i.Key] = i
	return true
}

// Items returns all items, by key.
func (b *Board) Items() []Item {
	items := make([]Item, 0, len(b.items))
	for _, key := range slices.Sorted(maps.Keys(b.items)) {
		items = append(items, b.items[key])
	}
	return items
}

// encode and decode are the form of news in packets and streams.
func encode(items ...Item) []byte {
	b, err := json.Marshal(items)
	if err != nil {
		panic(err) // strings and integers: cannot fail
	}
	return b
}

func decode(b []byte) ([]Item, error) {
	var items []Item
	err := json.Unmarshal(b, &items)
	return items, err
}
