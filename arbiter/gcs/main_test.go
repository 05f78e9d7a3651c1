package gcs_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/plugins/electd-arbiter-gcs/gcsplugin"
)

// asPlugin makes the test binary the plugin process of TestConformanceAsPlugin.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		gcsplugin.Plugin.Serve()
		return
	}
	goleak.VerifyTestMain(m)
}
