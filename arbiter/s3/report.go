package s3

import (
	"context"
	"fmt"
	"time"

	"github.com/electd/electd/core"
)

var _ core.Reporter = (*Arbiter)(nil)

// Report says which credentials are in use and until when. A problem is a renewal
// that failed, or one that brought nothing newer although the end is near.
func (a *Arbiter) Report(context.Context) (core.ArbiterReport, error) {
	r := core.ArbiterReport{Credentials: a.keeper.status()}
	if problem := credentialsProblem(r.Credentials, a.keeper.overdue(time.Now()), time.Now()); problem != "" {
		r.Problems = []string{problem}
	}
	return r, nil
}

// credentialsProblem is what is wrong with the credentials, and what to do;
// empty where all is well.
func credentialsProblem(c core.Credentials, overdue bool, now time.Time) string {
	const advice = "look after their source"
	end := c.Expires.UTC().Format(time.RFC3339)
	switch {
	case c.Problem != "" && c.Source == "":
		return fmt.Sprintf("s3: no credentials are found: %s; see to the standard chain of AWS, a profile, or access_key_id", c.Problem)
	case !c.Expires.IsZero() && !now.Before(c.Expires):
		return fmt.Sprintf("s3: the credentials from %s ended at %s, every request is refused: %s", c.Source, end, reason(c, advice))
	case c.Problem != "":
		return fmt.Sprintf("s3: the credentials from %s could not be renewed: %s", c.Source, reason(c, advice))
	case overdue:
		return fmt.Sprintf("s3: the credentials from %s end at %s, and their source gives no newer ones; %s", c.Source, end, advice)
	}
	return ""
}

func reason(c core.Credentials, advice string) string {
	if c.Problem == "" {
		return advice
	}
	return c.Problem + "; " + advice
}
