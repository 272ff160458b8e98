package session

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"betcode/messages"
)

// However connections, proxies and daemons end: each line is taken once, each message keeps its number, reaches the agent once
// unless its acknowledgement was lost, and none is forgotten without a notice.
func TestProxiedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &afar{t: t, contents: map[uint64]string{}, given: map[string]int{}, b: newBench(t)}
		a.abilities.AcknowledgesFromAgent = rapid.Bool().Draw(t, "acknowledges from the agent")
		a.connect()
		a.b.manual = true
		proxyDied := false
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 14).Draw(t, "step") {
			case 0, 1:
				key := fmt.Sprintf("k%d", len(a.accepted))
				a.accepted = append(a.accepted, key)
				for len(a.b.waiting) > 0 { // else it might be lost, unacknowledged
					a.commit()
				}
				a.tell(typing(key))
				for len(a.b.waiting) > 0 {
					a.commit()
				}
			case 2, 3:
				a.take()
			case 4, 5:
				a.work()
			case 6, 7:
				a.flush(rapid.IntRange(1, 6).Draw(t, "batch"))
			case 8, 9:
				if len(a.b.waiting) > 0 {
					a.commit()
				}
			case 10:
				if connection := a.connection; connection != "" {
					a.drop()
					if rapid.Bool().Draw(t, "noticed") {
						a.tell(messages.DisconnectProxy{Session: sessionA, Connection: connection})
					}
				}
			case 11:
				for len(a.b.waiting) > 0 { // the gateway answers a registration behind its commit
					a.commit()
				}
				a.connect()
			case 12:
				a.crash(rapid.IntRange(0, 3).Draw(t, "kept"))
			case 14:
				a.repeat()
			case 13:
				a.queue, proxyDied = nil, true
				a.drop()
			}
		}
		a.settle()
		texts, lost := a.texts()
		for _, text := range a.said {
			if n := strings.Count(texts, text); n != 1 {
				t.Fatalf("%s is there %d times", text, n)
			}
		}
		for _, key := range a.accepted {
			switch {
			case a.b.state.inputs.Has(key):
				t.Fatalf("message %s still waits: %+v", key, a.b.state.inputs)
			case a.given[key] > 1 && !proxyDied:
				t.Fatalf("message %s was given to the agent %d times", key, a.given[key])
			case a.given[key] == 0 && !lost[key]:
				t.Fatalf("message %s is forgotten", key)
			case lost[key] && !proxyDied:
				t.Fatalf("message %s is reported as lost, and nothing was", key)
			}
		}
		if a.b.state.busy() {
			t.Fatalf("the session is busy: %+v", a.b.state.record)
		}
	})
}
