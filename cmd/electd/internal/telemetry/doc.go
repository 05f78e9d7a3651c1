// Package telemetry exports what happens between one leader and the next as
// OpenTelemetry traces, by OTLP over HTTP.
//
// One failover is one trace, on whichever nodes it happens. Nothing travels
// between them for it: the trace's id, and that of its root span, follow from the
// election's name and the epoch that ends, which all of them know. The node that
// leads next exports the root, which lasts until its guard opens; every node
// exports what it did meanwhile, below that root.
package telemetry
