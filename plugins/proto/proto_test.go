package proto_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	arbiterv1 "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

const file = "electd/arbiter/v1/arbiter.proto"

// frozen is the protocol as it was released first, made once by
// buf build --exclude-source-info -o frozen/v1.binpb and never made anew.
const frozen = "frozen/v1.binpb"

// buf runs buf in a directory and returns what it said.
func buf(t *testing.T, dir string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.Command(findBuf(t), arguments...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	return string(out), err
}

func findBuf(t *testing.T) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	folder := os.Getenv("ELECTD_TEST_BIN")
	if folder == "" {
		folder = filepath.Join(filepath.Dir(here), "..", "..", ".cache", "bin")
	}
	if path := filepath.Join(folder, "buf"); executable(path) {
		return path
	}
	path, err := exec.LookPath("buf")
	if err == nil {
		return path
	}
	const message = "buf is not installed: run scripts/install-buf.sh"
	if os.Getenv("ELECTD_TEST_NO_SKIP") != "" {
		t.Fatal(message)
	}
	t.Skip("SKIPPED: " + message)
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

func TestProtocolIsWellFormed(t *testing.T) {
	if out, err := buf(t, ".", "lint"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestProtocolOnlyGrows(t *testing.T) {
	if out, err := buf(t, ".", "breaking", "--against", frozen); err != nil {
		t.Errorf("this breaks plugins that are out there: %v\n%s", err, out)
	}
}

// What would break plugins is noticed, and what does not is let through.
func TestBreakageIsNoticed(t *testing.T) {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(frozen)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, old, new string
		breaks         bool
	}{
		{"nothing", "", "", false},
		{"a field more", "  bytes record = 2;", "  bytes record = 2;\n  bytes more = 99;", false},
		{"a field less", "  bytes expected = 2; // empty: create, the key must never have been written\n", "", true},
		{"another number", "bytes record = 3;", "bytes record = 9;", true},
		{"another type", "string key = 1;", "bytes key = 1;", true},
		{"a method less", "  rpc Read(ReadRequest) returns (ReadResponse);", "", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			changed := strings.Replace(string(source), c.old, c.new, 1)
			if c.old != "" && changed == string(source) {
				t.Fatal("the change changes nothing")
			}
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{file: changed, "buf.yaml": readFile(t, "buf.yaml")} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := buf(t, dir, "breaking", "--against", here); (err != nil) != c.breaks {
				t.Errorf("breaks: %v, want %v\n%s", err, c.breaks, out)
			}
		})
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The generated code is that of the .proto file.
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "now.binpb")
	if said, err := buf(t, ".", "build", "--exclude-source-info", "-o", out); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var now descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal([]byte(readFile(t, out)), &now); err != nil {
		t.Fatal(err)
	}
	generated := protodesc.ToFileDescriptorProto(arbiterv1.File_electd_arbiter_v1_arbiter_proto)
	for _, f := range now.GetFile() {
		if f.GetName() != file {
			continue
		}
		f.ProtoReflect().SetUnknown(nil) // buf's own notes
		if !proto.Equal(f, generated) {
			t.Error("run go generate ./plugins/proto")
		}
		return
	}
	t.Errorf("buf knows no %s", file)
}
