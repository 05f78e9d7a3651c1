package config

// price is what a store's operator asks for requests, in US dollars for 1,000.
type price struct {
	write, read float64
	source      string
}

// prices are list prices by arbiter, as published in 2025. Other stores ask
// nothing for a request.
var prices = map[string]price{
	"s3":  {write: 0.005, read: 0.0004, source: "list price of Amazon S3 Standard, us-east-1, as of 2025: $0.005 for 1,000 PUT, $0.0004 for 1,000 GET"},
	"gcs": {write: 0.005, read: 0.0004, source: "list price of Google Cloud Storage Standard, one region, as of 2025: $0.005 for 1,000 class A, $0.0004 for 1,000 class B operations"},
}

// monthHours is an average month's.
const monthHours = 730

// price returns what this configuration's store asks, as far as it is known: a
// store at an endpoint of its own asks its own prices.
func (c *Config) price() price {
	if c.undecoded.values["endpoint"] != nil {
		return price{}
	}
	return prices[c.Arbiter.Name]
}

// apply fills in what a load costs; nothing if no price is known.
func (p price) apply(l *Requests) {
	if p.source == "" {
		return
	}
	hour := (l.Writes*p.write + l.Reads*p.read) / 1000
	month := hour * monthHours
	l.DollarsHour, l.DollarsMonth = &hour, &month
}
