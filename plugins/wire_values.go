package plugins

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// types pairs every Type with its name on the wire.
var types = []struct {
	here Type
	wire pb.AttributeType
}{
	{TypeString, pb.AttributeType_ATTRIBUTE_TYPE_STRING},
	{TypeBool, pb.AttributeType_ATTRIBUTE_TYPE_BOOL},
	{TypeInt, pb.AttributeType_ATTRIBUTE_TYPE_INT},
	{TypeFloat, pb.AttributeType_ATTRIBUTE_TYPE_FLOAT},
	{TypeDuration, pb.AttributeType_ATTRIBUTE_TYPE_DURATION},
	{TypeStringList, pb.AttributeType_ATTRIBUTE_TYPE_STRING_LIST},
	{TypeStringMap, pb.AttributeType_ATTRIBUTE_TYPE_STRING_MAP},
	{TypeBlock, pb.AttributeType_ATTRIBUTE_TYPE_BLOCK},
}

func schemaToWire(s Schema) *pb.Schema {
	wire := &pb.Schema{}
	for _, a := range s.Attributes {
		w := &pb.Attribute{
			Name:         a.Name,
			Required:     a.Required,
			DefaultValue: valueToWire(a.Default),
			Sensitive:    a.Sensitive,
			Doc:          a.Doc,
		}
		for _, t := range types {
			if t.here == a.Type {
				w.Type = t.wire
			}
		}
		if a.Block != nil {
			w.Block = schemaToWire(*a.Block)
		}
		wire.Attributes = append(wire.Attributes, w)
	}
	return wire
}

// schemaFromWire refuses a schema that a configuration could not be decoded
// against; depth bounds how far blocks may nest.
func schemaFromWire(wire *pb.Schema, depth int) (Schema, error) {
	var s Schema
	if depth == 0 {
		return s, fmt.Errorf("blocks nest too deep")
	}
	for _, w := range wire.GetAttributes() {
		a, err := attributeFromWire(w, depth)
		if err != nil {
			return s, fmt.Errorf("attribute %q: %w", w.GetName(), err)
		}
		if s.Find(a.Name) != nil {
			return s, fmt.Errorf("attribute %q is there twice", a.Name)
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s, nil
}

func attributeFromWire(w *pb.Attribute, depth int) (Attribute, error) {
	a := Attribute{Name: w.GetName(), Required: w.GetRequired(), Sensitive: w.GetSensitive(), Doc: printable(w.GetDoc())}
	for _, t := range types {
		if t.wire == w.GetType() {
			a.Type = t.here
		}
	}
	if !isAttributeName(a.Name) {
		return a, fmt.Errorf("a name has lower case letters, digits and underscores only")
	}
	if a.Type == 0 {
		return a, fmt.Errorf("type %s is not known", w.GetType())
	}
	if a.Default = valueFromWire(w.GetDefaultValue()); a.Default != nil && typeOf(a.Default) != a.Type {
		return a, fmt.Errorf("the default is not a %s", a.Type)
	}
	if a.Type != TypeBlock {
		return a, nil
	}
	inner, err := schemaFromWire(w.GetBlock(), depth-1)
	a.Block = &inner
	return a, err
}

func valuesToWire(values Values) *pb.Block {
	block := &pb.Block{Attributes: make(map[string]*pb.Value, len(values))}
	for name, value := range values {
		if w := valueToWire(value); w != nil {
			block.Attributes[name] = w
		}
	}
	return block
}

func valuesFromWire(block *pb.Block) Values {
	values := make(Values, len(block.GetAttributes()))
	for name, w := range block.GetAttributes() {
		if value := valueFromWire(w); value != nil {
			values[name] = value
		}
	}
	return values
}

func valueToWire(value any) *pb.Value {
	switch v := value.(type) {
	case string:
		return &pb.Value{Kind: &pb.Value_String_{String_: v}}
	case bool:
		return &pb.Value{Kind: &pb.Value_Bool{Bool: v}}
	case int64:
		return &pb.Value{Kind: &pb.Value_Int{Int: v}}
	case float64:
		return &pb.Value{Kind: &pb.Value_Float{Float: v}}
	case time.Duration:
		return &pb.Value{Kind: &pb.Value_Duration{Duration: durationpb.New(v)}}
	case []string:
		return &pb.Value{Kind: &pb.Value_StringList{StringList: &pb.StringList{Items: v}}}
	case map[string]string:
		return &pb.Value{Kind: &pb.Value_StringMap{StringMap: &pb.StringMap{Items: v}}}
	case Values:
		return &pb.Value{Kind: &pb.Value_Block{Block: valuesToWire(v)}}
	}
	return nil
}

func valueFromWire(w *pb.Value) any {
	switch v := w.GetKind().(type) {
	case *pb.Value_String_:
		return v.String_
	case *pb.Value_Bool:
		return v.Bool
	case *pb.Value_Int:
		return v.Int
	case *pb.Value_Float:
		return v.Float
	case *pb.Value_Duration:
		return v.Duration.AsDuration()
	case *pb.Value_StringList:
		return v.StringList.GetItems()
	case *pb.Value_StringMap:
		return v.StringMap.GetItems()
	case *pb.Value_Block:
		return valuesFromWire(v.Block)
	}
	return nil
}
