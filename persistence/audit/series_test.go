package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/messages"
)

var refused = messages.AuditEntry{
	Type: messages.AuditAuthFailure, Outcome: messages.OutcomeDenied, ClientIP: "127.0.0.1", ErrorMessage: "not known",
}

// However many refusals are recorded, they stay within their share of the space, and
// every decision is still there.
func TestRefusalsPushNoDecisionOut(t *testing.T) {
	dir := t.TempDir()
	const room = 1 << 20
	l := open(t, Options{Directory: dir, MaxBytes: room})
	noise := refused
	noise.ErrorMessage = strings.Repeat("x", 200)
	const decisions = 20
	for range decisions {
		l.Record(granted)
		for range 300 {
			l.Record(noise)
		}
	}
	if got := len(all(t, l, messages.AuditFilter{Types: []messages.AuditType{messages.AuditGranted}})); got != decisions {
		t.Errorf("%d decisions are left of %d", got, decisions)
	}
	names, err := l.refusals.files(dir)
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	var total int64
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if most := int64(room/8 + room/16); total > most {
		t.Errorf("refusals have %d bytes, at most %d", total, most)
	}
}

// Entries are read in the order of their numbers, whichever file they are in, also over
// restarts, and no number is used twice.
func TestSeriesAreReadInOrder(t *testing.T) {
	root := t.TempDir()
	tries := 0
	rapid.Check(t, func(t *rapid.T) {
		tries++
		dir := filepath.Join(root, fmt.Sprint(tries))
		var l *Log
		reopen := func() {
			if l != nil {
				l.Close()
			}
			var err error
			if l, err = Open(Options{Directory: dir}); err != nil {
				t.Fatal(err)
			}
		}
		reopen()
		defer func() { l.Close() }()
		for range rapid.IntRange(0, 40).Draw(t, "entries") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				reopen()
			case 1:
				l.refusals.size = l.refusals.fileBytes
			case 2:
				l.decisions.size = l.decisions.fileBytes
			case 3, 4, 5:
				l.Record(granted)
			default:
				l.Record(refused)
			}
		}
		last := l.next - 1
		number := uint64(0)
		for e, err := range merged(l.entries(l.decisions, time.Time{}), l.entries(l.refusals, time.Time{})) {
			if number++; err != nil || e.ID != number {
				t.Fatalf("entry %d has the number %d, %v", number, e.ID, err)
			}
		}
		if number != last {
			t.Fatalf("%d entries, the last number is %d", number, last)
		}
	})
}
