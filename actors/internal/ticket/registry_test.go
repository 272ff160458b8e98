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

// registry returns a registry as a new daemon has it.
func (p *table) registry() *Registry {
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

func issue(t *testing.T, g *Registry) string {
	t.Helper()
	text, err := g.Issue(run)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func admitted(t *testing.T, g *Registry, text string, pid int) {
	t.Helper()
	if r, err := g.Admit(text, pid); err != nil || r != run {
		t.Fatalf("process %d: %v, %v", pid, r, err)
	}
}

func refused(t *testing.T, g *Registry, text string, pid int, alarm bool) {
	t.Helper()
	_, err := g.Admit(text, pid)
	var r *RefusedError
	if !errors.As(err, &r) || r.Alarm != alarm {
		t.Fatalf("process %d: %v, want a refusal with alarm %v", pid, err, alarm)
	}
}

func TestTheFirstProcessHoldsTheTicket(t *testing.T) {
	p := newTable(t)
	g := p.registry()
	text := issue(t, g)
	admitted(t, g, text, 10)
	admitted(t, g, text, 10)
	refused(t, g, text, 11, true)
	refused(t, g, text, 12, false) // one alarm is enough
	admitted(t, g, text, 10)
}

func TestAnotherDaemonKnowsTheHolder(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.registry())
	admitted(t, p.registry(), text, 10)
	g := p.registry()
	refused(t, g, text, 11, true)
	admitted(t, g, text, 10)
}

func TestALaterProcessWithThePidOfTheHolder(t *testing.T) {
	p := newTable(t)
	g := p.registry()
	text := issue(t, g)
	admitted(t, g, text, 10)
	p.lives[10] = messages.ProcessIdentity{PID: 10, StartTime: 999, BootID: "boot"}
	refused(t, g, text, 10, false)
}

func TestAServerThatWasStartedAgainRaisesNoAlarm(t *testing.T) {
	p := newTable(t)
	g := p.registry()
	text := issue(t, g)
	admitted(t, g, text, 10)
	delete(p.lives, 10)
	refused(t, g, text, 11, false)
	refused(t, p.registry(), text, 11, false)
}

func TestAProcessThatIsNotBelowTheAgent(t *testing.T) {
	p := newTable(t)
	g := p.registry()
	text := issue(t, g)
	p.below[11] = false
	refused(t, g, text, 11, true)
	admitted(t, g, text, 10) // its ticket is not spent by others
}

func TestWrongTickets(t *testing.T) {
	p := newTable(t)
	g := p.registry()
	text := issue(t, g)
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
		refused(t, g, wrong, 10, false)
	}
	admitted(t, g, text, 10)
}

func TestATicketIsVoidAfterTheFirstMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTable(t)
		g := p.registry()
		text := issue(t, g)
		if err := g.Await(context.Background(), run, time.Second); err != nil {
			t.Fatal(err)
		}
		refused(t, g, text, 10, true)
		refused(t, p.registry(), text, 10, true)
	})
}

func TestTheFirstMessageWaitsForTheHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTable(t)
		g := p.registry()
		text := issue(t, g)
		began, resolved := time.Now(), make(chan error, 1)
		go func() { resolved <- g.Await(context.Background(), run, time.Hour) }()
		time.Sleep(time.Minute)
		admitted(t, g, text, 10)
		if err := <-resolved; err != nil || time.Since(began) != time.Minute {
			t.Fatalf("%v after %s", err, time.Since(began))
		}
		admitted(t, g, text, 10)
		if err := g.Await(context.Background(), run, time.Hour); err != nil || time.Since(began) != time.Minute {
			t.Fatalf("the second message: %v after %s", err, time.Since(began))
		}
	})
}

func TestRunsWithoutATicketDoNotWait(t *testing.T) {
	if err := newTable(t).registry().Await(context.Background(), run, time.Hour); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileAdmitsNobody(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.registry())
	path := filepath.Join(p.runs, string(session), "3", File)
	for _, damage := range []string{"", "{}", `{"format":2}`, strings.Repeat(" ", 5<<10)} {
		if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.registry().Admit(text, 10); err == nil {
			t.Fatalf("%q admits", damage)
		}
		g := p.registry()
		if err := g.Await(context.Background(), run, time.Hour); err != nil {
			t.Fatalf("%q does not settle: %v", damage, err)
		}
		if _, err := g.Admit(text, 10); err == nil {
			t.Fatalf("%q admits after the first message", damage)
		}
	}
}

func TestTheFileHasNoTicket(t *testing.T) {
	p := newTable(t)
	text := issue(t, p.registry())
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
	g := p.registry()
	text := issue(t, g)
	admitted(t, g, text, 10)
	g.Drop(run)
	refused(t, g, text, 10, false)
}
