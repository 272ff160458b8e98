package proxy

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

var update = flag.Bool("update", false, "write the golden exchanges")

// TestExchanges plays conversations between a backend, a proxy and the daemon, for each generation. A
// line of an exchange is one step:
//
//	# a comment
//	< FRAME    the backend sends
//	event E    the daemon sends an event, as JSON
//	tick       a second passes
//	branch B   git returns the branch
//	kept       a file was stored
//
// and the effects of the proxy:
//
//	> FRAME    a frame to the backend
//	ask R      a request to the daemon
//	do E       any other effect
func TestExchanges(t *testing.T) {
	t.Parallel()
	for generation := wire.G1; generation <= wire.G3; generation++ {
		t.Run(generation.String(), func(t *testing.T) {
			t.Parallel()
			path := "testdata/exchanges/" + strings.ToLower(generation.String()) + ".txt"
			script, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := exchange(t, generation, string(script))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(script), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// exchange runs a script and returns it with the effects of the proxy.
func exchange(t *testing.T, generation wire.Dialect, script string) string {
	t.Helper()
	config := Config{
		Backend: "wss://portal.example", Session: sessionID, Name: "box", Hostname: "box", Version: "betcode 1", Token: "jwt", Dialect: generation, Client: ourName,
		MaxUpload: 1 << 20, NewID: func() string { return "0b0e8a10-0000-4000-8000-0000000000ff" },
	}
	found := Session{Model: "opus", Directory: "/project"}
	l := newLink(config, Checkpoint{}, found)
	p := New(Options{Config: config})
	var out strings.Builder
	var kept keep
	write := func(effects []effect) {
		for _, e := range effects {
			if k, ok := e.(keep); ok {
				kept = k
			}
			out.WriteString(shown(t, generation, e) + "\n")
		}
	}
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		if !slices.Contains([]string{"", "#", "<", "event", "tick", "branch", "kept", "register"}, word) {
			continue // of the previous run
		}
		out.WriteString(line + "\n")
		switch word {
		case "register":
			write([]effect{say{p.register(found, "main")}})
		case "<":
			m, err := wire.Decode(wire.ToProxy, []byte(rest))
			if err != nil {
				t.Fatal(line, err)
			}
			write(l.frame(m))
		case "event":
			e := &pb.AgentEvent{}
			if err := protojson.Unmarshal([]byte(rest), e); err != nil {
				t.Fatal(line, err)
			}
			write(l.event(e))
		case "tick":
			write(l.tick())
		case "branch":
			write(l.branchIs(rest))
		case "kept":
			write(l.kept(kept, "/uploads/"+kept.name, nil))
		}
	}
	return out.String()
}

// shown formats an effect.
func shown(t *testing.T, generation wire.Dialect, e effect) string {
	t.Helper()
	switch e := e.(type) {
	case say:
		frame, err := wire.Encode(generation, wire.FromProxy, e.Message)
		if err != nil {
			t.Fatal(err)
		}
		return "> " + string(frame)
	case ask:
		raw, err := protojson.Marshal(e.AgentRequest)
		var of any
		if err == nil {
			err = json.Unmarshal(raw, &of) // protojson adds random spaces
		}
		if err == nil {
			raw, err = json.Marshal(of)
		}
		if err != nil {
			t.Fatal(err)
		}
		return "ask " + string(raw)
	case leave:
		return fmt.Sprintf("do leave: %v final=%v after=%s now=%v", e.err, e.final, e.after, e.now)
	}
	return fmt.Sprintf("do %T %s", e, e)
}
