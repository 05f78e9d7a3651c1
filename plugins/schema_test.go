package plugins_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

func TestSchemaOfTags(t *testing.T) {
	got, err := plugins.SchemaOf[memoryConfig]()
	if err != nil {
		t.Fatal(err)
	}
	want := plugins.Schema{Attributes: []plugins.Attribute{
		{Name: "label", Type: plugins.TypeString, Required: true, Doc: "Any text."},
		{Name: "secret", Type: plugins.TypeString, Sensitive: true, Doc: "Never shown."},
		{Name: "fail", Type: plugins.TypeString, Doc: "What every call does instead of its work."},
		{Name: "say", Type: plugins.TypeString, Doc: "Printed to standard error when opened."},
		{Name: "count", Type: plugins.TypeInt, Default: int64(3), Doc: "A number."},
		{Name: "ratio", Type: plugins.TypeFloat, Default: 0.5, Doc: "A fraction."},
		{Name: "strict", Type: plugins.TypeBool, Default: true, Doc: "A switch."},
		{Name: "timeout", Type: plugins.TypeDuration, Default: 2 * time.Second, Doc: "A duration."},
		{Name: "hosts", Type: plugins.TypeStringList, Doc: "A list."},
		{Name: "headers", Type: plugins.TypeStringMap, Doc: "A map."},
		{Name: "tls", Type: plugins.TypeBlock, Doc: "A block.", Block: &plugins.Schema{Attributes: []plugins.Attribute{
			{Name: "ca_file", Type: plugins.TypeString, Required: true, Doc: "A file."},
			{Name: "server", Type: plugins.TypeString, Default: "localhost", Doc: "A name."},
		}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestTagsThatMeanNothing(t *testing.T) {
	cases := []struct {
		want   string
		schema func() (plugins.Schema, error)
	}{
		{"want a struct", plugins.SchemaOf[int]},
		{`attribute name "Bucket"`, plugins.SchemaOf[struct {
			A string `electd:"Bucket"`
		}]},
		{`tag option "requried"`, plugins.SchemaOf[struct {
			A string `electd:"a,requried"`
		}]},
		{"none an attribute can have", plugins.SchemaOf[struct {
			A uint16 `electd:"a"`
		}]},
		{"a pointer to a struct", plugins.SchemaOf[struct {
			A struct{} `electd:"a,block"`
		}]},
		{"exclude each other", plugins.SchemaOf[struct {
			A string `electd:"a,required" default:"x"`
		}]},
		{`default "2": `, plugins.SchemaOf[struct {
			A time.Duration `electd:"a" default:"2"`
		}]},
		{"cannot have a default", plugins.SchemaOf[struct {
			A map[string]string `electd:"a" default:"x"`
		}]},
		{"there twice", plugins.SchemaOf[struct {
			A string `electd:"a"`
			B string `electd:"a"`
		}]},
		{"must be exported", plugins.SchemaOf[struct {
			a string `electd:"a"` //lint:ignore U1000 it is there to be refused
		}]},
	}
	for _, c := range cases {
		if _, err := c.schema(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}

// Every kind of value arrives in the configuration struct as it was given.
func TestValuesArriveInTheConfiguration(t *testing.T) {
	values := plugins.Values{
		"label": "l", "secret": "s", "count": int64(-7), "ratio": 1.25, "strict": false,
		"timeout": 3 * time.Hour, "hosts": []string{"a", "b"}, "headers": map[string]string{"k": "v"},
		"tls": plugins.Values{"ca_file": "c"},
	}
	want := memoryConfig{
		Label: "l", Secret: "s", Count: -7, Ratio: 1.25, Strict: false, Timeout: 3 * time.Hour,
		Hosts: []string{"a", "b"}, Headers: map[string]string{"k": "v"},
		TLS: &memoryTLS{CAFile: "c", Server: "localhost"},
	}
	a, _, err := memory.Open(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.(*memoryArbiter).config; !reflect.DeepEqual(got, want) {
		t.Errorf("in this process:\n got %+v\nwant %+v", got, want)
	}
	echo := launchMemory(t, plugins.Values{"fail": "echo", "label": "l", "secret": "s", "count": int64(-7), "ratio": 1.25,
		"strict": false, "timeout": 3 * time.Hour, "hosts": []string{"a", "b"}, "headers": map[string]string{"k": "v"},
		"tls": plugins.Values{"ca_file": "c"}})
	want.Fail = "echo"
	_, err = echo.Arbiter().Read(t.Context(), "k")
	if err == nil || !strings.Contains(err.Error(), want.text()) {
		t.Errorf("through a plugin:\n got %v\nwant %s", err, want.text())
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	a, _, err := memory.Open(t.Context(), plugins.Values{"label": "l", "hosts": nil})
	if err != nil {
		t.Fatal(err)
	}
	want := memoryConfig{Label: "l", Count: 3, Ratio: 0.5, Strict: true, Timeout: 2 * time.Second}
	if got := a.(*memoryArbiter).config; !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestCompleteReportsEveryProblem(t *testing.T) {
	schema, err := plugins.SchemaOf[memoryConfig]()
	if err != nil {
		t.Fatal(err)
	}
	_, err = schema.Complete(plugins.Values{"count": "3", "colour": "red", "tls": plugins.Values{"ca": "x"}})
	var paths []string
	for _, one := range err.(interface{ Unwrap() []error }).Unwrap() {
		for _, fault := range flatten(one) {
			paths = append(paths, fault.Attribute)
		}
	}
	want := []string{"label", "count", "tls.ca_file", "tls.ca", "colour"}
	if !reflect.DeepEqual(paths, want) {
		t.Errorf("faults at %q, want %q", paths, want)
	}
}

func flatten(err error) []*core.AttributeError {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*core.AttributeError
		for _, one := range many.Unwrap() {
			all = append(all, flatten(one)...)
		}
		return all
	}
	var fault *core.AttributeError
	if errors.As(err, &fault) {
		return []*core.AttributeError{fault}
	}
	return nil
}
