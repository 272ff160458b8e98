package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// person is a chat and the time at which its keys are pressed.
type person struct {
	*Model
	now     time.Time
	effects []Effect
	timers  []timer
}

type timer struct {
	due     time.Time
	message any
}

func newPerson(o Options) *person {
	n := 0
	o.NewKey = func() string {
		n++
		return fmt.Sprintf("key-%d", n)
	}
	return &person{Model: New(o), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// does gives the model a message, and messages that are due before time passes.
func (p *person) does(message any) {
	for _, e := range p.Step(p.now, message) {
		if after, ok := e.(After); ok {
			p.timers = append(p.timers, timer{p.now.Add(after.Wait), after.Message})
			continue
		}
		p.effects = append(p.effects, e)
	}
}

// waits lets time pass.
func (p *person) waits(d time.Duration) {
	end := p.now.Add(d)
	for {
		slices.SortStableFunc(p.timers, func(a, b timer) int { return a.due.Compare(b.due) })
		if len(p.timers) == 0 || p.timers[0].due.After(end) {
			break
		}
		t := p.timers[0]
		p.timers = p.timers[1:]
		p.now = t.due
		p.does(t.message)
	}
	p.now = end
}

// types presses keys with pauses: a character types itself, longer words are names.
func (p *person) types(gap time.Duration, keys ...string) {
	for _, name := range keys {
		k := editor.Key{Name: name}
		if len([]rune(name)) == 1 {
			k.Text = name
		}
		p.does(Press(k))
		p.waits(gap)
	}
}

func (p *person) events(events ...*pb.AgentEvent) {
	var items Items
	for _, e := range events {
		items = append(items, client.Item{Event: e})
	}
	p.does(items)
}

// sent returns the requests that were sent.
func (p *person) sent() (out []*pb.AgentRequest) {
	for _, e := range p.effects {
		if s, ok := e.(Send); ok {
			out = append(out, s.Request)
		}
	}
	return out
}

// kept returns the draft that was saved last.
func (p *person) kept() (s drafts.Saved) {
	for _, e := range p.effects {
		if saved, ok := e.(Save); ok {
			s = saved.Draft
		}
	}
	return s
}

const (
	typing = 100 * time.Millisecond // between the keys of a person
	paste  = time.Millisecond       // between the keys of an unmarked paste
)

func TestAnswersAreMeant(t *testing.T) {
	asks := eventtest.Asks("r", "Bash", "rm -rf build")
	for name, test := range map[string]struct {
		do      func(p *person)
		allowed bool
		text    string // in the editor afterwards
	}{
		"a key after a pause":         {func(p *person) { p.events(asks); p.waits(time.Second); p.types(time.Second, "y") }, true, ""},
		"a key at once":               {func(p *person) { p.events(asks); p.types(time.Second, "y") }, false, "y"},
		"while typing":                {func(p *person) { p.types(typing, "s", "a"); p.events(asks); p.types(typing, "y", " ", "n") }, false, "say n"},
		"while typing, after a pause": {func(p *person) { p.types(typing, "s"); p.events(asks); p.waits(time.Second); p.types(time.Second, "y") }, false, "sy"},
		"a deliberate key": {func(p *person) {
			p.types(typing, "s")
			p.events(asks)
			p.waits(time.Second)
			p.types(time.Second, "tab", "y")
		}, true, "s"},
		"a key soon after Tab": {func(p *person) {
			p.types(typing, "s")
			p.events(asks)
			p.waits(time.Second)
			p.types(time.Second, "tab")
			p.types(typing, "y")
			p.waits(time.Second)
		}, true, "s"},
		"a paste after Tab": {func(p *person) {
			p.types(typing, "s")
			p.events(asks)
			p.waits(time.Second)
			p.types(time.Second, "tab")
			p.types(paste, "y", "e", "s")
			p.waits(time.Second)
		}, false, "syes"},
		"Tab at once": {func(p *person) { p.types(typing, "s"); p.events(asks); p.types(typing, "tab", "y") }, false, "sy"},
		"an unmarked paste": {func(p *person) {
			p.events(asks)
			p.waits(time.Second)
			p.types(paste, "y", "enter")
			p.waits(time.Second)
		}, false, "y\n"},
		"a word": {func(p *person) {
			p.events(asks)
			p.waits(time.Second)
			p.types(20*time.Millisecond, "y", "e", "s")
			p.waits(time.Second)
		}, false, "yes"},
		"a marked paste": {func(p *person) { p.events(asks); p.waits(time.Second); p.does(Paste("y")); p.waits(time.Second) }, false, "y"},
		"a paste behind a key": {func(p *person) {
			p.events(asks)
			p.waits(time.Second)
			p.types(paste, "y")
			p.does(Paste("x"))
			p.waits(time.Second)
		}, false, "yx"},
		"answered elsewhere meanwhile": {func(p *person) {
			p.events(asks)
			p.waits(time.Second)
			p.types(paste, "y")
			p.events(eventtest.Resolved("r"))
			p.waits(time.Second)
		}, false, ""},
		"Esc first": {func(p *person) { p.events(asks); p.waits(time.Second); p.types(time.Second, "esc", "y") }, false, "y"},
		"a command": {func(p *person) {
			p.events(asks)
			p.types(typing, strings.Split("/allow", "")...)
			p.types(typing, "enter")
		}, true, ""},
		"a short message": {func(p *person) { p.events(asks); p.types(typing, "y", "enter") }, false, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(Options{})
			test.do(p)
			sent := p.sent()
			if allowed := len(sent) == 1 && sent[0].GetPermission().GetDecision() == pb.PermissionDecision_ALLOW_ONCE; allowed != test.allowed || len(sent) > 1 || !allowed && len(sent) > 0 {
				t.Errorf("sent %v", sent)
			}
			if got := p.editor.Text(); got != test.text {
				t.Errorf("in the editor: %q, want %q", got, test.text)
			}
		})
	}
}

// A form is filled in as fast as a person types: only its first key needs silence before it.
func TestFormIsFilledIn(t *testing.T) {
	asks := &pb.AgentEvent{Sequence: 3, Event: &pb.AgentEvent_UserQuestion{UserQuestion: &pb.UserQuestion{
		QuestionId: "q", Question: "Which?", MultiSelect: true, Options: []*pb.QuestionOption{{Label: "Red"}, {Label: "Green"}, {Label: "Blue"}},
	}}}
	for name, test := range map[string]struct {
		do     func(p *person)
		answer string
		text   string // in the editor afterwards
	}{
		"after a pause": {func(p *person) { p.waits(time.Second); p.types(typing, "1", "3", "enter") }, "Red, Blue", ""},
		"a pause in the middle": {func(p *person) {
			p.waits(time.Second)
			p.types(typing, "1")
			p.types(time.Second, "2")
			p.types(typing, "enter")
		}, "Red, Green", ""},
		"at once":              {func(p *person) { p.types(typing, "1", "3") }, "", "13"},
		"Esc in the middle":    {func(p *person) { p.waits(time.Second); p.types(typing, "1", "esc", "3") }, "", "3"},
		"an unmarked paste":    {func(p *person) { p.waits(time.Second); p.types(paste, "1", "3", "enter") }, "", "13\n"},
		"a paste in its midst": {func(p *person) { p.waits(time.Second); p.types(typing, "1", "2"); p.types(paste, "3", "enter") }, "", "3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(Options{})
			p.events(asks)
			test.do(p)
			p.waits(time.Second)
			answer := ""
			for _, r := range p.sent() {
				if r.GetQuestionResponse() == nil {
					t.Errorf("sent %v", r)
				}
				answer = r.GetQuestionResponse().GetAnswers()["Which?"]
			}
			if got := p.editor.Text(); answer != test.answer || got != test.text {
				t.Errorf("answered %q, want %q; in the editor: %q, want %q", answer, test.answer, got, test.text)
			}
		})
	}
}

// What is typed is in the draft with each key, as a message until the daemon confirms it, and back in the editor if it refuses.
func TestDraft(t *testing.T) {
	p := newPerson(Options{Session: "s"})
	p.types(typing, "h", "i")
	if p.kept().Text != "hi" {
		t.Errorf("kept %+v", p.kept())
	}
	p.types(typing, "enter")
	if s := p.kept(); s.Text != "" || len(s.Unconfirmed) != 1 || s.Unconfirmed[0].Text != "hi" {
		t.Errorf("kept %+v", s)
	}
	volatile := &pb.AgentEvent{Volatile: true, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "key-1"}}}
	p.events(volatile)
	if len(p.kept().Unconfirmed) != 1 {
		t.Error("a volatile event confirms nothing")
	}
	p.events(&pb.AgentEvent{Sequence: 1, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "key-1"}}})
	if s := p.kept(); s.Text != "" || len(s.Unconfirmed) != 0 {
		t.Errorf("kept %+v", s)
	}
	p.types(typing, "n", "o", "enter", "x")
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Code: "NO_INPUT_LOCK", Details: map[string]string{"idempotency_key": "key-2"}}}})
	if got := p.editor.Text(); got != "no\nx" || p.kept().Text != got {
		t.Errorf("in the editor: %q, kept %+v", got, p.kept())
	}
}

// The draft of a session is restored after its history, without messages that the history confirms.
func TestRestore(t *testing.T) {
	left := drafts.Saved{Text: "half", Unconfirmed: []drafts.Message{{Key: "a", Text: "arrived"}, {Key: "b", Text: "lost"}}}
	p := newPerson(Options{Head: 2, Exact: true, Restored: left})
	p.events(&pb.AgentEvent{Sequence: 1, Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "a"}}})
	if !p.editor.Empty() {
		t.Error("restored before the history was read")
	}
	p.events(&pb.AgentEvent{Sequence: 2, Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Message: "x"}}})
	if got := p.editor.Text(); got != "lost\nhalf" || p.kept().Text != got {
		t.Errorf("in the editor: %q, kept %+v", got, p.kept())
	}
}

// A backslash before Enter begins a new line and is not sent, whether the keys come slowly or at once.
func TestBackslashEnter(t *testing.T) {
	for _, gap := range []time.Duration{typing, time.Millisecond} {
		p := newPerson(Options{})
		p.types(gap, "a", "\\", "enter", "b")
		p.waits(time.Second)
		p.types(typing, "enter")
		p.waits(time.Second)
		if sent := p.sent(); len(sent) != 1 || sent[0].GetMessage().GetContent() != "a\nb" {
			t.Errorf("keys each %v: sent %v", gap, sent)
		}
	}
}

// Some terminals send a backslash, a carriage return and a line feed for Shift-Enter. They are one line end, as in a paste that the
// terminal does not mark.
func TestReturnAndFeedAreOneLineEnd(t *testing.T) {
	for name, keys := range map[string][]string{
		"shift-enter": {"\\", "enter", "ctrl+j", "b"},
		"a paste":     {"enter", "ctrl+j", "b", "enter", "ctrl+j", "c"},
	} {
		p := newPerson(Options{})
		p.types(typing, "a")
		p.types(time.Millisecond, keys...)
		p.waits(time.Second)
		if want := map[string]string{"shift-enter": "a\nb", "a paste": "a\nb\nc"}[name]; p.editor.Text() != want || len(p.sent()) != 0 {
			t.Errorf("%s: %q in the editor, sent %v", name, p.editor.Text(), p.sent())
		}
		p.types(typing, "enter", "ctrl+j")
		p.waits(time.Second)
		if sent := p.sent(); len(sent) != 1 {
			t.Errorf("%s: Enter, and a line end later: sent %v", name, sent)
		}
	}
}

// The line above the cursor goes on as well where the text does not end there.
func TestBackslashEnterInTheMiddle(t *testing.T) {
	p := newPerson(Options{})
	p.types(typing, "a", "c", "left", "\\", "enter", "b")
	p.waits(time.Second)
	p.types(typing, "enter")
	p.waits(time.Second)
	if sent := p.sent(); len(sent) != 1 || sent[0].GetMessage().GetContent() != "a\nbc" {
		t.Errorf("sent %v", sent)
	}
}

// A paste that contains its own end mark neither sends text nor answers a request.
func TestPasteWithItsOwnEnd(t *testing.T) {
	p := newPerson(Options{})
	p.does(Paste("rm -rf x"))
	p.types(time.Millisecond, "enter", "y", "enter")
	p.waits(time.Second)
	if sent := p.sent(); len(sent) != 0 || p.editor.Text() != "rm -rf x\ny\n" {
		t.Errorf("sent %v, in the editor: %q", sent, p.editor.Text())
	}
	p.types(typing, "enter")
	p.waits(time.Second)
	if sent := p.sent(); len(sent) != 1 {
		t.Errorf("a later Enter sends: %v", sent)
	}
	p = newPerson(Options{})
	p.events(eventtest.Asks("r", "Bash", "ls"))
	p.waits(time.Second)
	p.does(Paste(""))
	p.types(time.Millisecond, "y", "a")
	p.waits(time.Second)
	if sent := p.sent(); len(sent) != 0 {
		t.Errorf("answered %v", sent)
	}
}

// The status names the other clients and the holder of the lock; escapes in their names are shown.
func TestWhoWatches(t *testing.T) {
	p := newPerson(Options{Client: "me@host:pts/1#7.x"})
	p.does(Resize{200, 20})
	attached := func(complete bool, ids ...string) *pb.AgentEvent {
		change := &pb.PresenceChange{Complete: complete}
		for _, id := range ids {
			change.Attached = append(change.Attached, &pb.AttachedClient{ClientId: id})
		}
		return &pb.AgentEvent{Event: &pb.AgentEvent_Presence{Presence: change}}
	}
	p.events(attached(true, "me@host:pts/1#7.x"), &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "me@host:pts/1#7.x"}}})
	if got := p.Status(p.now); strings.Contains(got, "with ") || !strings.Contains(got, "lock: you") {
		t.Error(got)
	}
	p.events(attached(false, "ann@host:pts/2#1.a", "ann@host:pts/2#2.b", "web\x1b[2J", "zoe"))
	if got := p.Status(p.now); !strings.Contains(got, `, web\x1b[2J and 1 more`) || strings.Count(got, "ann@") != 1 {
		t.Error(got)
	}
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_Presence{Presence: &pb.PresenceChange{Detached: []string{"zoe", "web\x1b[2J"}}}},
		&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "ann@host:pts/2#1.a"}}})
	if got := p.Status(p.now); strings.Contains(got, "zoe") || strings.Contains(got, "#1") || !strings.Contains(got, "lock: ann@host") {
		t.Error(got)
	}
	p.events(attached(true, "me@host:pts/2#8.y"), &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: "me@host:pts/1#7.x", RequestedBy: "me@host:pts/2#8.y"}}})
	if got := p.Status(p.now); !strings.HasPrefix(got, "idle · your other terminal (pts/2) asks for the lock: /release or /refuse · with your other terminal (pts/2)") {
		t.Error(got)
	}
	for _, l := range []struct{ holder, requester, want string }{
		{"me@host:pts/2#8.y", "me@host:pts/1#7.x", "idle · you asked for the lock · with"},
		{"me@host:pts/2#8.y", "zoe", "idle · zoe asks for the lock · with"},
	} {
		p.events(&pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: l.holder, RequestedBy: l.requester}}})
		if got := p.Status(p.now); !strings.HasPrefix(got, l.want) {
			t.Error(got)
		}
	}
}

// With TakeLock the chat asks for the input lock once, when its stream is attached; a change of the lock later is no reason to ask
// again.
func TestTakeLock(t *testing.T) {
	holder := func(id string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: &pb.LockChange{Holder: id}}}
	}
	asked := func(p *person) (n int) {
		for _, e := range p.effects {
			if _, ok := e.(RequestLock); ok {
				n++
			}
		}
		return n
	}
	p := newPerson(Options{Client: "me", TakeLock: true})
	if p.events(eventtest.Text("history")); asked(p) != 0 {
		t.Error("asked before the stream is attached")
	}
	if p.events(holder("ann")); asked(p) != 1 {
		t.Errorf("attached: asked %d times", asked(p))
	}
	if p.events(holder("me"), holder("ann")); asked(p) != 1 {
		t.Errorf("lost again: asked %d times", asked(p))
	}
	p = newPerson(Options{Client: "me"})
	if p.events(holder("ann")); asked(p) != 0 {
		t.Error("asked without the wish")
	}
}

func TestInterrupt(t *testing.T) {
	p := newPerson(Options{})
	p.events(eventtest.Status(pb.AgentStatus_THINKING))
	p.types(typing, "x", "ctrl+c")
	if !p.editor.Empty() || len(p.sent()) > 0 {
		t.Error("the first Ctrl-C clears the editor")
	}
	p.types(typing, "ctrl+c")
	if sent := p.sent(); len(sent) != 1 || sent[0].GetCancel() == nil || p.leaving {
		t.Errorf("the second interrupts: %v", sent)
	}
	p.types(typing, "y", "backspace", "ctrl+c")
	if p.leaving {
		t.Error("a Ctrl-C after other keys leaves")
	}
	if p.types(typing, "ctrl+c"); !p.leaving {
		t.Error("the third leaves")
	}
}

// A terminal without focus is notified when the agent waits, and when it is done.
func TestNotify(t *testing.T) {
	p := newPerson(Options{})
	p.does(Focus(true))
	p.events(eventtest.Asks("r", "Bash", "ls"), eventtest.Resolved("r"))
	p.does(Focus(false))
	p.events(eventtest.Status(pb.AgentStatus_THINKING), eventtest.Asks("s", "Bash", "ls"))
	p.events(eventtest.TurnOver()...)
	var told []string
	for _, e := range p.effects {
		if n, ok := e.(Notify); ok {
			told = append(told, n.Text)
		}
	}
	if want := []string{"The agent waits for you.", "The agent is done."}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// The frame is never higher or wider than the terminal, and its cursor is in it.
func TestFrameFits(t *testing.T) {
	for _, size := range []Resize{{80, 24}, {40, 8}, {20, 6}, {200, 60}} {
		p := newPerson(Options{})
		p.does(size)
		p.events(eventtest.Status(pb.AgentStatus_THINKING), eventtest.Asks("r", "Bash", strings.Repeat("a long command\n", 40)))
		p.events(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", Text: strings.Repeat("word ", 500)}}})
		for range 30 {
			p.types(typing, "a", "alt+enter")
		}
		rows, row, column := p.Frame(p.now)
		if len(rows) > size.Height || row >= len(rows) || column > size.Width {
			t.Errorf("%v: %d rows, cursor at %d, %d", size, len(rows), row, column)
		}
	}
}

// TestPrintsAboveTheFrameOnTheTerminal: Bubble Tea inserts rows above the frame that it drew last, and loses rows if both are higher than
// the terminal. A frame that has just become lower may not be drawn yet.
func TestPrintsAboveTheFrameOnTheTerminal(t *testing.T) {
	p := newPerson(Options{})
	p.does(Resize{80, 24})
	piece := func(text string, complete bool) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", Text: text, IsComplete: complete}}}
	}
	p.events(piece(strings.Repeat("a row\n", 100), false))
	rows, _, _ := p.Frame(p.now)
	high := len(rows)
	if high < 16 {
		t.Fatalf("the frame of a long text has %d rows", high)
	}
	p.waits(time.Minute) // without a frame
	p.effects = nil
	p.events(piece("", true))
	for printed := 0; printed < 100; {
		if len(p.effects) == 0 {
			t.Fatalf("%d rows are printed, and no more", printed)
		}
		n := len(p.effects[0].(Print).Rows)
		if low, _, _ := p.Frame(p.now); len(low) > 5 {
			t.Fatalf("the frame still has %d rows", len(low))
		}
		if n > 24-high {
			t.Fatalf("%d rows are printed above a frame of %d on a terminal of 24", n, high)
		}
		printed += n
		p.effects = nil
		p.does(Printed{})
	}
	p.waits(time.Second) // it is drawn
	p.events(eventtest.Text(strings.Repeat("a row\n", 100)))
	if n := len(p.effects[0].(Print).Rows); n < 15 {
		t.Errorf("%d rows are printed above a low frame", n)
	}
}

// BenchmarkKeyInFlood draws one key after a batch of a flood: the maximum delay for a person, apart from the batch itself.
func BenchmarkKeyInFlood(b *testing.B) {
	p := newPerson(Options{Style: true, Screen: true})
	p.does(Resize{120, 40})
	var items Items
	for i := range batch {
		text := "a piece of the flood "
		if i%20 == 0 {
			text += "\n\n"
		}
		items = append(items, client.Item{Event: &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", Text: text}}}})
	}
	var batches, keys time.Duration
	for b.Loop() {
		began := time.Now()
		p.does(items)
		p.Frame(p.now)
		middle := time.Now()
		p.types(typing, "x")
		p.Frame(p.now)
		batches, keys = batches+middle.Sub(began), keys+time.Since(middle)
	}
	b.ReportMetric(float64(batches.Microseconds())/float64(b.N), "µs/batch")
	b.ReportMetric(float64(keys.Microseconds())/float64(b.N), "µs/key")
}

// The status names the reason why a session without a turn waits: with a queued message or at a budget it is not idle.
func TestStatusOfAQueuedMessage(t *testing.T) {
	p := newPerson(Options{})
	p.does(Resize{120, 24})
	begins := func(want string) {
		t.Helper()
		if got := p.Status(p.now); !strings.HasPrefix(got, want) {
			t.Errorf("the status is %q, want %q", got, want)
		}
	}
	input := func(key string) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: key, IdempotencyKey: key}}}
	}
	begins("idle")
	p.types(typing, "h", "i", "enter")
	p.waits(time.Second)
	begins("sending")
	p.events(input("key-1"))
	begins("queued")
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_Notice{Notice: &pb.Notice{Code: "WAITING_FOR_SLOT", Message: "All agents are busy"}}})
	begins("queued until an agent may start")
	p.events(eventtest.Status(pb.AgentStatus_THINKING), input("of another client"))
	begins("working")
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{InputKeys: []string{"key-1"}}}})
	begins("queued")
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_StatusChange{StatusChange: &pb.StatusChange{Status: pb.AgentStatus_WAITING_FOR_USER, Message: "The budget is used; messages wait"}}})
	begins("waits: The budget is used; messages wait")
	p.events(eventtest.Status(pb.AgentStatus_IDLE))
	begins("idle")
}

// A hit of a search is shown at the top and marked, however far up it is; a hit that is no longer kept is reported.
func TestShowsAHit(t *testing.T) {
	p := newPerson(Options{Screen: true, Head: 300, Session: "5e0a0000-0000", Exact: true})
	p.does(Resize{60, 20})
	p.Show(Place{Sequence: 100})
	for i := uint64(1); i <= 300; i++ {
		e := eventtest.Text(fmt.Sprintf("line %d", i))
		e.Sequence = i
		p.events(e)
	}
	rows, _, _ := p.Frame(p.now)
	if at := slices.Index(rows, "line 100"); at < 1 || at > 4 || rows[at-1] != "› found here" {
		t.Errorf("the hit is not shown:\n%s", strings.Join(rows, "\n"))
	}
	p.Show(Place{Sequence: 299})
	if rows, _, _ = p.Frame(p.now); !slices.Contains(rows, "line 299") {
		t.Errorf("the second hit is not shown:\n%s", strings.Join(rows, "\n"))
	}
	old := newPerson(Options{Screen: true, Session: "5e0a0000-0000"})
	old.does(Resize{120, 20})
	e := eventtest.Text("the first that is kept")
	e.Sequence = 50
	old.events(e)
	old.Show(Place{Sequence: 7})
	if rows, _, _ = old.Frame(old.now); !strings.Contains(strings.Join(rows, "\n"), "betcode attach 5e0a0000 --from 7") {
		t.Errorf("what is gone is not said:\n%s", strings.Join(rows, "\n"))
	}
}

// A hit within a long output is shown at its line, which is marked, whether the words are on one line or on two.
func TestShowsTheLineOfAHit(t *testing.T) {
	p := newPerson(Options{Screen: true, Session: "5e0a0000-0000"})
	p.does(Resize{60, 20})
	var output strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&output, "line %d\t is\r\n\n  \x1b[2J%s\n", i, strings.Repeat("wide ", i%30))
	}
	call, result := eventtest.Call("Bash", "make"), &pb.AgentEvent{Sequence: 8, Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", Output: output.String()}}}
	call.Sequence, call.GetToolCallStart().ToolId = 7, "t"
	p.events(call, result)
	for i := range 100 {
		p.events(eventtest.Text(fmt.Sprintf("after %d", i)))
	}
	for _, test := range []struct{ words, want string }{
		{"line 500 is \x1b[2Jwide", "  › line 500     is"},
		{"", "› Bash  make"},
		{"250 is \x1b[2Jwide wid", "  › line 250     is"},
		{"\x1b[2Jwide wide wide line 304 is", `  ›   \x1b[2Jwide wide wide`},
		{"\x1b[2Jwide line 1 is", "› Bash  make"}, // the output does not have these words
		{"line 999 is", "  › … 1000 more lines"},
	} {
		p.Show(Place{Sequence: 8, Words: test.words})
		rows, _, _ := p.Frame(p.now)
		if at := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, test.want) }); at < 0 || at > 3 {
			t.Errorf("%q is not at the top:\n%s", test.words, strings.Join(rows, "\n"))
		}
	}
	p.Show(Place{Sequence: 7, Words: "line 500 is"}) // it is the call that was found
	if rows, _, _ := p.Frame(p.now); !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, "› Bash  make") }) {
		t.Errorf("the call is not shown:\n%s", strings.Join(rows, "\n"))
	}
}

// A window that is scrolled up keeps its place while the agent goes on, and counts the rows below it.
func TestScrolledWindowStays(t *testing.T) {
	p := newPerson(Options{Screen: true})
	p.does(Resize{60, 20})
	say := func(n int) {
		for i := range n {
			p.events(eventtest.Text(fmt.Sprintf("line %d of %d", i, n)))
		}
	}
	say(100)
	p.types(typing, "pgup", "pgup")
	before, _, _ := p.Frame(p.now)
	say(7)
	p.events(&pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: strings.Repeat("a growing text ", 20), BlockId: "grows"}}})
	after, _, _ := p.Frame(p.now)
	if strings.Join(before[:10], "\n") != strings.Join(after[:10], "\n") {
		t.Errorf("the window moved:\n%s\n\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if bar := after[len(after)-3]; !strings.HasPrefix(bar, "── 40 rows below · PgDn ──") {
		t.Errorf("the bar: %s", bar)
	}
	p.types(typing, "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
	end, _, _ := p.Frame(p.now)
	if bar := end[len(end)-3]; strings.Contains(bar, "below") || !strings.Contains(strings.Join(end, "\n"), "a growing text") {
		t.Errorf("not back at the end:\n%s", strings.Join(end, "\n"))
	}
}

// The status below the editor shows a blocked session at once, until its next turn.
func TestStatusOfABlockedSession(t *testing.T) {
	p := newPerson(Options{})
	blocked := &pb.ErrorEvent{Code: "NOT_LOGGED_IN", Message: "The agent is not logged in", Details: map[string]string{"condition": "not_logged_in"}}
	p.events(eventtest.Status(pb.AgentStatus_THINKING), &pb.AgentEvent{Event: &pb.AgentEvent_Error{Error: blocked}}, eventtest.Status(pb.AgentStatus_ERROR))
	if got := p.Status(p.now); !strings.HasPrefix(got, "blocked: not logged in") {
		t.Errorf("the status is %q", got)
	}
	p.events(eventtest.Status(pb.AgentStatus_THINKING), eventtest.Status(pb.AgentStatus_IDLE))
	if got := p.Status(p.now); !strings.HasPrefix(got, "idle") {
		t.Errorf("after another turn the status is %q", got)
	}
}

// A message that is sent while a request waits is announced, with what it waits for, and so is the moment at which the agent gets
// it. A chat that attaches later learns the same; what was announced long ago is not announced again.
func TestQueuedMessage(t *testing.T) {
	asks := eventtest.Asks("r", "Bash", "rm -rf build")
	asks.GetPermissionRequest().ToolUseId = "t"
	call := &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t", ToolName: "Bash"}}}
	message := &pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{IdempotencyKey: "k", Content: "and test"}}}
	returned := &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", Output: "done"}}}
	const what = "after an answer to the request for Bash: rm -rf build"
	seen := func(p *person) string { rows, _, _ := p.Frame(p.now); return strings.Join(rows, "\n") }
	status := func(p *person) string { return p.Status(p.now) }

	p := newPerson(Options{Screen: true})
	p.does(Resize{100, 30})
	p.events(eventtest.Status(pb.AgentStatus_THINKING), call, asks, message)
	if got := seen(p); !strings.Contains(got, "> and test\n") || !strings.Contains(got, "Queued: the agent reads this message "+what) {
		t.Errorf("shown:\n%s", got)
	}
	if got := status(p); !strings.Contains(got, "waits for you · 1 message queued") {
		t.Errorf("status %q", got)
	}
	p.events(eventtest.Resolved("r"))
	if got := seen(p); strings.Contains(got, "The agent gets") || !strings.Contains(status(p), "1 message queued") {
		t.Errorf("before the call has ended:\n%s", got)
	}
	p.events(returned)
	if got := seen(p); !strings.Contains(got, "The agent gets the queued message: and test") || strings.Contains(status(p), "queued") {
		t.Errorf("after the answer:\n%s", got)
	}

	for head, want := range map[uint64]string{4: "1 message queued: the agent reads on " + what, 6: ""} {
		p := newPerson(Options{Screen: true, Head: head})
		p.does(Resize{100, 30})
		for i, e := range []*pb.AgentEvent{eventtest.Status(pb.AgentStatus_THINKING), call, asks, message, eventtest.Resolved("r"), returned}[:head] {
			e = proto.CloneOf(e)
			e.Sequence = uint64(i + 1)
			p.events(e)
		}
		if got := seen(p); strings.Contains(got, "Queued:") || strings.Contains(got, "The agent gets") || want != "" && !strings.Contains(got, want) ||
			strings.Contains(got, "1 message queued:") != (want != "") {
			t.Errorf("attached at %d:\n%s", head, got)
		}
	}
}

// One press of Esc closes the innermost thing that is open, and otherwise leads one page back, whatever waits and is typed. In a chat
// without a page before it, a request gives the keys to the editor.
func TestEsc(t *testing.T) {
	for name, test := range map[string]struct {
		waits   bool // a request waits
		keys    []string
		presses int // of Esc until it leads a page back
	}{
		"nothing":                  {false, nil, 1},
		"text":                     {false, []string{"s", "a"}, 1},
		"a search":                 {false, []string{"ctrl+r"}, 2},
		"a chosen call":            {false, []string{"shift+tab"}, 2},
		"a request":                {true, nil, 1},
		"a request and text":       {true, []string{"s", "a"}, 1},
		"the editor":               {true, []string{"tab"}, 1},
		"text, then the request":   {true, []string{"s", "a", "tab"}, 2},
		"the request, and back":    {true, []string{"s", "a", "tab", "tab"}, 1},
		"words for the agent":      {true, []string{"d", "n", "o"}, 2},
		"a changed command":        {true, []string{"e"}, 2},
		"words, behind a Tab":      {true, []string{"s", "tab", "d", "n"}, 3},
		"a call and a request":     {true, []string{"shift+tab"}, 2},
		"a chosen call, and a Tab": {true, []string{"s", "tab", "shift+tab"}, 3},
	} {
		p := newPerson(Options{Screen: true, History: []string{"before"}})
		p.events(eventtest.Call("Bash", "ls"))
		if test.waits {
			p.events(eventtest.Asks("r", "Bash", "ls"))
		}
		p.waits(time.Second)
		p.types(time.Second, test.keys...)
		text, presses := p.editor.Text(), 1
		for ; !p.Away() && presses < 9; presses++ {
			p.types(time.Second, "esc")
		}
		if presses != test.presses || p.editor.Text() != text || len(p.sent()) > 0 {
			t.Errorf("%s: %d presses, want %d; text %q, sent %v", name, presses, test.presses, p.editor.Text(), p.sent())
		}
	}
}

// A request that was behind another page is answered by a key only after a moment on the screen, as a new one.
func TestRequestBehindAPage(t *testing.T) {
	for wait, allowed := range map[time.Duration]bool{0: false, time.Second: true} {
		p := newPerson(Options{Screen: true})
		p.events(eventtest.Asks("r", "Bash", "ls"))
		p.waits(time.Minute)
		p.does(Opened{})
		p.waits(wait)
		if p.types(time.Second, "y"); len(p.sent()) == 1 != allowed {
			t.Errorf("after %s: sent %v", wait, p.sent())
		}
	}
}
