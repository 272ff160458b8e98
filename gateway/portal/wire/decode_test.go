package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const id = "0b0e8a10-0000-4000-8000-00000000000a"

func text(s string) *string { return &s }

// TestDocument reads the examples of the published document.
func TestDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		route Route
		frame string
		want  Message
	}{
		{FromProxy, `{"type":"Register","session_id":"` + id + `","session_name":"my-project","auth_token":"jwt-token","working_directory":"/home/user/project","resuming":false,"git_branch":"main","replay_after":null,"client_version":"1.0.0"}`, Register{
			SessionID: id, SessionName: "my-project", AuthToken: text("jwt-token"), WorkingDirectory: "/home/user/project", GitBranch: text("main"), ClientVersion: text("1.0.0"), Dialect: G1,
		}},
		{ToProxy, `{"type":"RegisterAck","success":true,"session_id":"` + id + `","error":null}`, RegisterAck{Success: true, SessionID: id}},
		{FromProxy, `{"type":"SessionUpdate","session_id":"` + id + `","git_branch":"feature-branch"}`, SessionUpdate{SessionID: id, GitBranch: text("feature-branch")}},
		{ToPage, `{"type":"SessionStatus","status":"active"}`, SessionStatus{"active"}},
		{FromProxy, `{"type":"SequencedOutput","seq":42,"content":{"type":"assistant"}}`, SequencedOutput{Seq: 42, Content: Raw(`{"type":"assistant"}`)}},
		{ToProxy, `{"type":"OutputAck","session_id":"` + id + `","ack_seq":42}`, OutputAck{id, 42}},
		{FromPage, `{"type":"ClaudeInput","content":{"type":"human","message":"hello"},"send_mode":"normal"}`, ClaudeInput{Content: Raw(`{"type":"human","message":"hello"}`), SendMode: text(SendNormal)}},
		{ToProxy, `{"type":"SequencedInput","session_id":"` + id + `","seq":5,"content":"hello"}`, SequencedInput{SessionID: id, Seq: 5, Content: Raw(`"hello"`)}},
		{FromProxy, `{"type":"InputAck","session_id":"` + id + `","ack_seq":5}`, InputAck{id, 5}},
		{FromProxy, `{"type":"ClaudeOutput","content":null}`, ClaudeOutput{Content: Raw(`null`)}},
		{FromProxy, `{"type":"PermissionRequest","request_id":"unique-id","tool_name":"Bash","input":{"command":"rm -rf /tmp/test"},"permission_suggestions":[]}`, PermissionRequest{
			RequestID: "unique-id", ToolName: "Bash", Input: Raw(`{"command":"rm -rf /tmp/test"}`), Suggestions: []Suggestion{},
		}},
		{FromPage, `{"type":"PermissionResponse","request_id":"unique-id","allow":true,"input":{"command":"x"},"permissions":[],"reason":null}`, PermissionResponse{
			RequestID: "unique-id", Allow: true, Input: Raw(`{"command":"x"}`), Permissions: []Suggestion{},
		}},
		{FromProxy, `{ "type" : "Heartbeat" , "more":[1] }`, Heartbeat{}},
		{ToPage, `{"type":"UserSpendUpdate","total_spend_usd":12.34,"session_costs":[{"session_id":"` + id + `","total_cost_usd":5.67}]}`, UserSpendUpdate{12.34, []SessionCost{{SessionID: id, Total: 5.67}}}},
		{ToProxy, `{"reconnect_delay_ms":5000,"reason":"Server restarting for update","type":"ServerShutdown"}`, ServerShutdown{"Server restarting for update", 5000}},
		{ToPage, `{"type":"Error","message":"Something went wrong"}`, ErrorMessage{"Something went wrong"}},
		{FromVoice, `{"type":"StartVoice","session_id":"0B0E8A10000040008000` + `00000000000A"}`, StartVoice{SessionID: id}},
		{FromProxy, `{"type":"Error","message":"x"}`, Unknown{"Error"}},
		{FromPage, `{"type":"SequencedOutput","seq":"no"}`, Unknown{"SequencedOutput"}},
	} {
		got, err := Decode(c.route, []byte(c.frame))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\nis %#v %v", c.frame, got, err)
		}
	}
}

// The keys of a Register show the dialect of a peer, even if their values are null.
func TestDialects(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]Dialect{
		``:                       G1,
		`,"repo":"x"`:            G1,
		`,"hostname":null`:       G2,
		`,"agent_type":"claude"`: G2,
		`,"hostname":null,"agent_type":"codex","claude_args":[]`:               G3,
		`,"capabilities":["session.tunnel_binary_v1"],"agent_type":"muse"`:     G3,
		`,"Capabilities":[],"HOSTNAME":"x"`:                                    G1,
		`,"replaces_session_id":null,"launcher_id":null,"capabilities":null`:   G3,
		`,"hostname":"box","replaces_session_id":"` + id + `","repo_url":null`: G2,
	} {
		for _, r := range []Route{FromProxy, FromPage} {
			m, err := Decode(r, []byte(`{"type":"Register","session_id":"`+id+`","session_name":"","working_directory":"","resuming":false`+more+`}`))
			if got, ok := m.(Register); err != nil || !ok || got.Dialect != want {
				t.Errorf("%s: %v %v, want %s", more, m, err, want)
			}
		}
	}
}

func TestRefusedFrames(t *testing.T) {
	t.Parallel()
	for frame, why := range map[string]string{
		``:                                    "not JSON",
		`nonsense`:                            "not JSON",
		`{"type":"Heartbeat"} {}`:             "not JSON",
		`null`:                                "not an object",
		`["Heartbeat"]`:                       "not an object",
		`{}`:                                  "no 'type'",
		`{"type":null}`:                       "no 'type'",
		`{"type":7}`:                          "no 'type'",
		`{"Type":"Heartbeat"}`:                "no 'type'",
		`{"type":"Heartbeat","type":"Error"}`: "twice",
		`{"type":"SequencedOutput","seq":1}`:  "'content' is missing",
		`{"type":"SequencedOutput","seq":-1,"content":1}`:                                                                                                                   "'seq' has the wrong type",
		`{"type":"SequencedOutput","seq":1.5,"content":1}`:                                                                                                                  "'seq' has the wrong type",
		`{"type":"SequencedOutput","seq":null,"content":1}`:                                                                                                                 "'seq' has the wrong type",
		`{"type":"SequencedOutput","seq":18446744073709551616,"content":1}`:                                                                                                 "'seq' has the wrong type",
		`{"type":"InputAck","session_id":"x","ack_seq":1}`:                                                                                                                  "'session_id' has the wrong type",
		`{"type":"PermissionRequest","request_id":"a","tool_name":"B","input":1,"permission_suggestions":[{"type":"addRules"}]}`:                                            "in 'permission_suggestions': 'destination' is missing",
		`{"type":"PermissionRequest","request_id":"a","tool_name":"B","input":1,"permission_suggestions":[{"type":"a","type":"b"}]}`:                                        "twice",
		`{"type":"PermissionRequest","request_id":"a","tool_name":"B","input":1,"permission_suggestions":[` + strings.Repeat("0,", maxItems) + `0]}`:                        "permission_suggestions",
		`{"type":"Register","session_id":"` + id + `","session_name":"","working_directory":"","resuming":false,"claude_args":[` + strings.Repeat(`"",`, maxItems) + `""]}`: "more than 10000 values",
		`{"type":"SequencedOutput","seq":1,"content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`:                                                    "not JSON",
		`{"type":"Heartbeat"` + strings.Repeat(" ", MaxFrame) + `}`:                                                                                                         "20 MiB",
	} {
		m, err := Decode(FromProxy, []byte(frame))
		var refused *FrameError
		if !errors.As(err, &refused) || m != nil || !strings.Contains(refused.Why, why) {
			t.Errorf("%.100s: %v %v, want %s", frame, m, err, why)
		}
	}
	var b strings.Builder
	for i := range maxItems + 1 {
		b.WriteString(`,"k` + strings.Repeat("x", i/1000) + string(rune('a'+i%26)) + string(rune(0x4e00+i)) + `":0`)
	}
	if _, err := Decode(FromProxy, []byte(`{"type":"Heartbeat"`+b.String()+`}`)); err == nil {
		t.Error("an object with many keys is read")
	}
}

// FuzzDecode: any frame gives a message or an error, never both; a decoded message can be encoded
// in its dialect, and decodes to the same again.
func FuzzDecode(f *testing.F) {
	for _, r := range table {
		frame, err := Encode(r.to, r.route, full(r.message))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(r.route), frame)
	}
	f.Add(uint8(FromPage), []byte(`{"type":"ClaudeInput","content":"\ud800","send_mode":7}`))
	f.Add(uint8(FromPage), []byte(strings.Repeat(`{"type":`, 20_000)))
	f.Fuzz(func(t *testing.T, route uint8, frame []byte) {
		r := Route(route % (uint8(ToVoice) + 1))
		m, err := Decode(r, frame)
		if err != nil {
			if m != nil {
				t.Errorf("both %#v and %v", m, err)
			}
			return
		}
		if _, ok := m.(Unknown); ok {
			return
		}
		for _, d := range []Dialect{G1, G2, G3} {
			if !Knows(d, r, m) {
				continue
			}
			again, err := Encode(d, r, m)
			if err != nil || !json.Valid(again) {
				t.Fatalf("%s is written as %s %v", frame, again, err)
			}
			if _, err := Decode(r, again); err != nil {
				t.Fatalf("%s is written as %s: %v", frame, again, err)
			}
		}
	})
}
