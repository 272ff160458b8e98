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

// lastReference refers to the orchestration that was created last.
const lastReference = "@last"

// Resolve returns the id that a reference names: the id itself, "@last", a name that no other orchestration has, or the beginning
// of the id.
func (r *Registry) Resolve(op string, reference messages.OrchestrationID) (messages.OrchestrationID, error) {
	if r.entry(reference) != nil {
		return reference, nil
	}
	all := r.List()
	if reference == lastReference && len(all) > 0 {
		return all[0].ID, nil
	}
	for _, match := range []func(messages.OrchestrationView) bool{
		func(v messages.OrchestrationView) bool { return v.Name == string(reference) && reference != "" },
		func(v messages.OrchestrationView) bool {
			return len(reference) >= minPrefix && strings.HasPrefix(string(v.ID), string(reference))
		},
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(v messages.OrchestrationView) bool { return !match(v) })
		switch {
		case len(found) == 1:
			return found[0].ID, nil
		case len(found) > 1:
			return "", severalCalled(op, reference, found)
		}
	}
	return "", messages.Errorf(op, messages.NotFound, "there is no orchestration %q", bounded(string(reference), 100)).
		WithHint("'betcode orchestrate list' shows them.")
}

// severalCalled refuses a reference that several orchestrations match. It names the newest ones.
func severalCalled(op string, reference messages.OrchestrationID, found []messages.OrchestrationView) error {
	const most = 5
	var ids []string
	for _, v := range found[:min(len(found), most)] {
		ids = append(ids, messages.ShortID(v.ID))
	}
	more := ""
	if len(found) > most {
		more = ", …"
	}
	return messages.Errorf(op, messages.Invalid, "%d orchestrations match %q: %s%s", len(found), bounded(string(reference), 100), strings.Join(ids, ", "), more).
		WithHint("Give the id of one, as 'betcode orchestrate list' shows it, or @last for the newest.")
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
