package editor

import "strings"

// History is the messages that were sent before, the oldest first, and the place in them.
type History struct {
	entries []string
	at      int    // index of the shown entry; len(entries) = the draft
	draft   string // the text in the editor before Up
	search  *search
}

// search is a Ctrl-R search.
type search struct {
	query  string
	before string // the text when it began
	at     int    // index of the match; -1 = none
}

// SetEntries replaces the entries.
func (h *History) SetEntries(entries []string) {
	h.entries, h.at, h.search = entries, len(entries), nil
}

// Add appends a message that was sent.
func (h *History) Add(text string) {
	if n := len(h.entries); n == 0 || h.entries[n-1] != text {
		h.entries = append(h.entries[:n:n], text)
	}
	h.at, h.draft, h.search = len(h.entries), "", nil
}

// Up shows the entry before. It reports whether there is one.
func (h *History) Up(e *Editor) bool {
	if h.at == 0 {
		return false
	}
	if h.at == len(h.entries) {
		h.draft = e.Text()
	}
	h.at--
	e.SetText(h.entries[h.at])
	return true
}

// Down shows the entry behind, and the draft behind the last. It reports whether there is one.
func (h *History) Down(e *Editor) bool {
	if h.at >= len(h.entries) {
		return false
	}
	if h.at++; h.at == len(h.entries) {
		e.SetText(h.draft)
		h.draft = ""
		return true
	}
	e.SetText(h.entries[h.at])
	return true
}

// Searching reports whether a search runs, with its query and whether something was found.
func (h *History) Searching() (query string, found, running bool) {
	if h.search == nil {
		return "", false, false
	}
	return h.search.query, h.search.at >= 0 || h.search.query == "", true
}

// SearchKey handles a key of a search. It reports whether it belongs to the search; another key ends it, keeps the match, and is
// for the editor.
func (h *History) SearchKey(k Key, e *Editor) bool {
	s := h.search
	if s == nil {
		if k.Name != "ctrl+r" {
			return false
		}
		h.search = &search{before: e.Text(), at: -1}
		return true
	}
	switch {
	case k.Name == "ctrl+r":
		from := len(h.entries)
		if s.at >= 0 {
			from = s.at
		}
		h.find(e, from)
	case k.Name == "backspace":
		if r := []rune(s.query); len(r) > 0 {
			s.query = string(r[:len(r)-1])
		}
		h.find(e, len(h.entries))
	case k.Name == "esc", k.Name == "ctrl+c":
		e.SetText(s.before)
		h.search = nil
	case k.Name == "enter", k.Name == "tab":
		h.search = nil
	case k.Text != "":
		s.query += k.Text
		h.find(e, len(h.entries))
	default:
		h.search = nil
		return false
	}
	return true
}

// find shows the newest entry before a place that contains the query.
func (h *History) find(e *Editor, before int) {
	s := h.search
	if s.query == "" {
		s.at = -1
		e.SetText(s.before)
		return
	}
	for i := before - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(h.entries[i]), strings.ToLower(s.query)) {
			s.at = i
			e.SetText(h.entries[i])
			return
		}
	}
	if before == len(h.entries) {
		s.at = -1
	}
}
