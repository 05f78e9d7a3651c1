package api

import "github.com/prometheus/client_golang/prometheus"

// figure describes one metric, for the documentation.
type figure struct {
	name, kind, help string
	labels           []string
}

// figures makes metrics and remembers what was made.
type figures struct {
	registry *prometheus.Registry
	all      []figure
}

func (f *figures) add(name, kind, help string, labels []string) {
	f.all = append(f.all, figure{name, kind, help, labels})
}

func (f *figures) counter(name, help string, labels ...string) *prometheus.CounterVec {
	f.add(name, "counter", help, labels)
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	f.registry.MustRegister(v)
	return v
}

func (f *figures) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	f.add(name, "gauge", help, labels)
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	f.registry.MustRegister(v)
	return v
}

func (f *figures) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	f.add(name, "histogram", help, labels)
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	f.registry.MustRegister(v)
	return v
}

// described is a metric whose values are found out when somebody asks.
func (f *figures) described(name, kind, help string, labels ...string) *prometheus.Desc {
	f.add(name, kind, help, labels)
	return prometheus.NewDesc(name, help, labels, nil)
}
