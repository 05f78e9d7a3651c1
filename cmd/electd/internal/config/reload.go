package config

import "reflect"

// Reloaded returns what a daemon that runs on c runs on once it has read next:
// next, but for what only a restart applies, which stays as it is in c. The
// diagnostics say what of the two does not go together. The arbiter's attributes
// of both must have been decoded.
func (c *Config) Reloaded(next *Config) (*Config, Diagnostics) {
	out := &Config{source: next.source}
	out.undecoded = c.undecoded
	reload(reflect.ValueOf(out).Elem(), reflect.ValueOf(c).Elem(), reflect.ValueOf(next).Elem())
	v := &validator{source: &out.source}
	v.config(out)
	if v.diags.HasErrors() {
		return nil, out.diagnostics(v.diags)
	}
	return out, Diagnostics{}
}

// reload sets out to next, or to old where only a restart applies a change.
func reload(out, old, next reflect.Value) {
	for _, f := range fieldsOf(out.Type()) {
		if f.kind == rest {
			continue
		}
		to, a, b := out.Field(f.index), old.Field(f.index), next.Field(f.index)
		switch {
		case f.restart != "" || f.kind == label:
			to.Set(a)
		case f.kind == block && to.Kind() == reflect.Struct:
			reload(to, a, b)
		case f.kind == block && !a.IsNil() && !b.IsNil():
			to.Set(reflect.New(f.inner()))
			reload(to.Elem(), a.Elem(), b.Elem())
		case f.kind == block && (&differ{}).within(f.inner(), "") != "":
			to.Set(a)
		default:
			to.Set(b)
		}
	}
}

// Forget drops the text that c was read from, and where what stands in it: a
// daemon with a thousand elections need not keep them for its lifetime. What is
// wrong with c is from then on told without lines; c itself stays as it is.
func (c *Config) Forget() {
	c.files, c.where, c.eval = nil, nil, nil
	c.undecoded.body, c.undecoded.own = nil, nil
}
