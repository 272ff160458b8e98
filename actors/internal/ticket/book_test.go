package ticket

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

const session = messages.SessionID("11111111-1111-4111-8111-111111111111")

var run = Run{session, 3}

// table is a process table.
type table struct {
	runs  string
	lives map[int]messages.ProcessIdentity
	below map[int]bool
}

func newTable(t *testing.T) *table {
	t.Helper()
	p := &table{runs: t.TempDir(), lives: map[int]messages.ProcessIdentity{}, below: map[int]bool{}}
	for pid := 10; pid < 20; pid++ {
		p.lives[pid] = messages.ProcessIdentity{PID: pid, StartTime: uint64(100 + pid), BootID: "boot"}
		p.below[pid] = true
	}
	if err := os.MkdirAll(filepath.Join(p.runs, string(session), "3"), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// book returns a book as a new daemon has it.
func (p *table) book() *Book {
	return New(Deps{
		Runs: p.runs,
		Identity: func(pid int) (messages.ProcessIdentity, error) {
			if id, ok := p.lives[pid]; ok {
				return id, nil
			}
			return messages.ProcessIdentity{}, errors.New("the process has ended")
		},
		Lives: func(id messages.ProcessIdentity) bool { return p.lives[id.PID] == id },
		Below: func(_ string, id messages.ProcessIdentity) (bool, error) { return p.below[id.PID], nil },
	})
}

func issue(t *testing.T, b *Book) string {
	t.Helper()
	text, err := b.Issue(run)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func admitted(t *testing.T, b *Book, text string, pid int) {
	t.Helper()
	if r, err := b.Admit(text, pid); err != nil || r != run {
		t.Fatalf("process %d: %v, %v", pid, r, err)
	}
}

func refused(t *testing.T, b *Book, text string, pid int, alarm bool) {
	t.Helper()
	_, err := b.Admit(text, pid)
	var r *RefusedError
	if !errors.As(err, &r) || r.Alarm != alarm {
		t.Fatalf("process %d: %v, want a refusal with alarm %v", pid, err, alarm)
	}
}

func TestTheFirstProcessHoldsTheTicket(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	admitted(t, b, text, 10)
	admitted(t, b, text, 10)
	refused(t, b, text, 11, true)
	refused(t, b, text, 12, false) // one alarm is enough
	admitted(t, b, text, 10)
}

func TestAnotherDaemonKnowsTheHolder(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.book())
	admitted(t, p.book(), text, 10)
	b := p.book()
	refused(t, b, text, 11, true)
	admitted(t, b, text, 10)
}

func TestALaterProcessWithThePidOfTheHolder(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	admitted(t, b, text, 10)
	p.lives[10] = messages.ProcessIdentity{PID: 10, StartTime: 999, BootID: "boot"}
	refused(t, b, text, 10, false)
}

func TestAServerThatWasStartedAgainRaisesNoAlarm(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	admitted(t, b, text, 10)
	delete(p.lives, 10)
	refused(t, b, text, 11, false)
	refused(t, p.book(), text, 11, false)
}

func TestAProcessThatIsNotBelowTheAgent(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	p.below[11] = false
	refused(t, b, text, 11, true)
	admitted(t, b, text, 10) // its ticket is not spent by others
}

func TestWrongTickets(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	last := text[len(text)-1:]
	other := "0"
	if last == "0" {
		other = "1"
	}
	for _, wrong := range []string{
		"", ".", "..", text[:len(text)-1] + other, text + "0", strings.Replace(text, ".3.", ".4.", 1), strings.Replace(text, ".3.", ".03x.", 1),
		strings.Replace(text, string(session), "../../../../../../../../../../../etc", 1), strings.Replace(text, "1111", "zzzz", 1),
		string(session) + ".3." + strings.Repeat("0", 64),
	} {
		refused(t, b, wrong, 10, false)
	}
	admitted(t, b, text, 10)
}

func TestATicketIsVoidAfterTheFirstMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTable(t)
		b := p.book()
		text := issue(t, b)
		if err := b.Settle(context.Background(), run, time.Second); err != nil {
			t.Fatal(err)
		}
		refused(t, b, text, 10, true)
		refused(t, p.book(), text, 10, true)
	})
}

func TestTheFirstMessageWaitsForTheHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTable(t)
		b := p.book()
		text := issue(t, b)
		began, settled := time.Now(), make(chan error, 1)
		go func() { settled <- b.Settle(context.Background(), run, time.Hour) }()
		time.Sleep(time.Minute)
		admitted(t, b, text, 10)
		if err := <-settled; err != nil || time.Since(began) != time.Minute {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		admitted(t, b, text, 10)
		if err := b.Settle(context.Background(), run, time.Hour); err != nil || time.Since(began) != time.Minute {
			t.Fatalf("the second message: %v after %s", err, time.Since(began))
		}
	})
}

func TestRunsWithoutATicketDoNotWait(t *testing.T) {
	if err := newTable(t).book().Settle(context.Background(), run, time.Hour); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileAdmitsNobody(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.book())
	path := filepath.Join(p.runs, string(session), "3", File)
	for _, damage := range []string{"", "{}", `{"format":2}`, strings.Repeat(" ", 5<<10)} {
		if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.book().Admit(text, 10); err == nil {
			t.Fatalf("%q admits", damage)
		}
		b := p.book()
		if err := b.Settle(context.Background(), run, time.Hour); err != nil {
			t.Fatalf("%q does not settle: %v", damage, err)
		}
		if _, err := b.Admit(text, 10); err == nil {
			t.Fatalf("%q admits after the first message", damage)
		}
	}
}

func TestTheFileHasNoTicket(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.book())
	content, err := os.ReadFile(filepath.Join(p.runs, string(session), "3", File))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), text[len(text)-64:]) {
		t.Fatal("the secret is stored")
	}
}

func TestAnEndedRunHasNoTicket(t *testing.T) {
	p := newTable(t)
	b := p.book()
	text := issue(t, b)
	admitted(t, b, text, 10)
	b.Drop(run)
	refused(t, b, text, 10, false)
}
