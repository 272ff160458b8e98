package actors

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

func TestRequestWaitsForDays(t *testing.T) {
	inDays(t, func(d *days) {
		d.says(rebooted...)
		d.until(time.Hour - time.Second)
		d.says()
		d.until(time.Hour + time.Second)
		d.says("notice PERMISSION_REMINDER 1h")
		d.until(day + time.Second)
		d.says("notice PERMISSION_REMINDER 1d")
		d.until(7*day - time.Second)
		d.says()
		d.until(7*day + time.Second)
		d.says("resolved p1 DENY by deadline")
		if len(d.pending()) != 0 {
			t.Errorf("%+v", d.pending())
		}
		_, err := d.ask(decides("ann", "p1", messages.AllowOnce))
		if e := messages.AsError("", err); err == nil || e.Kind != messages.WrongState || e.Code != messages.PermissionStale {
			t.Errorf("a late answer: %v", err)
		}
	})
}

// Each sign of a client gives the request its whole TTL again; for a month.
func TestActivityExtendsForAMonth(t *testing.T) {
	inDays(t, func(d *days) {
		signs := []messages.Request{
			messages.TakeLock{Session: sessionA, Client: "ann"},
			messages.ReleaseLock{Session: sessionA, Client: "ann"},
			messages.ChangeSettings{Session: sessionA, Client: "ann", Model: "haiku"},
			messages.SetGrant{Session: sessionA, Tool: "Read", Granted: true},
			attaching{},
			decides("ann", "other", messages.Deny),
		}
		for n := range 5 {
			at := time.Duration(n+1) * 6 * day
			d.until(at)
			if _, other := signs[n].(attaching); other {
				follower, _, err := d.Attach(context.Background(), messages.Attach{Session: sessionA, Client: "bob", Stream: "s"})
				if err != nil {
					t.Fatal(err)
				}
				follower.Close()
			} else if _, err := d.ask(signs[n]); err != nil {
				t.Fatalf("%T: %v", signs[n], err)
			}
			synctest.Wait()
			p := d.pending()[0]
			if p.ExtensionCount != uint32(n+1) || !p.ExpiresAt.Equal(d.began.Add(at+7*day)) || !p.LastExtendedAt.Equal(d.began.Add(at)) {
				t.Fatalf("after %d signs: %+v", n+1, p)
			}
			d.ask(messages.RenameSession{Session: sessionA, Name: "again"}) // in the same minute
			if again := d.pending()[0]; again.ExtensionCount != p.ExtensionCount {
				t.Errorf("it was extended twice in a minute")
			}
		}
		d.until(37*day - time.Second)
		if len(d.pending()) != 1 {
			t.Fatal("it is over too early")
		}
		d.until(37*day + time.Second)
		if len(d.pending()) != 0 {
			t.Error("it is not over")
		}
	})
}

// attaching stands for an attached stream, in a list of requests.
type attaching struct{ messages.GetSession }

// Deadlines and reminders follow the wall clock, over any number of daemons. A reminder
// that was due while no daemon ran is sent once.
func TestPatienceOutlivesTheDaemon(t *testing.T) {
	inDays(t, func(d *days) {
		d.until(30 * time.Minute)
		d.stop()
		d.until(2 * time.Hour)
		d.start()
		d.says(append(slices.Clone(rebooted), "notice PERMISSION_REMINDER 2h")...)
		d.stop()
		d.start()
		d.until(3 * time.Hour)
		d.says()
		if _, err := d.ask(messages.TakeLock{Session: sessionA, Client: "ann"}); err != nil {
			t.Fatal(err)
		}
		d.stop()
		d.until(2 * day)
		d.start()
		d.says("notice PERMISSION_REMINDER 2d")
		d.until(7*day + time.Hour)
		d.says() // extended by three hours
		d.stop()
		d.until(8 * day)
		d.start()
		d.says("resolved p1 DENY by deadline")
	})
	inDays(t, func(d *days) { // both reminders at once are one
		d.stop()
		d.until(3 * day)
		d.start()
		d.says(append(slices.Clone(rebooted), "notice PERMISSION_REMINDER 3d")...)
		d.until(6 * day)
		d.says()
	})
}

// A kept decision expires after the TTL too, and then its session's actor stops.
func TestKeptDecisionExpires(t *testing.T) {
	inDays(t, func(d *days) {
		if a, err := d.ask(decides("ann", "p1", messages.AllowOnce)); err != nil || !a.(messages.PermissionAnswered).Applied {
			t.Fatalf("%v, %v", a, err)
		}
		if a, err := d.ask(decides("bob", "p1", messages.Deny)); err != nil || a.(messages.PermissionAnswered).By != "ann" {
			t.Errorf("%v, %v", a, err)
		}
		d.says(append(slices.Clone(rebooted), "resolved p1 ALLOW_ONCE by ann")...)
		d.until(2 * day)
		d.stop()
		d.start()
		d.until(7*day - time.Minute)
		d.says() // a decided request has no reminders
		d.until(7*day + time.Second)
		d.says("notice PERMISSION_ANSWER_EXPIRED")
		time.Sleep(time.Minute)
		if n := d.tree.Count("session"); n != 0 {
			t.Errorf("%d sessions have an actor", n)
		}
	})
}

// A timer does not trust that its duration has passed: when it fires, the wall clock
// decides what is due.
func TestClockIsSet(t *testing.T) {
	inDays(t, func(d *days) {
		d.stop()
		var ahead atomic.Int64
		d.start(func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } })
		d.says(rebooted...)
		d.until(10 * time.Minute)
		ahead.Store(int64(6 * day)) // the machine slept
		d.until(20 * time.Minute)
		d.says("notice PERMISSION_REMINDER 6d")
		ahead.Store(0) // and the clock was wrong
		d.until(2 * day)
		d.says()
		ahead.Store(int64(6 * day))
		d.until(2*day + 10*time.Minute)
		d.says("resolved p1 DENY by deadline")
	})
}

func TestTTLIsAnOption(t *testing.T) {
	for _, ttl := range []time.Duration{time.Hour, 30 * day} {
		inDays(t, func(d *days) {
			d.stop()
			d.start(func(o *Options) { o.Settings.PermissionTTL, o.Settings.Reminders = ttl, []time.Duration{2 * time.Hour} })
			d.until(3 * time.Hour)
			d.says(append(slices.Clone(rebooted), "notice PERMISSION_REMINDER 2h")...)
			d.ask(messages.TakeLock{Session: sessionA, Client: "ann"})
			want := max(d.began.Add(7*day).Unix(), d.began.Add(3*time.Hour+ttl).Unix())
			if p := d.pending()[0]; p.ExpiresAt.Unix() != want {
				t.Errorf("TTL %s: %s", ttl, p.ExpiresAt)
			}
			d.stop()
			d.start(func(o *Options) { o.Settings.PermissionTTL, o.Settings.Extend = ttl, false })
			before := d.pending()[0].ExpiresAt
			d.until(5 * time.Hour)
			d.ask(messages.TakeLock{Session: sessionA, Client: "ann"})
			if p := d.pending()[0]; !p.ExpiresAt.Equal(before) {
				t.Errorf("it was extended to %s", p.ExpiresAt)
			}
		})
	}
}

// A request whose actor crashes keeps waiting, with the session's record and not with
// the one of the actor's start; even if its supervisor gives the actor up.
func TestCrashesOfAWaitingRequest(t *testing.T) {
	inDays(t, func(d *days) {
		d.until(6 * day)
		if _, err := d.ask(messages.TakeLock{Session: sessionA, Client: "ann"}); err != nil { // extends it
			t.Fatal(err)
		}
		path := actor.NewPID(d.sessions.Address, d.sessions.Id+"/"+act.ChildName("session", sessionA)+"/"+act.ChildName("permission", "p1"))
		process, _ := d.actors.ProcessRegistry.Get(path)
		process.SendSystemMessage(path, &actor.Restart{})
		time.Sleep(time.Second)
		d.until(12 * day)
		if p := d.pending(); len(p) != 1 || p[0].Decision != messages.Undecided {
			t.Fatalf("it is over too early: %+v", p)
		}
		process, _ = d.actors.ProcessRegistry.Get(path)
		process.SendSystemMessage(path, &actor.Stop{}) // its supervisor gives it up
		time.Sleep(time.Second)
		if a, err := d.ask(decides("ann", "p1", messages.AllowOnce)); err != nil || !a.(messages.PermissionAnswered).Applied {
			t.Errorf("%v, %v", a, err)
		}
	})
}

// decides is the answer of a client to a request.
func decides(client messages.ClientID, id messages.RequestID, d messages.Decision) messages.AnswerPermission {
	return messages.AnswerPermission{Session: sessionA, Client: client, Request: id, Decision: d}
}
