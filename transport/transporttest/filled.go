package transporttest

import (
	"fmt"
	"reflect"

	"github.com/electd/electd/core"
)

// filled returns a message from node a with every field set to something of
// its own, also those that a later version adds.
func filled(kind core.MessageKind) core.Message {
	var m core.Message
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(fmt.Sprintf("%s of %d", v.Type().Field(i).Name, kind))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(1000*i) + int64(kind))
		case reflect.Uint8, reflect.Uint64:
			f.SetUint(uint64(100 + i))
		default:
			panic("core.Message has a field of a kind not known here: " + v.Type().Field(i).Name)
		}
	}
	m.Kind, m.Election, m.Node = kind, "e", "a"
	return m
}
