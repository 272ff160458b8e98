package main

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	n := names{"$PROJECT": "/p"}
	for _, c := range []struct {
		pattern, frame string
		want           bool
	}{
		{`{"a":1}`, `{"a":1}`, true},
		{`{"a":1}`, `{"a":1} `, false},
		{`{"cwd":"$PROJECT"}`, `{"cwd":"/p"}`, true},
		{`{"cwd":"$PROJECT"}`, `{"cwd":"/q"}`, false},
		{`{"id":"{id}","x":…}`, `{"id":"u1","x":{"y":2}}`, true},
		{`{"id":"{id}"}`, `{"id":"u2"}`, false},
		{`{"id":"{id}"}`, `{"id":"u1"}`, true},
		{`{"t":"….*"}`, `{"t":"so.*"}`, true},
		{`{"t":"….*"}`, `{"t":"so much"}`, false},
	} {
		if got := n.match(c.pattern, c.frame); got != c.want {
			t.Errorf("%s of %s: %v", c.pattern, c.frame, got)
		}
	}
	if got := n.fill(`> {id} {other} $PROJECT $OTHER`); got != "> u1 {other} /p $OTHER" {
		t.Errorf("filled %s", got)
	}
}

func TestReadExchange(t *testing.T) {
	t.Parallel()
	x, err := readExchange("x", strings.NewReader("# what\n\n! session\n[13] A> {\"a\":1}\nB/\nA< (closed)\n"))
	if err != nil || len(x.steps) != 4 {
		t.Fatal(x, err)
	}
	if s := x.steps[1]; s.peer != "A" || s.verb != '>' || s.text != `{"a":1}` || s.line != 4 || s.in(2) || !s.in(3) {
		t.Errorf("read %+v", s)
	}
	if _, err := readExchange("x", strings.NewReader("A ? what\n")); err == nil {
		t.Error("a line that is no step was read")
	}
}
