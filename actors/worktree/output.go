package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"betcode/messages"
)

// Bounds of the output of setups in memory.
const (
	setupShown = 64 << 10 // bytes of the end of each output
	setupsKept = 16       // setups that have ended
)

// errCanceled ends a setup at the request of a client.
var errCanceled = errors.New("a client has canceled it")

// setups are the running setups, and the last ones that have ended. It is safe for concurrent use.
type setups struct {
	mu    sync.Mutex
	runs  map[string]*setupRun // by worktree
	ended []*setupRun          // oldest first
}

// begin adds the run of a worktree's setup and returns it. It replaces an earlier one.
func (s *setups) begin(worktree string) *setupRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[string]*setupRun{}
	}
	r := &setupRun{token: uuid.NewString(), worktree: worktree, out: tail{limit: setupShown}, changed: make(chan struct{}), done: make(chan struct{})}
	r.life, r.cancel = context.WithCancelCause(context.Background())
	s.runs[worktree] = r
	return r
}

// of returns the run of a worktree's setup; nil if none is known.
func (s *setups) of(worktree string) *setupRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[worktree]
}

// end records that a run has ended, and drops the oldest of those that have.
func (s *setups) end(r *setupRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.end() {
		return
	}
	if s.ended = append(s.ended, r); len(s.ended) > setupsKept {
		if oldest := s.ended[0]; s.runs[oldest.worktree] == oldest {
			delete(s.runs, oldest.worktree)
		}
		s.ended = slices.Delete(s.ended, 0, 1)
	}
}

// setupRun is one run of a setup: its output, and the means to cancel it. It begins with the request, so a setup that
// waits for others can be canceled.
type setupRun struct {
	token    string // in the environment of its processes
	worktree string
	life     context.Context
	cancel   context.CancelCauseFunc

	mu      sync.Mutex
	out     tail
	changed chan struct{} // closed when there is more output, or at the end
	done    chan struct{} // closed when the record has the end
}

// Write implements io.Writer.
func (r *setupRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
	return r.out.Write(p)
}

// end closes the run; false if it was closed.
func (r *setupRun) end() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return false
	}
	r.cancel(nil)
	close(r.done)
	close(r.changed)
	return true
}

func (r *setupRun) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// last returns the end of the output as text, and the length of all of it.
func (r *setupRun) last(limit int) (text string, written uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.out.kept
	return strings.ToValidUTF8(string(kept[max(0, len(kept)-limit):]), "?"), r.out.written
}

// page returns the output behind an offset, as far as it is in memory.
func (r *setupRun) page(from uint64) messages.SetupPage {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.out.written - uint64(len(r.out.kept))
	from = min(max(from, first), r.out.written)
	return messages.SetupPage{
		Run: r.token, From: from, Next: r.out.written, Output: slices.Clone(r.out.kept[from-first:]), Ended: r.over(), Changed: r.changed,
	}
}

// tail keeps the end of its input.
type tail struct {
	limit   int
	kept    []byte
	written uint64 // bytes, with those that are not kept
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.written += uint64(len(p))
	t.kept = append(t.kept, p[max(0, len(p)-t.limit):]...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// ReadSetup returns the output of a worktree's setup behind the part that the caller has seen.
func (r *Registry) ReadSetup(m messages.ReadSetup) (messages.SetupPage, error) {
	run := r.setups.of(m.Worktree)
	rec, err := r.find(opSetup, m.Worktree)
	if err != nil {
		return messages.SetupPage{}, err
	}
	switch {
	case run == nil && m.Run == "": // it ended long ago, or under an earlier daemon
		return messages.SetupPage{Output: []byte(rec.Setup.Output), Next: uint64(len(rec.Setup.Output)), Ended: true, Status: rec.Setup.Status}, nil
	case run == nil || m.Run != "" && m.Run != run.token: // the run that the caller followed has ended
		return messages.SetupPage{Run: m.Run, From: m.From, Next: m.From, Ended: true, Status: rec.Setup.Status}, nil
	}
	page := run.page(m.From)
	if page.Status = messages.SetupRunning; page.Ended {
		rec, _ := r.find(opSetup, m.Worktree) // the record has the end before the run is closed
		page.Status = rec.Setup.Status
	}
	return page, nil
}

// CancelSetup ends the setup of a worktree and waits until it has ended.
func (r *Registry) CancelSetup(ctx context.Context, id string) error {
	rec, err := r.find(opSetup, id)
	if err != nil {
		return err
	}
	run := r.setups.of(rec.ID)
	if run == nil || run.over() {
		return messages.Errorf("cancel setup", messages.WrongState, "the setup of worktree %s does not run", rec.Name).
			With("worktree_id", rec.ID).WithHint("'betcode worktree show " + rec.reference() + "' shows how it ended.")
	}
	run.cancel(errCanceled)
	select {
	case <-run.done:
		return nil
	case <-ctx.Done():
		return messages.AsError("cancel setup", context.Cause(ctx))
	}
}
