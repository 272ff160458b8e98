package actors

import (
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

// After the deadline an answer gets the time of the deadline, from the same daemon and from
// the next one, which finds the request without a session.
func TestAnswerAfterExpiry(t *testing.T) {
	inDays(t, func(d *days) {
		d.until(7*day + time.Second)
		check := func(when string) {
			t.Helper()
			found, err := d.ask(messages.ResolveRequest{Reference: "p1"})
			if err != nil || found != (messages.RequestResolved{Session: sessionA, Request: "p1"}) {
				t.Errorf("%s: found %+v, %v", when, found, err)
			}
			_, err = d.ask(decides("ann", "p1", messages.AllowOnce))
			e := messages.AsError("", err)
			if err == nil || e.Code != messages.PermissionStale || !strings.Contains(e.Error(), "expired at ") || e.Details["decided_at"] == "" {
				t.Errorf("%s: %v", when, err)
			}
		}
		check("the same daemon")
		d.stop()
		d.start()
		check("the next daemon")
		if _, err := d.ask(messages.ResolveRequest{Reference: "p"}); messages.KindOf(err) != messages.NotFound {
			t.Errorf("the beginning of an id that nobody has answered: %v", err)
		}
	})
}
