package core

// AttributeError says which attribute of an arbiter's configuration is wrong.
// A host that knows the user's file turns it into file, line and column. It is
// ErrInvalid unless Err carries another code.
type AttributeError struct {
	Attribute string // path as in the configuration: "bucket", "tls.ca_file"
	Problem   string // what is wrong, in one clause
	Advice    string // what to do about it; may be empty
	Err       error  // the cause, if there is one
}

// Error returns attribute, problem, cause and advice in one line.
func (e *AttributeError) Error() string {
	text := e.Attribute + ": " + e.Problem
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Advice != "" {
		text += " (" + e.Advice + ")"
	}
	return text
}

// Unwrap returns the cause, or ErrInvalid where there is none.
func (e *AttributeError) Unwrap() error {
	if e.Err == nil {
		return ErrInvalid
	}
	return e.Err
}
