package plugins_test

import (
	"strings"
	"testing"

	"github.com/electd/electd/plugins"
)

// A new plugin with tighter limits does not take over: what runs was judged by the
// old one's.
func TestTighterLimitsDoNotTakeOver(t *testing.T) {
	for _, mode := range []string{"slower", "smaller"} {
		spec, _ := specFor(t, "memory")
		h := launch(t, spec, plugins.Values{"label": "x"})
		before := h.Capabilities()
		next, _ := specFor(t, mode)
		err := h.Reload(t.Context(), next, plugins.Values{"label": "x"})
		if err == nil || !strings.Contains(err.Error(), "can do less than the old one") {
			t.Errorf("%s: %v, want that it can do less", mode, err)
		}
		if h.Capabilities() != before {
			t.Errorf("%s: the limits are now %+v", mode, h.Capabilities())
		}
		if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
			t.Errorf("%s: the old one does not go on: %v", mode, err)
		}
	}
}
