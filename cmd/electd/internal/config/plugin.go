package config

// WithPlugin returns c, but with next's plugin block and with next's lines to
// show where something is wrong. Forget drops these.
func (c *Config) WithPlugin(next *Config) *Config {
	out := *c
	out.source = next.source
	out.undecoded = c.undecoded
	out.Arbiter.Plugin = next.Arbiter.Plugin
	return &out
}
