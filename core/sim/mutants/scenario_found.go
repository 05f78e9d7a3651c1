package mutants

import (
	"embed"
	"encoding/json"

	"github.com/electd/electd/core/sim"
)

// found are plans that a search came upon, shortened.
//
//go:embed found/*.json
var found embed.FS

// ofFound are stories that a search has told, where it takes many small things at
// once for them to happen.
func ofFound() []Scenario {
	return []Scenario{
		foundByChance("admitted-for-good", "an operator admits two machines; the one that another has led past since takes by his word"),
		foundByChance("released-and-forgotten", "a node takes, releases and crashes before its disk has the epoch, and promises again to the leader before"),
		foundByChance("created-and-forgotten", "a node creates a deleted record anew, names a newcomer and crashes before its disk has the epoch, and promises again to the leader before"),
		staying("founders-without-answers", "two nodes cannot reach each other, and the store fails under the creates of both"),
		staying("stuck-create", "a create is open beside a record that is there after all, and its leader renews it again and again"),
		foundByChance("full-disk-unknown-peer", "a node takes, its disk does not take the epoch, and it has not heard who its peer is"),
	}
}

// draws is how often a plan is run. It kills by what is drawn in it, and one message
// more in the core draws otherwise.
const draws = 10

// staying is a story in which nobody takes from another one.
func staying(name, about string) Scenario {
	s := foundByChance(name, about)
	s.Stays = true
	return s
}

func foundByChance(name, about string) Scenario {
	text, err := found.ReadFile("found/" + name + ".json")
	if err != nil {
		panic(err)
	}
	var p sim.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		panic(name + ": " + err.Error())
	}
	s := Scenario{Name: name, About: about}
	for range draws {
		s.Plans = append(s.Plans, p)
		p.Seed++
	}
	return s
}
