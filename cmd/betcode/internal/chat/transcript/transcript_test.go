package transcript

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/eventtest"
	pb "betcode/proto/betcode/v1"
)

// A text in pieces is rendered as the text at once, up to the divisions, and no finished chunk changes.
func TestProseInPieces(t *testing.T) {
	text := "# Title\n\nFirst paragraph.\nSecond line.\n\n```go\nfunc main() {\n\n}\n```\nAfter the code.\n\n- one\n- two\n\n- three\n\nThe end."
	for size := 1; size < 40; size++ {
		var p prose
		for i := 0; i < len(text); i += size {
			p.add(text[i:min(i+size, len(text))])
		}
		p.finish()
		var sources []string
		for _, c := range p.chunks {
			sources = append(sources, c.source)
		}
		if strings.Join(sources, "") != text {
			t.Fatalf("pieces of %d: %q", size, sources)
		}
		if len(sources) < 4 || len(sources) > 7 {
			t.Errorf("pieces of %d: %d chunks: %q", size, len(sources), sources)
		}
	}
}

// A block of code without an end is split so that each part is code.
func TestLongCodeIsSplit(t *testing.T) {
	var p prose
	p.add("```go\n")
	for i := range 2000 {
		p.add(fmt.Sprintf("x%d := 1\n", i))
	}
	if len(p.tail) > longFence+100 || len(p.chunks) < 4 {
		t.Errorf("%d chunks, the tail has %d bytes", len(p.chunks), len(p.tail))
	}
	for _, c := range p.chunks {
		if !strings.HasPrefix(c.source, "```go\n") || !strings.HasSuffix(c.source, "```\n") {
			t.Errorf("chunk %.20q … %.20q", c.source, c.source[len(c.source)-20:])
		}
	}
}

func object(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDiff(t *testing.T) {
	input := object(t, map[string]any{"file_path": "a.go", "old_string": "one\ntwo\nthree\n", "new_string": "one\n2\x1b[2J\nthree\n"})
	want := "  one\n- two\n+ 2\\x1b[2J\n  three"
	if got := strings.Join(Diff(false, "Edit", input, 0), "\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	input = object(t, map[string]any{"content": strings.Repeat("line\n", 50)})
	if got := Diff(false, "Write", input, 10); len(got) != 11 || got[10] != "… 40 more lines" {
		t.Errorf("%q", got)
	}
}

func call(id, tool, command string) *pb.AgentEvent {
	e := eventtest.Call(tool, command)
	e.GetToolCallStart().ToolId = id
	return e
}

func result(id, output string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: id, Output: output}}}
}

func piece(block, text string) *pb.AgentEvent {
	return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: text}}}
}

// Output that scrolls away: each row is printed once, in order, and growing text only up to its finished part.
func TestTake(t *testing.T) {
	tr := New(Options{})
	take := func() string { return strings.Join(tr.Take(40), "\n") }
	tr.Event(&pb.AgentEvent{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "do it"}}})
	tr.Event(piece("b", "I will.\n\nFirst, a"))
	if got := take(); got != "\n> do it\n\nI will." {
		t.Errorf("took %q", got)
	}
	if got := strings.Join(tr.Live(40, 5), "\n"); got != "First, a" {
		t.Errorf("live %q", got)
	}
	tr.Event(piece("b", " call."))
	tr.Event(call("t", "Bash", "ls"))
	if got := take(); got != "\nFirst, a call.\n\n● Bash  ls" {
		t.Errorf("took %q", got)
	}
	tr.Event(result("t", strings.Repeat("file\n", 10)))
	if got := take(); got != strings.Repeat("    file\n", 6)+"… 4 more lines" && got != strings.Repeat("    file\n", 6)+"    … 4 more lines" {
		t.Errorf("took %q", got)
	}
	if got := take(); got != "" {
		t.Errorf("took %q twice", got)
	}
}

// A text goes on below a line in its middle, also if both arrive at once, as in a history.
func TestTextGoesOnBelowALine(t *testing.T) {
	for _, atOnce := range []bool{true, false} {
		for _, nested := range []bool{true, false} {
			tr := New(Options{Nested: nested})
			var taken []string
			for _, e := range []*pb.AgentEvent{
				piece("b", "one "), piece("b", "two "),
				{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "faster"}}},
				piece("b", "three "), piece("b", "four"),
				{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", IsComplete: true}}},
				{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: "b", IsComplete: true}}},
			} {
				tr.Event(e)
				if !nested && !atOnce {
					taken = append(taken, tr.Take(40)...)
				}
			}
			if nested {
				taken, _ = tr.Window(40, 20, 0)
				taken = append([]string{""}, taken...)
			} else {
				taken = append(taken, tr.Take(40)...)
			}
			if got, want := strings.Join(taken, "\n"), "\none two\n\n> faster\n\nthree four"; got != want {
				t.Errorf("at once %t, nested %t: %q, want %q", atOnce, nested, got, want)
			}
		}
	}
}

// A screen of its own: subagents are below their calls, and retracted text disappears.
func TestWindow(t *testing.T) {
	tr := New(Options{Nested: true})
	child := func(e *pb.AgentEvent) *pb.AgentEvent {
		e.ParentToolUseId = "t"
		return e
	}
	for _, e := range []*pb.AgentEvent{
		call("t", "Task", "look"), child(piece("c", "I am below.")), piece("b", "Beside."), child(call("u", "Bash", "ls")), result("t", "done"),
		piece("gone", "Taken back."),
		{Event: &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{BlockIds: []string{"gone"}}}},
	} {
		tr.Event(e)
	}
	rows, _ := tr.Window(40, 20, 0)
	want := "● Task  {\"command\":\"look\"}\n    done\n\n  I am below.\n\n  ○ Bash  ls\n\nBeside."
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("shown\n%s\nwant\n%s", got, want)
	}
	if rows, at := tr.Window(40, 2, 1000); at == 0 || !strings.HasPrefix(rows[0], "● Task") {
		t.Errorf("at the beginning: %q, %d", rows, at)
	}
}

// The card of a call, and no other, shows that a person edited the call before it ran.
func TestCardOfAnEditedCall(t *testing.T) {
	tr := New(Options{Nested: true})
	for _, id := range []string{"a", "b"} {
		tr.Event(call(id, "Bash", "run "+id))
		request := eventtest.Asks("request "+id, "Bash", "run "+id)
		request.GetPermissionRequest().ToolUseId = id
		tr.Event(request)
		resolved := eventtest.Resolved("request " + id)
		if id == "a" {
			resolved.GetPermissionResolved().Decision, resolved.GetPermissionResolved().Description = pb.PermissionDecision_ALLOW_WITH_EDIT, "run c"
		}
		tr.Event(resolved)
	}
	rows, _ := tr.Window(60, 100, 0)
	want := "○ Bash  run a · edited before it ran\nallowed with an edit by web: run c\n\n○ Bash  run b\nallowed by web"
	if got := strings.Join(rows, "\n"); got != want || len(tr.requests) > 0 {
		t.Errorf("%d requests, shown\n%s\nwant\n%s", len(tr.requests), got, want)
	}
}

// One call is chosen and unfolded by itself.
func TestCards(t *testing.T) {
	tr := New(Options{Nested: true})
	if tr.Choose(-1) || tr.Above(40) != 0 {
		t.Error("there is a call")
	}
	for _, id := range []string{"a", "b"} {
		tr.Event(call(id, "Bash", "run "+id))
		tr.Event(result(id, strings.Repeat("line\n", 9)))
	}
	shown := func() string {
		rows, _ := tr.Window(40, 100, 0)
		return strings.Join(rows, "\n")
	}
	folded := strings.Repeat("    line\n", 6) + "… 3 more lines"
	tr.Toggle()
	if got, want := shown(), "● Bash  run a\n"+folded+"\n› Bash  run b\n"+strings.TrimSuffix(strings.Repeat("    line\n", 9), "\n"); strings.ReplaceAll(got, "    …", "…") != want {
		t.Errorf("shown\n%s\nwant\n%s", got, want)
	}
	tr.Toggle()
	tr.Choose(-1)
	if got := shown(); !strings.HasPrefix(got, "› Bash  run a") || strings.Count(got, "3 more lines") != 2 || tr.Above(40) != 16 {
		t.Errorf("%d rows\n%s", tr.Above(40), got)
	}
	tr.Choose(-1)
	tr.Choose(1)
	tr.Unchoose()
	if got := shown(); tr.Chosen() || strings.Contains(got, "›") {
		t.Errorf("shown\n%s", got)
	}
}

// Text for the model is folded in the output of a tool, until the call is unfolded.
func TestNotesForTheModel(t *testing.T) {
	tr := New(Options{Nested: true})
	tr.Event(&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallStart{ToolCallStart: &pb.ToolCallStart{ToolId: "t", ToolName: "Read"}}})
	tr.Event(&pb.AgentEvent{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{ToolId: "t", Output: "package x\n\n<system-reminder>\nwords\n</system-reminder>\n"}}})
	shown := func() string { rows, _ := tr.Window(80, 20, 0); return strings.Join(rows, "\n") }
	if got := shown(); !strings.Contains(got, "    package x\n    (a note for the model is folded: 5 bytes)") || strings.Contains(got, "words") {
		t.Errorf("folded:\n%s", got)
	}
	tr.Unfold(true)
	if got := shown(); !strings.Contains(got, "<system-reminder>\n    words") {
		t.Errorf("unfolded:\n%s", got)
	}
}
