// Package webtest looks at the daemon's web page as a person does: in a browser,
// with real daemons behind it.
package webtest
