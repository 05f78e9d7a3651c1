// Package kubernetes_test holds the manifest together: the configurations in it
// are valid for electd, and what they name is what the manifest has.
package kubernetes_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// object is of a Kubernetes object what is looked at here.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas    int
		ServiceName string `yaml:"serviceName"`
		Selector    any
		Template    struct {
			Metadata struct{ Labels map[string]string }
			Spec     pod
		}
	}
}

type pod struct {
	InitContainers []container `yaml:"initContainers"`
	Containers     []container
	Volumes        []struct {
		Name      string
		ConfigMap struct{ Name string } `yaml:"configMap"`
	}
}

type container struct {
	Name          string
	RestartPolicy string `yaml:"restartPolicy"`
	Args          []string
	Ports         []struct {
		ContainerPort int `yaml:"containerPort"`
	}
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

func objects(t *testing.T) []object {
	t.Helper()
	file, err := os.Open("electd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []object
	for d := yaml.NewDecoder(file); ; {
		var o object
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, o)
	}
}

func find(t *testing.T, kind, name string) object {
	t.Helper()
	for _, o := range objects(t) {
		if o.Kind == kind && o.Metadata.Name == name {
			return o
		}
	}
	t.Fatalf("there is no %s %q", kind, name)
	return object{}
}

// Every pod of the StatefulSet has a configuration that electd takes, under the
// name that its arguments give.
func TestConfigurationsAreValid(t *testing.T) {
	set, config := find(t, "StatefulSet", "orders"), find(t, "ConfigMap", "orders-electd")
	sidecar := set.Spec.Template.Spec.InitContainers[0]
	if sidecar.Name != "electd" || sidecar.RestartPolicy != "Always" {
		t.Fatalf("the first container %q with restart policy %q is no sidecar", sidecar.Name, sidecar.RestartPolicy)
	}
	if len(config.Data) != set.Spec.Replicas {
		t.Errorf("%d configurations for %d pods", len(config.Data), set.Spec.Replicas)
	}
	folder := t.TempDir()
	for i := range set.Spec.Replicas {
		pod := fmt.Sprintf("%s-%d", set.Metadata.Name, i)
		path := strings.ReplaceAll(sidecar.Args[len(sidecar.Args)-1], "$(POD_NAME)", pod)
		text, ok := config.Data[filepath.Base(path)]
		if !ok {
			t.Fatalf("there is no %s in the ConfigMap", filepath.Base(path))
		}
		local := filepath.Join(folder, filepath.Base(path))
		if err := os.WriteFile(local, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(filepath.Join(programs, "electd"), "validate", "--elsewhere", "--config", local).CombinedOutput(); err != nil {
			t.Errorf("electd validate %s: %v\n%s", local, err, out)
		}
		for _, want := range []string{
			fmt.Sprintf("id       = %q", pod), `identity = "node-id"`,
			fmt.Sprintf(`advertise = "%s.%s:7400"`, pod, set.Spec.ServiceName),
			fmt.Sprintf(`cert_file = "/tls/%s.pem"`, pod),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the configuration of %s lacks %s", pod, want)
			}
		}
	}
}

// What the configurations name is there: services, ports and folders.
func TestManifestHasWhatTheConfigurationsName(t *testing.T) {
	set := find(t, "StatefulSet", "orders")
	find(t, "Service", set.Spec.ServiceName)
	spec := set.Spec.Template.Spec
	sidecar := spec.InitContainers[0]
	var ports []int
	for _, p := range sidecar.Ports {
		ports = append(ports, p.ContainerPort)
	}
	if !slices.Equal(ports, []int{7400, 7401}) {
		t.Errorf("the sidecar's ports are %v", ports)
	}
	var volumes []string
	for _, v := range spec.Volumes {
		volumes = append(volumes, v.Name)
		if v.ConfigMap.Name != "" {
			find(t, "ConfigMap", v.ConfigMap.Name)
		}
	}
	var folders []string
	for _, c := range append(slices.Clone(spec.InitContainers), spec.Containers...) {
		for _, m := range c.VolumeMounts {
			folders = append(folders, m.MountPath)
			if !slices.Contains(volumes, m.Name) {
				t.Errorf("container %s mounts %s, which is no volume", c.Name, m.Name)
			}
		}
	}
	for _, want := range []string{"/etc/electd", "/tls", "/var/lib/electd", "/run/electd"} {
		if !slices.Contains(folders, want) {
			t.Errorf("nothing is mounted at %s", want)
		}
	}
}
