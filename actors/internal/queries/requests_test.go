package queries

import (
	"fmt"
	"testing"

	"betcode/messages"
)

func TestLately(t *testing.T) {
	var l lately
	l.add("", "nobody")
	for n := range latelySize + 1 {
		l.add(sessionA, messages.RequestID(fmt.Sprintf("%05d", n)))
		l.add(sessionA, messages.RequestID(fmt.Sprintf("%05d", n)))
	}
	if got := l.beginning("0000"); len(got) != 9 || got[0].Request != "00001" {
		t.Errorf("%v", got)
	}
	if got := l.beginning("nobody"); len(got) != 0 || len(l.answered) != latelySize {
		t.Errorf("%v of %d", got, len(l.answered))
	}
}
