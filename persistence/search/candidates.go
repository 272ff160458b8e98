package search

import (
	"path"
	"strings"

	"betcode/messages"
)

// candidates returns the documents that match the words and the file, and the matches of each wanted clause.
func (s *search) candidates(x *Index, from source) (docs []uint32, found []matches, err error) {
	all := true // documents are candidates so far
	narrow := func(some []uint32) {
		if all {
			docs, all = some, false
		} else {
			docs = intersect(docs, some)
		}
	}
	for _, c := range s.query.Want {
		m, err := clause(from, c)
		if err != nil || len(m.docs) == 0 {
			return nil, nil, err
		}
		found = append(found, m)
		if narrow(m.docs); len(docs) == 0 {
			return nil, nil, nil
		}
	}
	if s.file != "" {
		some, err := s.ofFile(from)
		if err != nil {
			return nil, nil, err
		}
		narrow(some)
	}
	if all {
		some, err := s.ofFilter(x, from)
		if err != nil {
			return nil, nil, err
		}
		narrow(some)
	}
	for _, c := range s.query.Exclude {
		if len(docs) == 0 {
			break
		}
		m, err := clause(from, c)
		if err != nil {
			return nil, nil, err
		}
		docs = without(docs, m.docs)
	}
	return docs, found, nil
}

// ofFile returns the calls that name the file, or one below it.
func (s *search) ofFile(from source) ([]uint32, error) {
	if !strings.Contains(s.file, "/") {
		l, err := from.list(string(classBase)+s.file, false)
		return l.Docs, err
	}
	file := path.Clean(s.file)
	u := union{counts: make([]uint32, from.docs())}
	l, err := from.list(string(classFile)+file, false)
	if err != nil {
		return nil, err
	}
	u.add(l)
	if err := from.each(string(classFile)+strings.TrimSuffix(file, "/")+"/", false, u.add); err != nil {
		return nil, err
	}
	return u.list().Docs, nil
}

// ofFilter returns the documents of a request without words and file: those of its tools, kinds or sessions.
func (s *search) ofFilter(x *Index, from source) ([]uint32, error) {
	var names []string
	switch {
	case len(s.toolName) > 0:
		names = s.toolName
	case !s.anyKind:
		for place, wanted := range s.kinds {
			if wanted {
				names = append(names, kindWord(messages.SearchKinds[place]))
			}
		}
	default:
		for id := range s.sessions {
			if place, known := x.places[id]; known {
				names = append(names, sessionWord(place))
			}
		}
	}
	u := union{counts: make([]uint32, from.docs())}
	for _, name := range names {
		l, err := from.list(name, false)
		if err != nil {
			return nil, err
		}
		u.add(l)
	}
	return u.list().Docs, nil
}

// wants reports whether a document passes the filters. No other function decides whether a session is visible.
func (s *search) wants(x *Index, r row) bool {
	if r.at < s.since || r.at >= s.until || !s.anyKind && !s.kinds[r.kind&7] || s.tools != nil && !s.tools[r.tool] {
		return false
	}
	if int(r.session) >= len(s.facts) {
		return false
	}
	f := &s.facts[r.session]
	if !f.known {
		id := x.sessions[r.session]
		outline, exists := x.options.Journal.Outline(id)
		f.known, f.outline = true, outline
		f.wanted = exists && !outline.Damaged && (s.sessions == nil || s.sessions[id]) && (s.accept == nil || s.accept(outline))
	}
	return f.wanted && r.seq > f.outline.LowWater
}
