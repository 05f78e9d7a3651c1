package strict3

import (
	"net/http"
	"strings"
)

// conditional tells whether a write has a condition.
func conditional(h http.Header) bool {
	return h.Get("If-Match") != "" || h.Get("If-None-Match") != ""
}

func preconditionFailed(header string) *failure {
	return fail(http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold").with("Condition", header)
}

// writeCondition evaluates the condition of a PUT on what is stored.
func writeCondition(h http.Header, o *object) *failure {
	match, noneMatch := h.Get("If-Match"), h.Get("If-None-Match")
	switch {
	case match != "" && noneMatch != "":
		return fail(http.StatusBadRequest, "InvalidRequest", "If-Match and If-None-Match cannot be used together")
	case noneMatch != "" && noneMatch != "*":
		return fail(http.StatusNotImplemented, "NotImplemented", "A header you provided implies functionality that is not implemented").with("Header", "If-None-Match")
	case match == "*":
		return fail(http.StatusNotImplemented, "NotImplemented", "A header you provided implies functionality that is not implemented").with("Header", "If-Match")
	case noneMatch == "*" && o.current() != nil:
		return preconditionFailed("If-None-Match")
	case match != "" && o.current() == nil: // also where it is deleted
		return fail(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	case match != "" && !sameTag(match, o.current().etag):
		return preconditionFailed("If-Match")
	}
	return nil
}

// deleteCondition evaluates the condition of a DELETE on what is stored.
func deleteCondition(h http.Header, o *object) *failure {
	match := h.Get("If-Match")
	switch {
	case match == "":
		return nil
	case o.deleted():
		return preconditionFailed("If-Match")
	case o.current() == nil:
		return fail(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	case match != "*" && !sameTag(match, o.current().etag):
		return preconditionFailed("If-Match")
	}
	return nil
}

// readCondition evaluates the conditions of a GET or HEAD by ETag.
func readCondition(h http.Header, v *stored) *failure {
	if match := h.Get("If-Match"); match != "" && match != "*" && !sameTag(match, v.etag) {
		return preconditionFailed("If-Match")
	}
	if none := h.Get("If-None-Match"); none != "" && (none == "*" || sameTag(none, v.etag)) {
		return fail(http.StatusNotModified, "NotModified", "Not Modified")
	}
	return nil
}

// sameTag compares ETags. Quotes may be left out, as on Amazon S3; a weak tag
// matches nothing.
func sameTag(given, etag string) bool {
	return strings.Trim(given, `"`) == strings.Trim(etag, `"`)
}
