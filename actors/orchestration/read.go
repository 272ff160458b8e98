package orchestration

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"betcode/messages"
	"betcode/persistence/planlog"
)

// List returns all orchestrations, newest first, without their steps.
func (r *Registry) List() []messages.OrchestrationView {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []messages.OrchestrationView
	for _, e := range r.known {
		all = append(all, e.view)
	}
	slices.SortFunc(all, func(a, b messages.OrchestrationView) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Resolve returns the id that a reference names: the id itself, or its beginning.
func (r *Registry) Resolve(op string, reference messages.OrchestrationID) (messages.OrchestrationID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[reference] != nil {
		return reference, nil
	}
	var found []messages.OrchestrationID
	for id := range r.known {
		if len(reference) >= minPrefix && strings.HasPrefix(string(id), string(reference)) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", messages.Errorf(op, messages.NotFound, "there is no orchestration %q", bounded(string(reference), 100)).
			WithHint("'betcode orchestrate list' shows them.")
	}
	return "", messages.Errorf(op, messages.Invalid, "%d orchestrations begin with %q", len(found), reference).WithHint("Give more of the id.")
}

// durable returns how many bytes of a journal may be read, and a channel that is closed when there are more.
func (r *Registry) durable(id messages.OrchestrationID) (int64, <-chan struct{}, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.known[id]; e != nil {
		return e.durable, e.changed, e.view.State.Ended()
	}
	return 0, nil, false
}

// View returns an orchestration with its steps.
func (r *Registry) View(op string, reference messages.OrchestrationID) (messages.OrchestrationView, error) {
	id, err := r.Resolve(op, reference)
	if err != nil {
		return messages.OrchestrationView{}, err
	}
	most, _, _ := r.durable(id)
	s, _, err := load(r.path(id), most)
	if err != nil {
		return messages.OrchestrationView{}, unreadable(op, err)
	}
	return s.view(true), nil
}

// Read returns the next events behind a cursor.
func (r *Registry) Read(reference messages.OrchestrationID, from messages.OrchestrationCursor) (messages.OrchestrationPage, error) {
	const op = "watch orchestration"
	id, err := r.Resolve(op, reference)
	if err != nil {
		return messages.OrchestrationPage{}, err
	}
	most, changed, over := r.durable(id)
	page := messages.OrchestrationPage{ID: id, Changed: changed}
	var journal *planlog.Reader
	if from.Offset > 0 {
		journal, err = planlog.OpenAt(r.path(id), most, from)
	} else {
		var h header
		journal, h, err = open(r.path(id), most)
		page.Total, page.Titles = len(h.Plan.Steps), make(map[string]string, len(h.Plan.Steps))
		for _, step := range h.Plan.Steps {
			page.Titles[step.ID] = step.Title()
		}
	}
	if err != nil {
		return messages.OrchestrationPage{}, unreadable(op, err)
	}
	defer journal.Close()
	for len(page.Events) < pageSize {
		e, err := journal.Event()
		if errors.Is(err, io.EOF) {
			page.Ended = over
			break
		}
		if err != nil {
			return messages.OrchestrationPage{}, unreadable(op, err)
		}
		if e.Seq > from.Seq {
			page.Events = append(page.Events, e)
		}
	}
	if from.Seq > journal.Cursor().Seq {
		return messages.OrchestrationPage{}, messages.Errorf(op, messages.OutOfRange, "the newest event is %d, not %d", journal.Cursor().Seq, from.Seq).
			WithHint("Watch from 0.")
	}
	page.Next = journal.Cursor()
	return page, nil
}

func unreadable(op string, err error) *messages.Error {
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: err}).WithHint("Begin another orchestration; its sessions are whole: betcode session list")
}
