package persistence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

const (
	// lastReference refers to the session that changed last.
	lastReference = "@last"
	// minPrefix is the shortest beginning of an id that is a reference.
	minPrefix = 4
	// maxCandidates bounds how many sessions an error lists.
	maxCandidates = 10
)

// Resolve returns the session of a reference: its id, the beginning of
// its id (four characters or more), its name, or "@last". If several have the
// name, Resolve prefers the one that people named in the given directory. A
// reference that matches none of these may be the title of a session without a
// name, which lists show instead of one. If
// several sessions match, the error is [messages.Invalid]: it lists them with their
// directories, and its detail "candidates" has their ids.
func (s *Store) Resolve(reference, directory string) (messages.SessionID, error) {
	done, err := s.reading(fault.OpResolve)
	if err != nil {
		return "", err
	}
	defer done()
	if e := s.index.get(messages.SessionID(reference)); e != nil && !e.deleted {
		return e.id, nil // even a damaged session can be exported and deleted
	}
	listed := s.index.newest()
	if reference == lastReference {
		for _, e := range listed {
			if e.parent == "" { // people do not continue subagents
				return e.id, nil
			}
		}
		return "", messages.Errorf(fault.OpResolve, messages.NotFound, "there is no session yet").WithCode(messages.SessionNotFound).
			WithHint("begin one: betcode chat")
	}
	found := append(matching(listed, reference), matching(s.index.damaged(), reference)...)
	if len(found) == 0 {
		found = titled(listed, reference)
	}
	if len(found) > 1 && directory != "" {
		if here := matchingIn(found, reference, directory); len(here) == 1 {
			found = here
		}
	}
	return choose(reference, found)
}

// Named returns the session to which people have given a name in a directory. It skips subagents and sessions of proxies, whose
// names programs choose. It does no I/O.
func (s *Store) Named(directory, name string) (id messages.SessionID, found bool) {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	for _, e := range s.index.entries {
		if e.name == name && !e.deleted && e.namedIn(directory) {
			return e.id, true
		}
	}
	return "", false
}

// namedIn reports whether a session is in a directory, as spelled or with links resolved, and has a name that people choose.
func (e *entry) namedIn(directory string) bool {
	return e.parent == "" && !e.proxied && (e.place == directory || e.directory == directory)
}

func matchingIn(found []*entry, name, directory string) []*entry {
	return slices.DeleteFunc(slices.Clone(found), func(e *entry) bool { return cmp.Or(e.name, e.title) != name || !e.namedIn(directory) })
}

// titled returns the sessions of people that have no name and are listed with a title in its place.
func titled(listed []*entry, title string) []*entry {
	return slices.DeleteFunc(slices.Clone(listed), func(e *entry) bool {
		return title == "" || e.title != title || e.name != "" || e.parent != "" || e.proxied
	})
}

func matching(listed []*entry, reference string) []*entry {
	prefix := strings.ToLower(reference)
	var found []*entry
	for _, e := range listed {
		byID := len(prefix) >= minPrefix && strings.HasPrefix(string(e.id), prefix)
		if byID || (e.name == reference && reference != "") {
			found = append(found, e)
		}
	}
	return found
}

func choose(reference string, found []*entry) (messages.SessionID, error) {
	switch len(found) {
	case 0:
		return "", messages.Errorf(fault.OpResolve, messages.NotFound, "no session is called %q", reference).
			WithCode(messages.SessionNotFound).WithHint("'betcode session list' shows them; a name is looked up in this directory first")
	case 1:
		return found[0].id, nil
	}
	var ids, texts []string
	for _, e := range found[:min(len(found), maxCandidates)] {
		ids = append(ids, string(e.id))
		texts = append(texts, fmt.Sprintf("%s in %s", e.id, e.directory))
	}
	if len(found) > maxCandidates {
		ids, texts = append(ids, "…"), append(texts, "…")
	}
	return "", messages.Errorf(fault.OpResolve, messages.Invalid, "%q is ambiguous: it may be %s", reference, strings.Join(texts, ", ")).
		With("candidates", strings.Join(ids, ", ")).WithHint("Give more of the session's id, or give one of them another name: betcode session rename ID NAME")
}
