package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
)

// FuzzLine passes any bytes to a fresh translator and to one in the middle of a turn.
func FuzzLine(f *testing.F) {
	for _, l := range outputs(f) {
		f.Add(l)
	}
	for _, l := range fragments(f) {
		f.Add(l)
	}
	for _, l := range []string{
		"", " ", "\r", "{", "{}", "[", "null", "0", `"`, "\xff\xfe", "{\"type\":\"assistant\",\"message\":{\"content\":\"\xff\"}}\r",
		`{"TYPE":"assistant","Message":{"content":[{"type":"tool_use","name":"` + "\x00" + `"}]}}`,
	} {
		f.Add([]byte(l))
	}
	var busy State
	for _, l := range fragments(f) {
		busy, _ = Translate(busy, l, recorded)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, s := range []State{{}, busy} {
			c := newChecker()
			for _, call := range s.d.Calls {
				c.calls[call.ID] = true
			}
			for _, m := range s.d.Messages {
				for _, b := range m.Blocks {
					if b.Shown && !b.Done && b.Kind != kindTool {
						c.blocks[blockID(m.ID, b.Index)] = true
					}
				}
			}
			s, _, err := step(s, line, recorded, c)
			if err != nil {
				t.Fatal(err)
			}
			_, items := EndRun(s, recorded)
			if err := c.check(items); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// sequence is how many lines FuzzSequence plays.
const sequence = 40

// FuzzSequence plays lines made of fragments, chosen by the bytes of the input,
// with a process that ends now and then.
func FuzzSequence(f *testing.F) {
	all := fragments(f)
	f.Add([]byte{1, 2, 3})
	f.Add(bytes.Repeat([]byte{7, 0, 200, 41, 255, 255}, 10))
	for from := 0; from < len(all); from += sequence { // the stories as they are, with ends of processes in between
		choices := []byte{0xff, 0xff}
		for n := from; n < min(from+sequence, len(all)); n++ {
			choices = append(choices, byte(n>>8), byte(n))
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		var s State
		c := newChecker()
		for i := 0; i+1 < len(choices) && i <= 2*sequence; i += 2 {
			n := int(choices[i])<<8 | int(choices[i+1])
			if n == 0xffff {
				if err := c.end(s); err != nil {
					t.Fatal(err)
				}
				s, _ = EndRun(s, recorded)
				continue
			}
			var err error
			if s, _, err = step(s, all[n%len(all)], recorded, c); err != nil {
				t.Fatalf("line %d, %s: %v", i/2, all[n%len(all)], err)
			}
		}
		if err := c.end(s); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzState reads any bytes as a state, and goes on with what could be read; their
// length decides with which lines.
func FuzzState(f *testing.F) {
	var s State
	for _, l := range fragments(f) {
		s, _ = Translate(s, l, recorded)
	}
	f.Add(s.Marshal())
	for _, story := range stories(f) {
		var s State
		for _, l := range story {
			s, _ = Translate(s, []byte(l), recorded)
		}
		f.Add(s.Marshal())
	}
	files, _ := filepath.Glob("testdata/states/v*.json")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"v":1,"messages":[{"id":"m1","open":true,"next":-1,"blocks":[{"i":-5,"k":"odd","shown":true}]}],"calls":[{"id":"t1"}]}`))
	f.Add([]byte(`{"v":2}`))
	all := fragments(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseState(b)
		if err != nil {
			if messages.KindOf(err) == messages.Internal {
				t.Fatalf("an error without a kind: %v", err)
			}
			return
		}
		const share = 16
		for i := len(b) % share; i < len(all); i += share {
			s, _ = Translate(s, all[i], recorded)
		}
		EndRun(s, recorded)
	})
}

// FuzzAnswer checks that whatever input the agent sent goes back as it was, on
// one line.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"questions":[{"question":"Which?"}]}`), "Which?", "main")
	f.Add([]byte(`{"questions":[{"question":"A?"},{"question":"B?","multiSelect":true},{"question":7},{}],"answers":{"A?":"x"}}`), "B?", "a, b")
	f.Add([]byte("{}\v"), "", "") // no JSON, though Go calls that a space
	f.Add([]byte("\r\n{\"a\":{\"b\":[1.0e0,\"\\u2028\",null]}}\t"), "?", "")
	f.Add([]byte(`[{}]`), "?", "x")
	f.Add([]byte("{\n \"questions\" : [ {\"question\":\"\u2028\"} ] , \"answers\": {} }"), "\u2028", "a\nb")
	f.Fuzz(func(t *testing.T, input []byte, question, value string) {
		line, err := AnswerLine("id", input, map[string]string{question: value})
		if err == nil {
			oneLineOfJSON(t, line)
		}
		line, err = AllowLine("id", input, Suggested{})
		if err != nil {
			return
		}
		var got struct {
			Response struct {
				Response struct {
					Input json.RawMessage `json:"updatedInput"`
				} `json:"response"`
			} `json:"response"`
		}
		oneLineOfJSON(t, line)
		if json.Unmarshal(line, &got) != nil || len(input) > 0 && !sameJSON(got.Response.Response.Input, input) {
			t.Fatalf("%q became %q", input, got.Response.Response.Input)
		}
	})
}
