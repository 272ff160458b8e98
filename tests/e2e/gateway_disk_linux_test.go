package e2e

import (
	"fmt"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/foreignproxy"
	"betcode/tests/kit"
)

// The journal cannot be written while a proxy sends lines. They are not acknowledged, and the proxy keeps them, over a kill of
// the portal. With room again each is stored once.
func TestForeignProxyOnAFullDisk(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(smallDisk(t, "256m", "96m"), binaries.fake, "BETCODE_DISK_LOW=16MiB")
	if err != nil {
		t.Fatal(err)
	}
	p := newPortal(t, storyIn(t, w))
	f := p.proxy(foreignproxy.Options{Generation: 2, Agent: foreignproxy.Echo})
	f.registered()
	f.Say(foreignproxy.AssistantLine("line 0."))
	f.until("the first line is stored", func(s foreignproxy.Seen) bool { return s.Said == 1 && s.Pending == 0 })
	c := p.converseWith("phone", &pb.StartConversation{SessionId: f.session})
	p.fillDisk("journal", 0)
	// Lines are small. Larger ones find out that there is no room.
	f.Say(foreignproxy.AssistantLine("line 1." + strings.Repeat(" ", 1<<20)))
	p.wait(c, 0, isNotice("JOURNAL_FAILS"))
	f.Say(foreignproxy.AssistantLine("line 2."))
	address := strings.TrimPrefix(p.URL, "http://")
	p.Kill()
	p.run("--listen", address)
	f.Say(foreignproxy.AssistantLine("line 3."))
	if s := f.Seen(); s.Pending < 3 || s.Acked > 2 { // the proxy's own notes are lines, too
		t.Errorf("%d lines are pending, %d acknowledged", s.Pending, s.Acked)
	}
	p.emptyDisk("journal")
	f.until("all lines are stored", func(s foreignproxy.Seen) bool { return s.Said == 4 && s.Pending == 0 })
	history := p.history(f.session)
	for n := range 4 {
		if got := strings.Count(history, fmt.Sprintf("line %d.", n)); got != 1 {
			t.Errorf("line %d is there %d times", n, got)
		}
	}
}
