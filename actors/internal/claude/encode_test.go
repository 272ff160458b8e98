package claude

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"betcode/messages"
	"betcode/messages/claudecode"
)

// oneLineOfJSON fails unless b is one JSON object and a newline, and no reader
// could find another end of a line in it.
func oneLineOfJSON(t interface{ Fatalf(string, ...any) }, b []byte) {
	if !bytes.HasSuffix(b, []byte("}\n")) {
		t.Fatalf("not one object on one line: %q", b)
	}
	body := b[:len(b)-1]
	if bytes.ContainsAny(body, "\r\n") || bytes.Contains(body, lineSeparator) || bytes.Contains(body, paragraphSeparator) {
		t.Fatalf("a line end within the line: %q", b)
	}
	if !json.Valid(body) {
		t.Fatalf("not JSON: %q", b)
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func TestLines(t *testing.T) {
	line := func(b []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		oneLineOfJSON(t, b)
		return strings.TrimSuffix(string(b), "\n")
	}
	sure := func(b []byte) string { return line(b, nil) }
	raw := []byte(`{"command": "a && <b>", "n": 1.0e0, "é": "\u00e9"}`)
	for _, c := range []struct{ name, got, want string }{
		{
			"message", line(UserLine("u1", "Say <hello> & \"bye\"\n", nil)),
			`{"type":"user","message":{"role":"user","content":"Say <hello> & \"bye\"\n"},"parent_tool_use_id":null,"session_id":"","uuid":"u1","origin":{"kind":"human"}}`,
		},
		{
			"message with files", line(UserLine("u1", "Look", []messages.Attachment{
				{Filename: "a.png", MimeType: "image/png", Data: []byte("png")},
				{Filename: "dir/b.pdf", MimeType: "application/pdf", Data: []byte("pdf")},
				{Filename: "c.txt", MimeType: "text/plain; charset=utf-8", Data: []byte("text")},
			})),
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Look"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"},"title":"b.pdf"},` +
				`{"type":"text","text":"File c.txt:\n\ntext"}]},"parent_tool_use_id":null,"session_id":"","uuid":"u1","origin":{"kind":"human"}}`,
		},
		{
			"file only", line(UserLine("u1", "", []messages.Attachment{{Filename: "x.JPG", Data: []byte("j")}})),
			`{"type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"ag=="}}]},` +
				`"parent_tool_use_id":null,"session_id":"","uuid":"u1","origin":{"kind":"human"}}`,
		},
		{
			"allow", line(AllowLine("r1", nil, Suggested{})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow"}}}`,
		},
		{
			"allow with input", line(AllowLine("r1", raw, Suggested{})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow","updatedInput":` + string(raw) + `}}}`,
		},
		{
			"allow with a hostile id", line(AllowLine(`"updatedInput":0`, []byte(`{"a":"\"updatedInput\":0"}`), Suggested{})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"\"updatedInput\":0","response":{"behavior":"allow","updatedInput":{"a":"\"updatedInput\":0"}}}}`,
		},
		{
			"allow, line ends", line(AllowLine("r1", []byte("{\r\n\"a\": \"x\u2028y\"\n}"), Suggested{})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow","updatedInput":{"a":"x\u2028y"}}}}`,
		},
		{
			"allow and more", line(AllowLine("r1", nil, Suggested{All: []byte("[{\"type\":\"setMode\"},\n {\"type\": \"addRules\"}]"), Chosen: []uint32{1, 0}})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow",` +
				`"updatedPermissions":[{"type":"addRules"},{"type":"setMode"}]}}}`,
		},
		{
			"allow with input and more", line(AllowLine("r1", raw, Suggested{All: []byte(`["\"updatedInput\":0"]`), Chosen: []uint32{0}})),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"allow",` +
				`"updatedPermissions":["\"updatedInput\":0"],"updatedInput":` + string(raw) + `}}}`,
		},
		{
			"deny", sure(DenyLine("r1", "Not now.", false)),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"deny","message":"Not now."}}}`,
		},
		{
			"deny and stop", sure(DenyLine("r1", "", true)),
			`{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"behavior":"deny","message":"The user denied this tool call.","interrupt":true}}}`,
		},
		{
			"refuse", sure(RefuseLine("r1", "not supported")),
			`{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"not supported"}}`,
		},
		{"interrupt", sure(InterruptLine("i", false)), `{"type":"control_request","request_id":"i","request":{"subtype":"interrupt"}}`},
		{"interrupt all", sure(InterruptLine("i", true)), `{"type":"control_request","request_id":"i","request":{"subtype":"interrupt","cancel_queued":true}}`},
		{"mode", sure(SetModeLine("i", "plan")), `{"type":"control_request","request_id":"i","request":{"subtype":"set_permission_mode","mode":"plan"}}`},
		{"model", sure(SetModelLine("i", "opus")), `{"type":"control_request","request_id":"i","request":{"subtype":"set_model","model":"opus"}}`},
		{"default model", sure(SetModelLine("i", "")), `{"type":"control_request","request_id":"i","request":{"subtype":"set_model"}}`},
		{"initialize", sure(InitializeLine("i", false)), `{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}`},
		{"initialize, keep tasks", sure(InitializeLine("i", true)), `{"type":"control_request","request_id":"i","request":{"subtype":"initialize","perTaskStopAffordance":true}}`},
		{"barrier", sure(BarrierLine("i", claudecode.Of(""))), `{"type":"control_request","request_id":"i","request":{"subtype":"get_binary_version"}}`},
		{"end", sure(EndSessionLine("i", claudecode.Of(""))), `{"type":"control_request","request_id":"i","request":{"subtype":"end_session"}}`},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestAnswers(t *testing.T) {
	const frame = `{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow","updatedInput":`
	two := `{"questions": [{"question": "Which?", "options": []}, {"question":"Go \u2026 on\ud800?"}]}`
	for _, c := range []struct {
		name, input string
		answers     map[string]string
		want        string // of updatedInput; empty = refused
	}{
		{
			"in the order of the questions", two,
			map[string]string{"Go … on\uFFFD?": "yes", "Which?": "a, b"},
			two[:len(two)-1] + `,"answers":{"Which?":"a, b","Go \u2026 on\ud800?":"yes"}}`,
		},
		{"one left out", two, map[string]string{"Which?": "a"}, two[:len(two)-1] + `,"answers":{"Which?":"a"}}`},
		{
			"a key of no question goes along", two,
			map[string]string{"Which?": "a", "z": "1", "b": "2"},
			two[:len(two)-1] + `,"answers":{"Which?":"a","b":"2","z":"1"}}`,
		},
		{"no key of a question", two, map[string]string{"z": "1"}, ""},
		{"no answer", two, nil, ""},
		{"one question, one answer", `{"questions":[{"question":"Q"}]}`, map[string]string{"r/0": "x"}, `{"questions":[{"question":"Q"}],"answers":{"Q":"x"}}`},
		{"answered before", `{"questions":[{"question":"Q"}],"answers":{}}`, map[string]string{"Q": "x"}, `{"questions":[{"question":"Q"}],"answers":{},"answers":{"Q":"x"}}`},
		{
			"long question", `{"questions":[{"question":"` + strings.Repeat("é", maxQuestion) + `"}]}`,
			map[string]string{strings.Repeat("é", maxQuestion/2): "x"},
			`{"questions":[{"question":"` + strings.Repeat("é", maxQuestion) + `"}],"answers":{"` + strings.Repeat("é", maxQuestion) + `":"x"}}`,
		},
		{"no questions", `{"a":1}`, map[string]string{"Q": "x"}, ""},
		{"null", `null`, map[string]string{"Q": "x"}, ""},
		{"no text", `{"questions":[{"question":null}]}`, map[string]string{"": "x"}, ""},
	} {
		got, err := AnswerLine("r", []byte(c.input), c.answers)
		if c.want == "" {
			if messages.KindOf(err) != messages.Invalid {
				t.Errorf("%s: %v, want it refused", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		oneLineOfJSON(t, got)
		if diff := cmp.Diff(frame+c.want+"}}}\n", string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestAnsweredQuestion answers the recorded question as the recorded host did.
func TestAnsweredQuestion(t *testing.T) {
	var asked PermissionAsked
	var s State
	for _, e := range transcripts(t)["05_question_answered"] {
		if e.Dir == "out" {
			var items []Item
			s, items = Translate(s, e.Line, e.at())
			for _, i := range items {
				if p, ok := i.(PermissionAsked); ok {
					asked = p
				}
			}
			continue
		}
		if !bytes.Contains(e.Line, []byte("updatedInput")) {
			continue
		}
		answers := map[string]string{}
		for _, e := range QuestionEvents(asked) {
			answers[e.GetUserQuestion().Question] = map[string]string{
				"Which branch?": "develop", "Which checks?": "lint, test", "Go on?": "only after lunch",
			}[e.GetUserQuestion().Question]
		}
		got, err := AnswerLine(asked.Request, asked.Input, answers)
		if err != nil || !sameJSON(got, e.Line) {
			t.Errorf("got %s (%v)\nwant %s", got, err, e.Line)
		}
		return
	}
	t.Fatal("the recorded answer was not found")
}

func TestRefusedInputs(t *testing.T) {
	for _, input := range []string{"null", "5", "[]", `"x"`, "{", `{"a":}`, "{} {}", " \n"} {
		if _, err := AllowLine("r", []byte(input), Suggested{}); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%q: %v, want it refused", input, err)
		}
	}
}

// TestEveryLineIsOneLine makes lines of any text and decodes them back.
func TestEveryLineIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(0, 20, -1), rapid.SampledFrom([]string{
			"\u2028", "a\r\nb", "\x00", "\xff\xfe", `\`, `"`, "</script>", "👍\u2029",
		})).Draw(t, "text")
		id := rapid.String().Draw(t, "id")
		content := "x" + text
		user, err := UserLine("k"+id, content, []messages.Attachment{{Filename: text, MimeType: "image/png", Data: []byte("x" + text)}})
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, l := range [][]byte{
			user, DenyLine(id, text, true), RefuseLine(id, text), InterruptLine(id, true), SetModeLine(id, text),
			SetModelLine(id, text), InitializeLine(id, true), BarrierLine(id, claudecode.Of("")), EndSessionLine(id, claudecode.Of("")),
		} {
			oneLineOfJSON(t, l)
		}
		var back struct {
			Message struct{ Content []struct{ Text string } }
			UUID    string
		}
		if err := json.Unmarshal(user, &back); err != nil {
			t.Fatalf("%v", err)
		}
		if want := strings.ToValidUTF8(content, "\uFFFD"); utf8.ValidString(content) && back.Message.Content[0].Text != want {
			t.Fatalf("%q became %q", want, back.Message.Content[0].Text)
		}
		object, _ := json.Marshal(map[string]any{"a": text, text: []any{1, nil, map[string]any{"b": text}}})
		allow, err := AllowLine(id, object, Suggested{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		oneLineOfJSON(t, allow)
		if !bytes.Contains(allow, object) {
			t.Fatalf("%s was rewritten: %s", object, allow)
		}
	})
}

func TestSuggestionsThatAreNone(t *testing.T) {
	for _, s := range []Suggested{
		{Chosen: []uint32{0}},
		{All: []byte("[]"), Chosen: []uint32{0}},
		{All: []byte("{}"), Chosen: []uint32{0}},
		{All: []byte("[1,2]"), Chosen: []uint32{1, 2}},
		{All: []byte("[1]"), Chosen: []uint32{1 << 31}},
	} {
		if _, err := AllowLine("r", nil, s); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%v of %s: %v", s.Chosen, s.All, err)
		}
	}
}
