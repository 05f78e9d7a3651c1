package faultproxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Pass forwards the request and its answer unchanged.
func Pass() Verdict {
	return answering(func(_ *Exchange, a Answer) Answer { return a })
}

// answering forwards the request and changes the answer.
func answering(change func(*Exchange, Answer) Answer) Verdict {
	return func(x *Exchange) {
		a, err := x.Forward()
		if err != nil {
			x.Drop()
		}
		x.Send(change(x, a))
	}
}

// DropRequest cuts the connection; the store never sees the request.
func DropRequest() Verdict { return func(x *Exchange) { x.Drop() } }

// DropAnswer lets the store apply the request and cuts the connection.
func DropAnswer() Verdict {
	return func(x *Exchange) {
		_, _ = x.Forward()
		x.Drop()
	}
}

// Hang swallows the request and stays silent until the client gives up.
func Hang() Verdict { return func(x *Exchange) { <-x.Gone() } }

// HangAfter lets the store apply the request and stays silent.
func HangAfter() Verdict {
	return func(x *Exchange) {
		_, _ = x.Forward()
		<-x.Gone()
	}
}

// Refuse answers with an error in S3's form; the store never sees the request.
func Refuse(status int, code string) Verdict {
	return func(x *Exchange) { x.Refuse(status, code) }
}

// RefuseAfter lets the store apply the request and answers with an error.
func RefuseAfter(status int, code string) Verdict {
	return func(x *Exchange) {
		_, _ = x.Forward()
		x.Refuse(status, code)
	}
}

// Plain answers with a status and a body that is no S3 error, as gateways do.
func Plain(status int, body string) Verdict {
	return func(x *Exchange) {
		x.Send(Answer{Status: status, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(body)})
	}
}

// Slow waits before it forwards the request.
func Slow(d time.Duration) Verdict {
	return func(x *Exchange) {
		select {
		case <-time.After(d):
		case <-x.proxy.ctx.Done():
		}
		Pass()(x)
	}
}

// Truncate forwards the request and cuts the connection after n bytes of the
// answer's body, whose length was announced in full.
func Truncate(n int) Verdict {
	return func(x *Exchange) {
		a, err := x.Forward()
		if err != nil {
			x.Drop()
		}
		if n < len(a.Body) {
			a.Header.Set("Content-Length", strconv.Itoa(len(a.Body)))
			a.Body = a.Body[:n]
		}
		x.Send(a)
		_ = http.NewResponseController(x.writer).Flush()
		x.Drop()
	}
}

// Header forwards the request and sets a header of the answer; an empty value
// removes it.
func Header(name, value string) Verdict {
	return answering(func(_ *Exchange, a Answer) Answer {
		a.Header.Set(name, value)
		if value == "" {
			a.Header.Del(name)
		}
		return a
	})
}

// NoETag removes the ETag of the answer.
func NoETag() Verdict { return Header("ETag", "") }

// WeakETag makes the ETag of the answer a weak one.
func WeakETag() Verdict {
	return answering(func(_ *Exchange, a Answer) Answer {
		a.Header.Set("ETag", "W/"+a.Header.Get("ETag"))
		return a
	})
}

// BareETags makes a store that knows ETags only without quotes: it sends them
// so, and an If-Match with quotes matches nothing.
func BareETags() Verdict {
	return func(x *Exchange) {
		if m := x.Request.Header.Get("If-Match"); strings.HasPrefix(m, `"`) {
			x.Refuse(http.StatusPreconditionFailed, "PreconditionFailed")
			return
		}
		if m := x.Request.Header.Get("If-Match"); m != "" {
			x.Request.Header.Set("If-Match", `"`+m+`"`)
		}
		answering(func(_ *Exchange, a Answer) Answer {
			a.Header.Set("ETag", strings.Trim(a.Header.Get("ETag"), `"`))
			return a
		})(x)
	}
}

// OldETag pairs the answer's body with the ETag that the path had before: a
// torn read.
func OldETag() Verdict {
	return answering(func(x *Exchange, a Answer) Answer {
		if old := x.proxy.earlier(x.Request.URL.Path); old != "" {
			a.Header.Set("ETag", old)
		}
		return a
	})
}

// Unconditional forwards the request without its conditions, like a store that
// ignores them: If-Match and If-None-Match, or the generation of GCS. A store
// that verifies signatures refuses it, as those headers are signed.
func Unconditional() Verdict {
	return func(x *Exchange) {
		x.Request.Header.Del("If-Match")
		x.Request.Header.Del("If-None-Match")
		query := x.Request.URL.Query()
		query.Del("ifGenerationMatch")
		query.Del("ifGenerationNotMatch")
		x.Request.URL.RawQuery = query.Encode()
		Pass()(x)
	}
}

// Late is a request that reaches the store when the test says so, long after
// its client lost the connection.
type Late struct {
	arrived chan *Exchange
}

// NewLate makes one.
func NewLate() *Late { return &Late{arrived: make(chan *Exchange, 1)} }

// Verdict takes the request in and cuts the client's connection.
func (l *Late) Verdict() Verdict {
	return func(x *Exchange) {
		l.arrived <- x
		x.Drop()
	}
}

// Apply sends the request on now and returns the store's answer. It waits for
// the request to have come.
func (l *Late) Apply() (Answer, error) {
	x := <-l.arrived
	return x.Forward()
}
