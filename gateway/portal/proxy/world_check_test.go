package proxy

import (
	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/requests"
)

// settle delivers messages until none is in transit.
func (w *world) settle() {
	for range 100_000 {
		if w.ended != nil {
			w.cut(false)
		}
		moved := false
		for which := range 4 {
			moved = w.step(which) || moved
		}
		if !moved {
			return
		}
	}
	w.Fatal("it does not come to rest")
}

// wanted returns the expected lines of the whole session.
func (w *world) wanted() (all []string) {
	writer, queue := lines.New(sessionID), requests.Queue{}
	writer.Describe("", "/project")
	for _, e := range w.journal {
		made := writer.Lines(e)
		for _, l := range made {
			all = append(all, string(l.JSON))
		}
		if r := queue.Event(e); r != nil && r.GetResolvedBy() != ourName {
			all = append(all, string(lines.Note(r.Verdict())))
		}
	}
	return all
}

// stored returns the lines at the backend.
func (w *world) stored() (all []string) {
	s, _ := w.db.Session(sessionID)
	for _, l := range s.Lines {
		all = append(all, string(l.Content))
	}
	return all
}

// prompts returns the number of inputs of pages in the journal, by text.
func (w *world) prompts() map[string]int {
	n := map[string]int{}
	for _, e := range w.journal {
		if in := e.GetUserInput(); in != nil {
			n[in.GetContent()]++
		}
	}
	return n
}

// readable fails the test if a strict backend could not read something.
func (w *world) readable() {
	w.Helper()
	for _, c := range w.db.Complaints() {
		w.Error(c)
	}
}
