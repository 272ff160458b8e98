package worktree

import (
	"path/filepath"
	"strings"

	"betcode/messages"
)

// leastPrefix is the shortest beginning of an id that names a worktree.
const leastPrefix = 4

// find returns the record that a reference names: an id, the beginning of one, or a name.
func (r *Registry) find(op, reference string) (record, error) {
	all := r.all("")
	var found []record
	for _, match := range []func(record) bool{
		func(rec record) bool { return rec.ID == reference },
		func(rec record) bool { return rec.Name == reference },
		func(rec record) bool { return len(reference) >= leastPrefix && strings.HasPrefix(rec.ID, reference) },
	} {
		for _, rec := range all {
			if match(rec) {
				found = append(found, rec)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return record{}, notFound(op, reference)
	}
	return record{}, messages.Errorf(op, messages.Invalid, "%d worktrees are called %q", len(found), clip(reference)).
		WithHint("Use the id, as 'betcode worktree list --all' shows it.")
}

func notFound(op, reference string) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "no worktree is called %q", clip(reference)).WithCode(messages.WorktreeNotFound).
		With("worktree_id", clip(reference)).WithHint("'betcode worktree list' shows them.")
}

// clip shortens a caller's text for an error.
func clip(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// Repository returns the repository of the worktree that a reference names.
func (r *Registry) Repository(op, reference string) (id, common string, err error) {
	rec, err := r.find(op, reference)
	return rec.ID, rec.Common, err
}

// Place returns directory and branch of a worktree by its id; empty if it is not known.
func (r *Registry) Place(id string) (path, branch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records[id].Path, r.records[id].Branch
}

// Reference returns how a person names a worktree in a command, by its id.
func (r *Registry) Reference(id string) string {
	rec, err := r.find("name worktree", id)
	if err != nil {
		return id
	}
	return rec.reference()
}

// Usable returns id and directory of a worktree in which a session can start.
func (r *Registry) Usable(op, reference string) (id, path string, err error) {
	rec, err := r.find(op, reference)
	if err != nil {
		return "", "", err
	}
	return rec.ID, rec.Path, rec.usable(op)
}

// Of returns the id of the worktree that a directory is in, with symbolic links resolved; empty if there is none that can be used.
func (r *Registry) Of(dir string) string {
	s := messages.SessionRecord{WorkingDirectory: dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		s.Resolved = resolved
	}
	for _, rec := range r.all("") {
		if dir != "" && rec.State == messages.WorktreeReady && worksIn(s, rec) {
			return rec.ID
		}
	}
	return ""
}

// usable refuses a worktree in which no session can work.
func (r record) usable(op string) error {
	switch state := r.state(); state {
	case messages.WorktreeReady:
		return nil
	case messages.WorktreeStale:
		return messages.Errorf(op, messages.WrongState, "worktree %s is stale: its directory %s has gone", r.Name, r.Path).
			With("worktree_id", r.ID).WithHint("Remove it: betcode worktree remove " + r.reference())
	default:
		return messages.Errorf(op, messages.WrongState, "worktree %s is not ready: it is %s", r.Name, state).
			With("worktree_id", r.ID).WithHint("Try again when the change has ended: betcode worktree show " + r.reference())
	}
}
