package config

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// trailing is the padding of a table's last column.
var trailing = regexp.MustCompile(` +\n`)

// Write prints the consequences as tables for people.
func (c Consequences) Write(w io.Writer) error {
	var b strings.Builder
	for i, e := range c.Elections {
		if i > 0 {
			b.WriteByte('\n')
		}
		c.election(&b, e)
	}
	if c.Prices != "" {
		fmt.Fprintf(&b, "\nCosts are at the %s.\n", c.Prices)
	}
	_, err := io.WriteString(w, trailing.ReplaceAllString(b.String(), "\n"))
	return err
}

func (c Consequences) election(b *strings.Builder, e ElectionConsequence) {
	fmt.Fprintf(b, "election %q, arbiter %q, %s\n", e.Election, c.Arbiter, c.mode())
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  next leader after\twaits at most\twith slow requests\t\n")
	for _, f := range e.Failovers {
		fmt.Fprintf(t, "    %s\t%s\t%s\t%s\n", f.After, ms(f.WaitMS), ms(f.WorstMS), f.Why)
	}
	t.Flush()
	if e.PromoteMS > 0 {
		fmt.Fprintf(b, "    then the promote hook, %s at most\n", ms(e.PromoteMS))
	}
	t = tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  requests an hour\twrites\treads\t\n")
	fmt.Fprintf(t, "    healthy\t%s\n", e.Healthy)
	if c.Peers > 0 {
		fmt.Fprintf(t, "    every peer silent\t%s\n", e.Degraded)
	}
	t.Flush()
	if c.Peers == 0 {
		fmt.Fprintf(b, "    reads are for each node that does not lead\n")
	}
	fmt.Fprintf(b, "  clock-rate error: %s %% allowed for, up to %s %% tolerated\n", percent(e.RateError), percent(e.RateAllowed))
}

func (c Consequences) mode() string {
	switch c.Peers {
	case 0:
		return "no peers: the arbiter alone decides"
	case 1:
		return "heartbeats with 1 peer"
	}
	return fmt.Sprintf("heartbeats with %d peers", c.Peers)
}

// String returns requests as cells of a table.
func (l Requests) String() string {
	text := fmt.Sprintf("%.0f\t%.0f\t", l.Writes, l.Reads)
	if l.DollarsHour != nil {
		text += fmt.Sprintf("$%s an hour, $%.2f a month", strconv.FormatFloat(*l.DollarsHour, 'g', 2, 64), *l.DollarsMonth)
	}
	return text
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// percent shows a fraction in percent with three significant digits.
func percent(fraction float64) string { return strconv.FormatFloat(100*fraction, 'g', 3, 64) }
