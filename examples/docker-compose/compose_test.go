// Package compose_test holds the compose file together: the configurations that
// it mounts are valid for electd, and what they name is there. A pair of these
// two nodes is run, with the real store, where examples/pair is.
package compose_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/electd/electd/internal/build"
)

// programs is the folder with electd.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, build.Electd))
}

type service struct {
	Image, User string
	Command     []string
	Volumes     []string
	DependsOn   map[string]any `yaml:"depends_on"`
}

func services(t *testing.T) (all map[string]service, volumes map[string]any) {
	t.Helper()
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]service
		Volumes  map[string]any
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Services, file.Volumes
}

var dialled = regexp.MustCompile(`(?:address|endpoint)\s*= "(?:http://)?([^"]+)"`)

// Every node's configuration is valid, and dials services that there are.
func TestConfigurationsAreValid(t *testing.T) {
	all, _ := services(t)
	for _, name := range []string{"db-a", "db-b"} {
		node, ok := all[name]
		if !ok || !slices.Equal(node.Command, []string{"run", "--config", "/etc/electd/electd.hcl"}) {
			t.Fatalf("service %s runs %q", name, node.Command)
		}
		if out, err := exec.Command(filepath.Join(programs, "electd"), "validate", "--elsewhere", "--config", name+".hcl").CombinedOutput(); err != nil {
			t.Errorf("electd validate %s.hcl: %v\n%s", name, err, out)
		}
		text, err := os.ReadFile(name + ".hcl")
		if err != nil {
			t.Fatal(err)
		}
		found := dialled.FindAllStringSubmatch(string(text), -1)
		if len(found) != 2 {
			t.Fatalf("%s.hcl dials %q, want the store and the other node", name, found)
		}
		for _, address := range found {
			host, _, err := net.SplitHostPort(address[1])
			if _, ok := all[host]; err != nil || !ok {
				t.Errorf("%s.hcl dials %s, and there is no such service", name, address[1])
			}
		}
	}
}

// What is mounted is there: files beside the compose file, or volumes of it.
func TestMountsAreThere(t *testing.T) {
	all, volumes := services(t)
	for name, s := range all {
		for _, mount := range s.Volumes {
			from, _, _ := strings.Cut(mount, ":")
			if path, local := strings.CutPrefix(from, "./"); local {
				if _, err := os.Stat(path); err != nil {
					t.Errorf("service %s mounts %s: %v", name, from, err)
				}
			} else if _, ok := volumes[from]; !ok {
				t.Errorf("service %s mounts %s, which is no volume", name, from)
			}
		}
		for other := range s.DependsOn {
			if _, ok := all[other]; !ok {
				t.Errorf("service %s waits for %s, which there is not", name, other)
			}
		}
	}
}

// The image is built from what is in the repository.
func TestDockerfileBuildsWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindSubmatch(module)
	if version == nil || !strings.Contains(string(text), "FROM golang:"+string(version[1])) {
		t.Errorf("the image is not built with the Go that go.mod asks for, %s", version)
	}
	if _, err := os.Stat(filepath.Join("..", "..", "cmd", "electd", "main.go")); err != nil {
		t.Error(err)
	}
}
