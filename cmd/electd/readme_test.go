package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are the pages whose commands newcomers copy.
var documents = []string{"README.md", "docs/demo.md", "examples/pair/README.md", "examples/exec/README.md"}

var comment = regexp.MustCompile(`\s+#.*`)

// commands are the lines of a page's blocks without a language.
func commands(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	const outside, inside, other = 0, 1, 2
	where := outside
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && where != outside:
			where = outside
		case fence && language == "":
			where = inside
		case fence:
			where = other
		case where == inside:
			out = append(out, comment.ReplaceAllString(line, ""))
		}
	}
	return out
}

// TestCommandsInDocuments: what the pages say to type exists, and takes what it
// is given.
func TestCommandsInDocuments(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, page := range documents {
		for _, line := range commands(t, page) {
			words := strings.Fields(strings.TrimPrefix(line, "./"))
			if len(words) == 0 {
				continue
			}
			seen[words[0]]++
			switch words[0] {
			case "electd":
				accept(t, page, line, words[1:])
			case "make":
				if !strings.Contains(string(makefile), "\n"+words[1]+":") {
					t.Errorf("%s: %s: there is no such target", page, line)
				}
			case "go":
				packages := words[len(words)-1]
				if words[1] == "run" {
					packages = words[2]
					accept(t, page, line, words[3:])
				}
				if packages != "./cmd/electd" {
					t.Errorf("%s: %s: nobody tests that", page, line)
				}
			case "install":
				if _, err := os.Stat(filepath.Join("../..", words[1])); err != nil {
					t.Errorf("%s: %s: %v", page, line, err)
				}
			}
		}
	}
	if seen["electd"] < 10 || seen["make"] < 3 || seen["go"] < 4 {
		t.Errorf("found only %v", seen)
	}
}

// accept fails the test unless electd takes these arguments.
func accept(t *testing.T, page, line string, args []string) {
	t.Helper()
	command, rest, err := rootCommand(streams{}).Find(args)
	if err != nil || !command.Runnable() || command.HasSubCommands() {
		t.Errorf("%s: %s: there is no such command: %v", page, line, err)
		return
	}
	if err := command.ParseFlags(rest); err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
	} else if err := command.ValidateArgs(command.Flags().Args()); err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
	}
}

// TestReadmeRuns runs what the README says and one machine can: make
// certificates, validate the pair's configuration, run one command.
func TestReadmeRuns(t *testing.T) {
	folder, err := os.MkdirTemp("", "r-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindSubmatch(readme)
	if pair == nil {
		t.Fatal("the README has no configuration")
	}
	config := filepath.Join(folder, "electd.hcl")
	here := strings.NewReplacer("/etc/electd/", filepath.Join(folder, "tls")+"/", "/var/lib/electd", filepath.Join(folder, "data"))
	if err := os.WriteFile(config, []byte(here.Replace(string(pair[1]))), 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, line := range commands(t, "README.md") {
		args, ok := strings.CutPrefix(strings.TrimPrefix(line, "./"), "electd ")
		if !ok {
			continue
		}
		words := strings.Fields(strings.NewReplacer("./tls", filepath.Join(folder, "tls"), "/tmp/electd-nightly", filepath.Join(folder, "lease")).Replace(args))
		switch words[0] {
		case "exec":
			words = append(words, filepath.Join(folder, "log"))
		case "validate":
			words = append(words, "--config", config)
		case "tls":
		default:
			continue // needs the other machine
		}
		command := exec.Command(electd(), words...)
		command.Dir = "../.."
		command.Env = append(os.Environ(), "NIGHTLY_SECONDS=0.1", "XDG_STATE_HOME="+filepath.Join(folder, "state"))
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		ran++
	}
	if ran != 3 {
		t.Errorf("%d commands ran, want 3", ran)
	}
}

// TestLinksInDocuments: links between pages lead somewhere.
func TestLinksInDocuments(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`)
	for _, page := range documents {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}
