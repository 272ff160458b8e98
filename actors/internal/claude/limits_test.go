package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	betcodev1 "betcode/proto/betcode/v1"
)

// whole skips a test that has one goroutine and megabytes of text under the race detector,
// which finds nothing there and takes ten times as long; make test runs the package
// without it too.
func whole(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("sizes, in one goroutine")
	}
}

// TestNoEventIsTooLarge puts much text, many escapes, long lists and deep nesting into
// what may hold it (forms with a star), and text into every member that is read: 5 MB
// into those that keep much (LONG), and into the others (SOME) more than they keep.
func TestNoEventIsTooLarge(t *testing.T) {
	whole(t)
	huge := map[string]func(n int) string{
		"text":    func(n int) string { return `"` + strings.Repeat("é", n/2) + `"` },
		"escapes": func(n int) string { return `"` + strings.Repeat(`\u0000`, n/6) + `"` },
		"list":    func(n int) string { return "[" + strings.Repeat("1234567,", n/8) + "1]" },
		"strings": func(n int) string { return "[" + strings.Repeat(`"x",`, n/4) + `"x"]` },
		"object":  func(n int) string { return "{" + manyMembers(n/12) + "}" },
		"name":    func(n int) string { return `{"` + strings.Repeat("é", n/2) + `":1}` },
		"nesting": func(n int) string {
			return strings.Repeat(`{"a":`, 5000) + `"` + strings.Repeat("é", n/16) + `"` + strings.Repeat("}", 5000)
		},
		"nesting2": func(int) string { return strings.Repeat("[", 9000) + strings.Repeat("]", 9000) },
		"objects": func(n int) string {
			return "[" + strings.Repeat(`{"id":"1","subject":"x","question":"q","text":"t","type":"text","label":"l"},`, n/80) + "{}]"
		},
	}
	forms := []string{
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":LONG},{"type":"thinking","thinking":LONG}]}}`,
		`*{"type":"assistant","message":{"id":"m","content":LONG},"error":SOME,"api_error_type":SOME}`,
		`{"type":"assistant","parent_tool_use_id":SOME,"message":{"id":SOME,"model":SOME,"content":[{"type":"tool_use","id":SOME,"name":SOME,"input":{"command":LONG}}]}}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"ExitPlanMode","input":{"plan":LONG,"description":LONG}}]}}`,
		`*{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":LONG}}]}}`,
		`*{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"X","input":LONG}]}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":LONG}},"api_message_id":SOME}`,
		`{"type":"stream_event","event":{"type":"error","error":{"message":SOME,"type":SOME}}}`,
		`*{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":SOME,"content":LONG}]},"tool_use_result":{"tasks":SOME,"plan":SOME}}`,
		`*{"type":"user","message":{"content":LONG}}`,
		`{"type":"result","subtype":"success","is_error":true,"result":LONG,"errors":[SOME,SOME],"stop_reason":SOME,"terminal_reason":SOME,"api_error_type":SOME,"user_message_uuids":[SOME],"origin":{"kind":SOME}}`,
		`*{"type":"result","subtype":"success","result":LONG,"user_message_uuids":SOME,"permission_denials":SOME}`,
		`{"type":"system","subtype":"task_notification","task_id":SOME,"tool_use_id":SOME,"status":SOME,"summary":SOME}`,
		`{"type":"system","subtype":"task_started","task_id":SOME,"task_type":SOME,"description":SOME}`,
		`{"type":"system","subtype":"api_retry","error":SOME}`,
		`{"type":"system","subtype":"model_fallback","content":SOME,"trigger":SOME,"original_model":SOME}`,
		`{"type":"system","subtype":"permission_denied","message":SOME,"tool_name":SOME}`,
		`{"type":"system","subtype":"init","model":SOME,"permissionMode":SOME,"session_id":SOME}`,
		`{"type":"control_request","request_id":SOME,"request":{"subtype":"can_use_tool","tool_name":SOME,"tool_use_id":SOME,"agent_id":SOME,"description":SOME,"input":LONG,"decision_reason":SOME}}`,
		`*{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":LONG}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"q","options":LONG},{"question":"q","options":[{"label":"a","description":LONG}]}]}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":SOME}}`,
		`{"type":SOME,"subtype":SOME}`,
		`SOME`,
	}
	for what, value := range huge {
		t.Run(what, func(t *testing.T) {
			for _, form := range forms {
				if strings.HasPrefix(form, "*") || what == "text" {
					tooLarge(t, strings.TrimPrefix(form, "*"), value)
				}
			}
		})
	}
}

// tooLarge gives the members of a form that keep some more than that, and nothing more
// may become of it; and those that keep much, more than an event may hold.
func tooLarge(t *testing.T, form string, value func(n int) string) {
	t.Helper()
	const enough, more, tooMuch = 100 << 10, 104 << 10, 4<<20 + 1000
	fill := func(long, some int) string {
		return strings.NewReplacer("LONG", value(long), "SOME", value(some)).Replace(form)
	}
	if less, more := became(t, fill(16, enough)), became(t, fill(16, more)); more > less+64 { // a number may have another digit
		t.Errorf("%.100s: with a little more it grows from %d bytes to %d", form, less, more)
	}
	if strings.Contains(form, "LONG") {
		became(t, fill(tooMuch, enough))
	}
}

// became checks what becomes of a line, and returns how many bytes it has in all.
func became(t *testing.T, line string) (bytes int) {
	t.Helper()
	s, items := Translate(State{}, []byte(line), recorded)
	if err := newChecker().check(items); err != nil {
		t.Fatalf("%.100s: %.300v", line, err)
	}
	state := len(s.Marshal())
	if state > maxState {
		t.Errorf("%.100s: a state of %d bytes", line, state)
	}
	for _, i := range items {
		switch i := i.(type) {
		case Draft:
			bytes += proto.Size(i.Event)
		case PermissionAsked:
			bytes += checkPrompts(t, i)
		}
	}
	return bytes + state
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":true`, i)
	}
	return b.String()
}

// checkPrompts checks the events of a request, and returns how many bytes they have.
func checkPrompts(t *testing.T, p PermissionAsked) (bytes int) {
	t.Helper()
	for _, e := range PromptEvents(p, recorded.Add(time.Hour)) {
		b, err := proto.Marshal(e)
		if err != nil || len(b) > maxEvent {
			t.Errorf("a prompt of %d bytes: %v", len(b), err)
		}
		if err := proto.Unmarshal(b, &betcodev1.AgentEvent{}); err != nil {
			t.Errorf("a prompt that cannot be read: %v", err)
		}
		bytes += len(b)
	}
	return bytes
}

// TestLongTextIsWhole splits text that is longer than an event may be, and loses
// none of it.
func TestLongTextIsWhole(t *testing.T) {
	whole(t)
	text := strings.Repeat("aé€👍", 1<<20)
	quoted, _ := json.Marshal(text)
	_, items := Translate(State{}, fmt.Appendf(nil, `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":%s}]}}`, quoted), recorded)
	var got strings.Builder
	deltas, complete := 0, 0
	for _, i := range items {
		if d, ok := i.(Draft); ok {
			deltas++
			got.WriteString(d.Event.GetTextDelta().Text)
			if d.Event.GetTextDelta().IsComplete {
				complete = deltas
			}
		}
	}
	if got.String() != text || deltas < 10 || complete != deltas {
		t.Errorf("%d bytes in %d pieces, the last of which is %d; want %d bytes", got.Len(), deltas, complete, len(text))
	}
}

// TestCutsAreMarked: text that is too long is cut, and marked as cut.
func TestCutsAreMarked(t *testing.T) {
	whole(t)
	long := strings.Repeat("x", 5<<20)
	s, items := Translate(State{}, fmt.Appendf(nil, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"%s"}]}}`, long), recorded)
	r := items[0].(Draft).Event.GetToolCallResult()
	if !r.Truncated || r.FullBytes != 5<<20 || len(r.Output) != maxOutput {
		t.Errorf("truncated %v, %d of %d bytes", r.Truncated, len(r.Output), r.FullBytes)
	}
	s, items = Translate(s, fmt.Appendf(nil, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Write","input":{"content":"%s","file_path":"/a"}}]}}`, long), recorded)
	in := items[0].(Draft).Event.GetToolCallStart().Input.AsMap()
	if in["file_path"] != "/a" || !strings.HasSuffix(in["content"].(string), "…[5242880 bytes]") {
		t.Errorf("%.100q", in)
	}
	if c := s.Counters().Truncated; c != 2 {
		t.Errorf("%d cuts counted, want 2", c)
	}
	whole := strings.Repeat("y", 2<<20)
	_, items = Translate(s, fmt.Appendf(nil, `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"content":"%s"}}}`, whole), recorded)
	p := items[0].(PermissionAsked)
	if got := PermissionEvent(p, time.Time{}).GetPermissionRequest(); got.Input.AsMap()["content"] != whole || got.ExpiresAt != nil {
		t.Error("an input that fits was cut, or expires")
	}
	if want := `{"content":"` + whole + `"}`; string(p.Input) != want {
		t.Error("the input was not kept as received")
	}
}

func TestDeepArgumentsAreShownAsText(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 40) + "7" + strings.Repeat("]}", 40)
	fields, whole := toStruct(decodeInput([]byte(deep)), len(deep))
	b, err := proto.Marshal(fields)
	if err != nil || !whole {
		t.Fatalf("%v, whole %v", err, whole)
	}
	// A decoder that allows 100 nested messages, as several do.
	if err := (proto.UnmarshalOptions{RecursionLimit: 96}).Unmarshal(b, fields.ProtoReflect().New().Interface()); err != nil {
		t.Errorf("too deep for other decoders: %v", err)
	}
	if !strings.Contains(fields.String(), "7") {
		t.Error("the innermost value is lost")
	}
}

func TestBlankLinesAndLineEnds(t *testing.T) {
	for _, l := range []string{"", " ", "\t \r", "\r", "\n"} {
		if s, items := Translate(State{}, []byte(l), recorded); len(items) > 0 || s.Counters().Lines > 0 {
			t.Errorf("%q means %v", l, items)
		}
	}
	_, items := Translate(State{}, []byte(" {\"type\":\"keep_alive\"}\r\n"), recorded)
	if len(items) != 0 {
		t.Errorf("a line that ends with CRLF means %v", items)
	}
	s, items := Translate(State{}, []byte("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":\"a\xffb\"}}"), recorded)
	if got := items[0].(Draft).Event.GetTextDelta().Text; got != "a\uFFFDb" || s.Counters().NotUTF8 != 1 {
		t.Errorf("%q, %+v", got, s.Counters())
	}
	_, items = Translate(State{}, []byte("\xff"), recorded)
	if r := items[0].(Draft).Event.GetRaw(); r.Reason != reasonNotUTF8 || string(r.Line) != "\xff" {
		t.Errorf("%v", r)
	}
	_, items = Translate(State{}, bytes.Repeat([]byte("x"), 20<<20), recorded)
	if r := items[0].(Draft).Event.GetRaw(); len(r.Line) != maxRaw {
		t.Errorf("%d bytes of a long raw line", len(r.Line))
	}
}

// TestPrompts makes the events for people.
func TestPrompts(t *testing.T) {
	ask := func(line string) PermissionAsked {
		_, items := Translate(State{}, []byte(line), recorded)
		return items[0].(PermissionAsked)
	}
	expires := recorded.Add(7 * 24 * time.Hour)
	for _, c := range []struct {
		line string
		want []string
	}{
		{
			`{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls","timeout":5},"tool_use_id":"t1","agent_id":"a1","description":"list\n\u001b[1mfiles"}}`,
			[]string{`PermissionRequest{request_id="r1" tool_name="Bash" description="ls (the agent says: \"list\\n\\x1b[1mfiles\")" input={"command":"ls","timeout":5} expires_at={2026-11-27T08:21:11Z} tool_use_id="t1" agent_id="a1"}`},
		},
		{
			`{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which?","header":"H","options":[{"label":"a","description":"A"},{"label":""},"b"],"multiSelect":true},{"question":"Why?"}]}}}`,
			[]string{
				`UserQuestion{question_id="r2/0" question="Which?" options=[{value="a" label="a" description="A"} {value="b" label="b"}] multi_select=true}`,
				`UserQuestion{question_id="r2/1" question="Why?"}`,
			},
		},
		{
			`{"type":"control_request","request_id":"r3","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":"?"}}}`,
			[]string{`PermissionRequest{request_id="r3" tool_name="AskUserQuestion" description="AskUserQuestion" input={"questions":"?"} expires_at={2026-11-27T08:21:11Z}}`},
		},
	} {
		events := PromptEvents(ask(c.line), expires)
		if len(events) != len(c.want) {
			t.Errorf("%d events, want %d", len(events), len(c.want))
			continue
		}
		for i, e := range events {
			got := strings.ReplaceAll(renderEvent(e), "expires_at=2026-11-27T08:21:11Z", "expires_at={2026-11-27T08:21:11Z}")
			if got != c.want[i] || !e.Timestamp.AsTime().Equal(recorded) {
				t.Errorf("\n got %s\nwant %s", got, c.want[i])
			}
		}
	}
}
