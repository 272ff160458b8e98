package session

import (
	"strings"
	"testing"
	"time"

	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/messages"
)

func TestPermissionExpires(t *testing.T) {
	b := asking(t)
	b.on(expired("p1"), "update p1") // too early: its actor takes it back
	b.now = b.now.Add(7 * 24 * time.Hour)
	b.on(expired("p1"), "all: 8 resolved p1 DENY by deadline, 9 EXECUTING_TOOL", "stop waiting for p1",
		"run 1: answer p1 deny (Permission request expired after 7d. User can retry the operation.)")
	b.on(answer("ann", "p1", messages.AllowOnce), "to ann: applied false, expired by deadline")
	b.on(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.on(answer("ann", "p1", messages.AllowOnce), "to ann: wrong state PERMISSION_STALE")
}

// The denial names the patience that was configured, however often it began anew;
// and not every sign of a client is a write.
func TestActivityExtendsRequests(t *testing.T) {
	b := asking(t)
	b.tell(b.out(asks("p2", "Read")))
	b.quiet()
	b.now = dawn.Add(time.Minute - time.Second)
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"")
	b.now = dawn.Add(3 * 24 * time.Hour)
	b.on(answer("bob", "p2", messages.AllowOnce), "update p1", "all: notice PERMISSION_EXTENDED", "forward to p2") // not the one that is answered
	b.on(take("ann"), "update p2", "all: notice PERMISSION_EXTENDED", "to ann: lock granted true, holder \"ann\"")
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"")
	p := b.state.prompts.Get("p1")
	if p.ExtensionCount != 1 || !p.LastExtendedAt.Equal(b.now) || !p.ExpiresAt.Equal(b.now.Add(7*24*time.Hour)) || !p.ReceivedAt.Equal(dawn) {
		t.Errorf("%+v", p)
	}
	b.now = dawn.Add(10 * 24 * time.Hour)
	b.on(take("ann"), "to ann: lock granted true, holder \"ann\"") // too late
	b.tell(expired("p1"))
	if line := string(last[sendToRun](b).message.(run.WriteAnswer).Line); !strings.Contains(line, "Permission request expired after 7d. User can retry the operation.") {
		t.Errorf("the agent is told %s", line)
	}
}

// Whatever a client of the session does gives what waits its whole time again.
func TestSignsOfAClient(t *testing.T) {
	for name, sign := range map[string]any{
		"it reconnects":                attach("ann", "again"),
		"a message":                    input("ann", "k2"),
		"an answer to another request": answer("ann", "p2", messages.AllowOnce),
		"a cancellation":               cancel("ann"),
	} {
		b := asking(t)
		b.tell(b.out(asks("p2", "Read")))
		b.now = dawn.Add(6 * 24 * time.Hour)
		b.tell(sign)
		if p := b.state.prompts.Get("p1"); p.ExtensionCount != 1 || !p.ExpiresAt.Equal(b.now.Add(7*24*time.Hour)) {
			t.Errorf("%s: %+v", name, p)
		}
		b.tell(expired("p1"))
		if p := b.state.prompts.Get("p1"); p.Decision != messages.Undecided {
			t.Errorf("%s: it has expired: %+v", name, p)
		}
		b.now = b.now.Add(7 * 24 * time.Hour)
		b.quiet()
		b.tell(expired("p1"))
		if p := b.state.prompts.Get("p1"); p.Decision != messages.DecisionExpired {
			t.Errorf("%s: it never expires: %+v", name, p)
		}
	}
}

// Reminders are told once, and to a person who does not watch as well.
func TestReminders(t *testing.T) {
	b := asking(t)
	b.now = dawn.Add(time.Hour)
	b.on(permission.ReminderDue{Request: "p1", Number: 1}, "all: 8 notice PERMISSION_REMINDER", "notify PERMISSION_REMINDER")
	b.on(permission.ReminderDue{Request: "p1", Number: 1})
	if e := b.notified(permission.ReminderDue{Request: "p1", Number: 2}); e.Details["request_id"] != "p1" || e.Details["tool"] != "Bash" || e.Details["age"] != "1h" || e.Session != sessionA {
		t.Errorf("%+v", e)
	}
	b.crash()
	b.quiet()
	b.on(permission.ReminderDue{Request: "p1", Number: 2})
	b.tell(won(answer("ann", "p1", messages.AllowOnce)))
	b.quiet()
	b.on(permission.ReminderDue{Request: "p1", Number: 2})
	b.on(permission.ReminderDue{Request: "nobody", Number: 1})
}

// notified delivers a message and returns what a person is told about it.
func (b *bench) notified(m any) Notice {
	b.t.Helper()
	b.tell(m)
	e := last[notifyPerson](b).event
	b.quiet()
	return e
}
