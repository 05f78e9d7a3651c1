package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	oldSum = "0000000000000000000000000000000000000000000000000000000000000000"
	newSum = "1111111111111111111111111111111111111111111111111111111111111111"
)

// configured is a file whose arbiter block is that, between things that must stay
// as they are.
func configured(t *testing.T, arbiter string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "electd.hcl")
	text := "# ours\nnode {\n  id   =   \"db-a\" // odd, and kept\n}\n" + arbiter + "\nelection \"orders\" {} # one line\n"
	if strings.Contains(arbiter, "id = ") { // the whole file
		text = arbiter
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func text(t *testing.T, path string) string {
	t.Helper()
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestWritePin(t *testing.T) {
	tidy := "node {\n  id = \"db-a\"\n}\narbiter \"acme\" {\n  plugin {\n    path = \"/p\"\n  }\n}\nelection \"orders\" {}\n"
	cases := map[string]struct {
		arbiter, want string
		pin           Pin
		before        string
		line          int
	}{
		"no plugin block": {
			"arbiter \"acme\" {\n  address = \"x\" # where\n  # the end\n}",
			"arbiter \"acme\" {\n  address = \"x\" # where\n  # the end\n  plugin {\n    sha256 = \"NEW\"\n  }\n}",
			Pin{SHA256: newSum}, "", 9,
		},
		"a plugin block without a sum": {
			"arbiter \"acme\" {\n\tplugin { # ours\n\t\tpath = \"/p\"\n\t}\n}",
			"arbiter \"acme\" {\n\tplugin { # ours\n\t\tpath = \"/p\"\n\t\tsha256 = \"NEW\"\n\t}\n}",
			Pin{SHA256: newSum}, "", 8,
		},
		"another sum": {
			"arbiter \"acme\" {\n  plugin {\n    sha256   = \"OLD\" // of 1.2\n    insecure = true\n  }\n}",
			"arbiter \"acme\" {\n  plugin {\n    sha256   = \"NEW\" // of 1.2\n    insecure = true\n  }\n}",
			Pin{SHA256: newSum}, oldSum, 7,
		},
		"no sum at all": {
			"arbiter \"acme\" {\n  plugin {\n    sha256 = \"abc\" # cut off\n  }\n}",
			"arbiter \"acme\" {\n  plugin {\n    sha256 = \"NEW\" # cut off\n  }\n}",
			Pin{SHA256: newSum}, "abc", 7,
		},
		"not even words": {
			"arbiter \"acme\" {\n  plugin {\n    sha256 = 12\n  }\n}",
			"arbiter \"acme\" {\n  plugin {\n    sha256 = \"NEW\"\n  }\n}",
			Pin{SHA256: newSum}, "", 7,
		},
		"a path as well": {
			"arbiter \"acme\" {\n  plugin {\n    sha256 = \"OLD\"\n    path = \"/p\" # old\n  }\n}",
			"arbiter \"acme\" {\n  plugin {\n    sha256 = \"NEW\"\n    path = \"/q\" # old\n  }\n}",
			Pin{Path: "/q", SHA256: newSum}, oldSum, 7,
		},
		"blocks in one line": {
			"arbiter \"acme\" { address = \"x\" }",
			"arbiter \"acme\" {\n  address = \"x\"\n  plugin {\n    path = \"/q\"\n    sha256 = \"NEW\"\n  }\n}",
			Pin{Path: "/q", SHA256: newSum}, "", 9,
		},
		"a plugin block in one line": {
			"arbiter \"acme\" {\n  plugin { path = \"/p\" }\n}",
			"arbiter \"acme\" {\n  plugin {\n    path = \"/p\"\n    sha256 = \"NEW\"\n  }\n}",
			Pin{SHA256: newSum}, "", 8,
		},
		"empty blocks": {
			"arbiter \"acme\" {}", "arbiter \"acme\" {\n  plugin {\n    sha256 = \"NEW\"\n  }\n}", Pin{SHA256: newSum}, "", 7,
		},
		"lines that end as on Windows": {
			"arbiter \"acme\" {\r\n  address = \"x\"\r\n}",
			"arbiter \"acme\" {\r\n  address = \"x\"\r\n  plugin {\r\n    sha256 = \"NEW\"\r\n  }\r\n}",
			Pin{SHA256: newSum}, "", 8,
		},
		"a file that is formatted stays so": {
			tidy, strings.Replace(tidy, "path = \"/p\"", "path   = \"/p\"\n    sha256 = \"NEW\"", 1), Pin{SHA256: newSum}, "", 7,
		},
		"nothing to do": {
			"arbiter \"acme\" {\n  plugin {\n    sha256=\"NEW\"\n  }\n}", "arbiter \"acme\" {\n  plugin {\n    sha256=\"NEW\"\n  }\n}", Pin{SHA256: newSum}, newSum, 7,
		},
	}
	sums := strings.NewReplacer("OLD", oldSum, "NEW", newSum)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := configured(t, sums.Replace(c.arbiter))
			want := strings.Replace(text(t, path), sums.Replace(c.arbiter), sums.Replace(c.want), 1)
			got, err := WritePin(path, c.pin)
			if err != nil {
				t.Fatal(err)
			}
			if (got != Pinned{Changed: c.want != c.arbiter, Before: c.before, Line: c.line}) {
				t.Errorf("it says %+v, want line %d and before %q", got, c.line, c.before)
			}
			if now := text(t, path); now != want {
				t.Errorf("the file is\n%s\nwant\n%s", now, want)
			}
			if line := strings.Split(text(t, path), "\n")[got.Line-1]; !strings.Contains(line, newSum) {
				t.Errorf("line %d is %q, want the one with the sum", got.Line, line)
			}
			again, err := WritePin(path, c.pin)
			if err != nil || (again != Pinned{Before: newSum, Line: c.line}) || text(t, path) != want {
				t.Errorf("done again it says %+v, %v, and the file is\n%s", again, err, text(t, path))
			}
		})
	}
}

// What cannot be pinned is left as it is, and named with its place.
func TestWritePinRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		arbiter string
		pin     Pin
		want    string
	}{
		"a sum from elsewhere": {"arbiter \"acme\" {\n  plugin {\n    sha256 = env(\"SUM\")\n  }\n}", Pin{SHA256: newSum}, "electd.hcl:7: sha256 is not written out there"},
		"no arbiter":           {"", Pin{SHA256: newSum}, "electd.hcl has no arbiter block"},
		"no HCL":               {"arbiter \"acme\" {", Pin{SHA256: newSum}, "electd.hcl:"},
		"a wrong sum":          {"arbiter \"acme\" {}", Pin{SHA256: "1234"}, "is left as it is"},
	} {
		t.Run(name, func(t *testing.T) {
			path := configured(t, c.arbiter)
			before := text(t, path)
			_, err := WritePin(path, c.pin)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
			if now := text(t, path); now != before {
				t.Errorf("the file is now\n%s", now)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
				t.Errorf("%q is left", left)
			}
		})
	}
	if _, err := WritePin(filepath.Join(t.TempDir(), "none.hcl"), Pin{SHA256: newSum}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A link stays one, and the file keeps its mode.
func TestWritePinKeepsWhatTheFileIs(t *testing.T) {
	path := configured(t, "arbiter \"acme\" {}")
	link := filepath.Join(t.TempDir(), "link.hcl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := WritePin(link, Pin{SHA256: newSum}); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != path {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(text(t, path), newSum) {
		t.Errorf("mode %v, %v:\n%s", info.Mode(), err, text(t, path))
	}
}

// A sum that is none keeps nobody from pinning anew; what else is wrong does.
func TestLoadToPin(t *testing.T) {
	for arbiter, right := range map[string]bool{
		`arbiter "acme" {}`: true,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = \"abc\"\n  }\n}":                         true,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = 12\n  }\n}":                              true,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = null\n  }\n}":                            true,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = \"abc\"\n    colour = \"red\"\n  }\n}":   false,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = nowhere.to_be_found\n  }\n}":             false,
		"arbiter \"acme\" {\n  plugin {\n    sha256 = \"abc\"\n    env    = [\"A=B\"]\n  }\n}": false,
	} {
		c, diags := LoadToPin(configured(t, arbiter))
		if diags.HasErrors() == right || (c != nil) != right {
			t.Errorf("%s\nis right: %v, want %v: %v", arbiter, !right, right, diags.Err())
		}
	}
}
