package portal

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "betcode/proto/betcode/v1"
)

// The stages of inputs, event by event, for agents that the daemon runs, and for agents under a proxy,
// whose turns name no inputs.
func TestProgress(t *testing.T) {
	t.Parallel()
	const idle, busy = `{"sequence":"1","statusChange":{"status":"IDLE"}}`, `{"sequence":"1","statusChange":{"status":"THINKING"}}`
	prompted := func(key string) string { return fmt.Sprintf(`{"sequence":"1","userInput":{"idempotencyKey":%q}}`, key) }
	const text, child = `{"sequence":"1","textDelta":{"text":"x"}}`, `{"sequence":"1","parentToolUseId":"t","textDelta":{"text":"x"}}`
	const ended, named = `{"sequence":"1","turnComplete":{}}`, `{"sequence":"1","turnComplete":{"inputKeys":["a"]}}`
	const lost = `{"sequence":"1","notice":{"code":"INPUT_LOST","message":"gone","details":{"idempotency_key":"a"}}}`
	for name, test := range map[string]struct {
		events []string
		want   string
	}{
		"the first output":                        {[]string{idle, prompted("a"), busy, text, text, named}, "a server_received, a agent_accepted, a agent_accepted"},
		"under a proxy":                           {[]string{idle, prompted("a"), busy, text, ended}, "a server_received, a agent_accepted"},
		"a turn without output":                   {[]string{idle, prompted("a"), busy, ended}, "a server_received, a agent_accepted"},
		"output of a subagent":                    {[]string{idle, prompted("a"), busy, child}, "a server_received"},
		"during a turn, folded into it":           {[]string{idle, prompted("b"), busy, text, prompted("a"), text, named}, "b server_received, b agent_accepted, a server_received, a agent_accepted"},
		"during a turn, answered by the next":     {[]string{busy, prompted("a"), text, ended, idle, busy, text}, "a server_received, a agent_accepted"},
		"no status is known: the turn decides":    {[]string{prompted("a"), text, named}, "a server_received, a agent_accepted"},
		"a turn has named it: once":               {[]string{prompted("a"), text, named, idle, busy, text}, "a server_received, a agent_accepted"},
		"what the agent never gets":               {[]string{idle, prompted("a"), busy, lost}, "a server_received, a failed gone"},
		"text that is not kept proves nothing":    {[]string{idle, prompted("a"), `{"volatile":true,"textDelta":{"text":"x"}}`}, "a server_received"},
		"a request of the agent is an answer too": {[]string{idle, prompted("a"), `{"sequence":"1","permissionRequest":{"requestId":"r"}}`}, "a server_received, a agent_accepted"},
	} {
		var p progress
		var got []string
		for _, raw := range test.events {
			e := &pb.AgentEvent{}
			if err := protojson.Unmarshal([]byte(raw), e); err != nil {
				t.Fatal(raw, err)
			}
			for _, s := range p.event(e) {
				got = append(got, strings.TrimSpace(s.key+" "+s.stage+" "+s.why))
			}
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// The stages of the newest inputs are stored, the last of each.
func TestStages(t *testing.T) {
	t.Parallel()
	var s stages
	for n := range 3 * maxStages {
		s.store(stage{fmt.Sprint(n), "server_received", ""})
		s.store(stage{fmt.Sprint(n), "agent_accepted", ""})
	}
	if len(s.last) != maxStages || len(s.keys) != maxStages {
		t.Fatalf("%d stages, %d keys", len(s.last), len(s.keys))
	}
	for n := range 3 * maxStages {
		if got := s.last[fmt.Sprint(n)].stage == "agent_accepted"; got != (n >= 2*maxStages) {
			t.Errorf("input %d is stored: %t", n, got)
		}
	}
}
