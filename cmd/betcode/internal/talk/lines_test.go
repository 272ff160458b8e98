package talk

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

func TestReadLinesWhole(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	lines := make(chan Line)
	go readLines(strings.NewReader(long+"\r\n"+strings.Repeat("y", maxLineBytes+1)+"\nz\n\nlast"), false, lines)
	var got []Line
	for l := range lines {
		got = append(got, l)
	}
	if len(got) != 5 || got[0].text != long || !got[1].tooLong || got[2].text != "z" || got[3].text != "" || got[4].text != "last" {
		t.Errorf("got %d lines", len(got))
	}
}

// Only a line that a person typed after the question was shown is an answer.
func TestDeliberate(t *testing.T) {
	shown := time.Unix(1000, 0)
	after := shown.Add
	permission := &inbox.Request{Permission: eventtest.Asks("r", "Bash", "ls").GetPermissionRequest()}
	own := &inbox.Request{Questions: []*pb.UserQuestion{eventtest.Question("q/0", "Which?", false).GetUserQuestion()}}
	for name, test := range map[string]struct {
		line Line
		of   *inbox.Request
		want bool
	}{
		"from a pipe":            {Line{text: "y"}, permission, true},
		"typed":                  {Line{text: "y", typed: true, first: after(time.Second)}, permission, true},
		"typed before":           {Line{text: "y", typed: true, first: after(-time.Second)}, permission, false},
		"typed at once":          {Line{text: "y", typed: true, first: after(time.Millisecond)}, permission, false},
		"behind other keys":      {Line{text: "y", typed: true, first: after(time.Second), before: after(990 * time.Millisecond)}, permission, false},
		"pasted":                 {Line{text: "y", typed: true, pasted: true, first: after(time.Hour)}, permission, false},
		"pasted deliberate word": {Line{text: " /allow", typed: true, pasted: true, first: after(-time.Hour)}, permission, true},
		"own words pasted":       {Line{text: "so", typed: true, pasted: true, first: after(time.Second)}, own, true},
		"own words too early":    {Line{text: "so", typed: true, pasted: true, first: after(-time.Second)}, own, false},
	} {
		if got := test.line.deliberate(test.of, shown); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestChatEntered(t *testing.T) {
	var out bytes.Buffer
	c := newChat(&out, console.Terminal{In: true}, 0, false, false)
	c.event(eventtest.Asks("r", "Bash", "ls"))
	if r := c.entered(Line{text: "y", typed: true, pasted: true, first: time.Now().Add(time.Hour)}); len(r.send) != 0 || r.say != "" {
		t.Errorf("a pasted line: %+v", r)
	}
	if !strings.Contains(out.String(), "/allow") {
		t.Errorf("it is not said how to answer:\n%s", &out)
	}
	if r := c.entered(Line{text: "/allow", typed: true, pasted: true}); len(r.send) != 1 || r.send[0].GetPermission().GetRequestId() != "r" {
		t.Errorf("the deliberate word: %+v", r)
	}
	if r := c.entered(Line{text: "a\nb", typed: true, pasted: true}); r.say != "a\nb" {
		t.Errorf("a pasted message: %+v", r)
	}
	out.Reset()
	if r := c.entered(Line{tooLong: true, typed: true}); r.say != "" || !strings.Contains(out.String(), "3.0 MiB") {
		t.Errorf("a line that is too long: %+v, %s", r, &out)
	}
	if r := c.entered(Line{text: "/allow", typed: true}); r.say != "" {
		t.Errorf("nothing waits: %+v", r)
	}
}
