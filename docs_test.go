package electd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinksInDocumentsLeadSomewhere follows every relative link of every page.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	text, err := exec.Command("git", "ls-files", "*.md").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, page := range strings.Fields(string(text)) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(content), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
			}
		}
	}
}

// TestEveryPageIsFound: every page of docs/ is linked from the README or from a
// page that is, and no two decisions have one number.
func TestEveryPageIsFound(t *testing.T) {
	found := map[string]bool{}
	for pages := []string{"README.md"}; len(pages) > 0; pages = pages[1:] {
		content, err := os.ReadFile(pages[0])
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(content), -1) {
			to := filepath.Join(filepath.Dir(pages[0]), m[1])
			if strings.HasSuffix(to, ".md") && !strings.Contains(m[1], "://") && !found[to] {
				found[to] = true
				pages = append(pages, to)
			}
		}
	}
	all, err := filepath.Glob("docs/*.md")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	for _, page := range all {
		if !found[page] {
			t.Errorf("no link leads to %s", page)
		}
	}
	decisions, err := filepath.Glob("docs/decisions/*.md")
	if err != nil || len(decisions) == 0 {
		t.Fatalf("%d decisions, %v", len(decisions), err)
	}
	numbered := map[string]string{}
	for _, page := range decisions {
		number, _, _ := strings.Cut(filepath.Base(page), "-")
		if other := numbered[number]; other != "" {
			t.Errorf("%s and %s have one number", other, page)
		}
		numbered[number] = page
	}
}

var (
	cited     = regexp.MustCompile(`[Dd]esign ([0-9]+(?:\.[0-9]+)?)`)
	explained = regexp.MustCompile(`(?m)^\| ([0-9.]+) \|`)
)

// TestNumbersInCommentsAreExplained: where a comment names a rule of the design by
// its number, docs/architecture.md says where to read it.
func TestNumbersInCommentsAreExplained(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range explained.FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = true
	}
	text, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, file := range strings.Fields(string(text)) {
		code, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Error(err)
		}
		for _, m := range cited.FindAllStringSubmatch(string(code), -1) {
			if !told[m[1]] {
				t.Errorf("%s names design %s, which docs/architecture.md does not explain", file, m[1])
			}
		}
	}
}

var fuzzes = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// TestFuzzTargetsAreListed: docs/proof.md names every fuzz target, and each has a
// corpus beside it.
func TestFuzzTargetsAreListed(t *testing.T) {
	page, err := os.ReadFile("docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("git", "ls-files", "*_test.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, file := range strings.Fields(string(text)) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fuzzes.FindAllStringSubmatch(string(content), -1) {
			dir, target := filepath.Dir(file), m[1]
			// A row may name the package once, for several targets.
			row := regexp.MustCompile("`" + regexp.QuoteMeta(dir) + "\\.(Fuzz.*`)?" + target + "`")
			if !row.Match(page) {
				t.Errorf("docs/proof.md does not list %s.%s", dir, target)
			}
			if corpus, err := filepath.Glob(filepath.Join(dir, "testdata/fuzz", target, "*")); err != nil || len(corpus) == 0 {
				t.Errorf("%s.%s has no corpus", dir, target)
			}
		}
	}
}
