package httpstore

import "fmt"

// Failure is the error of a call: its code (core.ErrConflict and so on), what was
// asked of which store, what it answered and what to do.
type Failure struct {
	Code   error  // one of core's codes
	Asked  string // "writing orders/lease.json in bucket acme at …"
	Answer string // what happened, in one clause
	Advice string // what to do about it; may be empty
	Cause  error  // the SDK's error; may be nil
}

// Error returns it all in one line.
func (f *Failure) Error() string {
	text := fmt.Sprintf("%v: %s: %s", f.Code, f.Asked, f.Answer)
	if f.Advice != "" {
		text += " (" + f.Advice + ")"
	}
	return text
}

// Unwrap returns the code and the cause.
func (f *Failure) Unwrap() []error {
	if f.Cause == nil {
		return []error{f.Code}
	}
	return []error{f.Code, f.Cause}
}
