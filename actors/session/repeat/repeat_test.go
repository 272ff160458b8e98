package repeat

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"betcode/messages"
)

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

const key = "0b0e8a10-0000-4000-8000-00000000000a"

func message(r messages.Repeat) messages.SendInput {
	return messages.SendInput{Key: key, Client: "ann", Content: "Fix the tests.", Repeat: &r}
}

func TestBegin(t *testing.T) {
	got := Begin(message(messages.Repeat{}), dawn)
	want := messages.Repetition{
		Key: key, Client: "ann", Max: 50, Marker: "DONE", Sent: 1, Since: dawn,
		Content: "Fix the tests.\n\nTake action on the directions above until fully complete. If complete, respond only with DONE.",
	}
	if got != want || !got.Active() {
		t.Errorf("%+v, want %+v", got, want)
	}
	got = Begin(message(messages.Repeat{Max: 3, Marker: "FINI"}), dawn)
	if got.Max != 3 || got.Marker != "FINI" || !strings.HasSuffix(got.Content, "only with FINI.") {
		t.Errorf("%+v", got)
	}
}

func TestStep(t *testing.T) {
	r := messages.Repetition{Key: key, Max: 50, Marker: "DONE", Sent: 2}
	last := r
	last.Sent = 50
	for name, c := range map[string]struct {
		r    messages.Repetition
		a    Answer
		want Verdict
	}{
		"more to do":                 {r, Answer{Text: "I fixed two of them."}, Again},
		"no text":                    {r, Answer{}, Again},
		"the marker":                 {r, Answer{Text: "DONE"}, Complete},
		"with a point":               {r, Answer{Text: " Done.\n"}, Complete},
		"with an exclamation mark":   {r, Answer{Text: "done!"}, Complete},
		"with two":                   {r, Answer{Text: "DONE!!"}, Again},
		"not done":                   {r, Answer{Text: "Not done yet"}, Again},
		"done and more":              {r, Answer{Text: "DONE. All tests pass."}, Again},
		"more and done":              {r, Answer{Text: "All tests pass.\n\nDONE"}, Again},
		"in bold":                    {r, Answer{Text: "**DONE**"}, Again},
		"a word that begins with it": {r, Answer{Text: "DONEGAL"}, Again},
		"the last prompt":            {last, Answer{Text: "more"}, Exhausted},
		"the last prompt, and done":  {last, Answer{Text: "DONE"}, Complete},
		"a failed turn":              {r, Answer{Text: "DONE", Failed: true}, Failed},
		"a canceled turn":            {r, Answer{Failed: true, Canceled: true}, Canceled},
		"a stored limit above ours":  {messages.Repetition{Key: key, Max: 1000, Marker: "DONE", Sent: 50}, Answer{}, Exhausted},
	} {
		next, got := Step(c.r, c.a)
		if got != c.want || next.Active() != (got == Again) || next.Active() && next.Sent != c.r.Sent+1 {
			t.Errorf("%s: %+v %d, want %d", name, next, got, c.want)
		}
	}
	if _, got := Step(messages.Repetition{Key: key, Max: 2, Marker: "fertig", Sent: 1}, Answer{Text: "Fertig."}); got != Complete {
		t.Errorf("another marker: %d", got)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*messages.SendInput)
		why    string
	}{
		"once":                 {func(m *messages.SendInput) { m.Repeat, m.Attachments = nil, make([]messages.Attachment, 1) }, ""},
		"as often as possible": {func(m *messages.SendInput) { m.Repeat.Max = 50 }, ""},
		"too often":            {func(m *messages.SendInput) { m.Repeat.Max = 51 }, "at most 50"},
		"two words":            {func(m *messages.SendInput) { m.Repeat.Marker = "ALL DONE" }, "no word"},
		"an escape":            {func(m *messages.SendInput) { m.Repeat.Marker = "\x1b[2J" }, "no word"},
		"a long word":          {func(m *messages.SendInput) { m.Repeat.Marker = strings.Repeat("x", 65) }, "no word"},
		"a long word of ours":  {func(m *messages.SendInput) { m.Repeat.Marker = strings.Repeat("ß", 64) }, ""},
		"a file":               {func(m *messages.SendInput) { m.Attachments = make([]messages.Attachment, 1) }, "no attachments"},
		"a long text":          {func(m *messages.SendInput) { m.Content = strings.Repeat("x", 32<<10+1) }, "at most 32768"},
	} {
		m := message(messages.Repeat{})
		c.change(&m)
		err := Check("test", m)
		if (err == nil) != (c.why == "") || err != nil && (err.Kind != messages.Invalid || !strings.Contains(err.Error(), c.why) || err.Hint == "") {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}

// However agents answer, a message causes at most its limit of prompts, each under a key of its own that is a UUID and the same
// whenever it is computed; nothing follows the marker, a failure or a cancellation.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Uint32Range(0, messages.MaxRepeats).Draw(t, "max")
		r := Begin(message(messages.Repeat{Max: most}), dawn)
		answers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Answer {
			return Answer{
				Text:     rapid.SampledFrom([]string{"more", "not done", "", "more", "more", "more", "more", "DONE"}).Draw(t, "text"),
				Failed:   rapid.IntRange(0, 30).Draw(t, "failed") == 0,
				Canceled: rapid.IntRange(0, 30).Draw(t, "canceled") == 0,
			}
		}), 60, 60).Draw(t, "answers")
		keys := map[string]bool{}
		for _, a := range answers {
			k := Key(r)
			if keys[k] || uuid.Validate(k) != nil || Key(r) != k {
				t.Fatalf("prompt %d has the key %s", r.Sent, k)
			}
			keys[k] = true
			next, verdict := Step(r, a)
			if ends := a.Failed || a.Canceled || a.Text == "DONE"; ends && verdict == Again {
				t.Fatalf("%+v is followed by another prompt", a)
			}
			if next.Content != r.Content && verdict == Again {
				t.Fatal("the prompt has changed")
			}
			if r = next; verdict != Again {
				break
			}
		}
		if limit := most; r.Active() || limit > 0 && len(keys) > int(limit) || len(keys) > messages.MaxRepeats {
			t.Fatalf("%d prompts, limit %d, active %v", len(keys), limit, r.Active())
		}
	})
}

func TestBusyError(t *testing.T) {
	e := BusyError("send input", "s1", messages.Repetition{Sent: 2, Max: 5})
	if e.Kind != messages.WrongState || e.Details["session_id"] != "s1" || !strings.Contains(e.Error(), "prompt 2 of 5") || !strings.Contains(e.Hint, "betcode session cancel s1") {
		t.Errorf("%+v", e)
	}
}

func TestWhy(t *testing.T) {
	r := messages.Repetition{Marker: "COMPLETE", Sent: 3}
	for verdict, want := range map[Verdict]string{
		Again: "", Complete: "", Exhausted: "the agent has not answered COMPLETE after 3 prompts", Failed: "no credit", Canceled: "the turn was cancelled",
	} {
		if got := Why(r, verdict, "no credit"); got != want {
			t.Errorf("%d: %q", verdict, got)
		}
	}
	if Why(r, Failed, "") == "" {
		t.Error("a failure without a text")
	}
}

func TestIteration(t *testing.T) {
	r := Begin(messages.SendInput{Key: key, Repeat: &messages.Repeat{Max: 3}}, dawn)
	if got := Iteration(r, Key(r)); got != 1 {
		t.Errorf("the first prompt is %d", got)
	}
	if Iteration(r, "other") != 0 || Iteration(messages.Repetition{}, Key(messages.Repetition{})) != 0 {
		t.Error("a message that is not repeated has a number")
	}
}
