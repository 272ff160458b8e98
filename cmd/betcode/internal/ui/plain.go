package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/lookback"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// plainHelp lists what can be typed at the list of sessions, line by line.
const plainHelp = `Type a command and Enter:
  list            the sessions, those that need you first
  N, open N       open the session with that number, or with that name
  next            open the next session that waits for you
  new             a new session in this directory
  find TEXT       the sessions that have a text in their name, directory or last message
  search WORDS    what was said, called and returned in all sessions; hit N opens one of them
  plans           the orchestrations and their steps
  stop N          end its agent; resume N goes on, cancel N interrupts its turn
  rename N NAME   give it another name
  quit            leave; the sessions go on
In a session, /back leads back to the list.`

// Plain is the list of sessions for a screen reader: each change is a line. A session keeps its number, whatever happens to others.
type Plain struct {
	list    *Model
	numbers []string // ids; the number of a session is its place, from 1
	known   map[string]sessionstate.State
	hits    []*pb.SearchHit // of the last search; the number of a hit is its place, from 1
}

// NewPlain returns an empty list.
func NewPlain() *Plain { return &Plain{list: NewModel(false), known: map[string]sessionstate.State{}} }

// Listed takes the list or its error. It returns lines with the changes.
func (p *Plain) Listed(now time.Time, r *pb.ListSessionsResponse, err error) (lines []string) {
	first, lost := !p.list.read, !p.list.lost.IsZero()
	p.list.Listed(now, r, err)
	switch {
	case err != nil && !lost && p.list.trouble != "":
		return []string{"The list was not read: " + p.list.trouble}
	case err != nil && !lost:
		return []string{"The daemon does not answer; trying again. If it is gone: betcode daemon start"}
	case err != nil:
		return nil
	case first:
		p.take()
		return append(p.all(now, p.list.rows), "help lists the commands.")
	case lost:
		lines = append(lines, "Connected again.")
	}
	before := p.known
	p.take()
	for _, row := range p.list.rows {
		id := row.session.GetId()
		if was, seen := before[id]; !seen || was != row.state {
			lines = append(lines, p.row(now, row))
		}
	}
	for n, id := range p.numbers {
		if _, was := before[id]; was && p.list.Session(id) == nil {
			lines = append(lines, fmt.Sprintf("%d is deleted.", n+1))
		}
	}
	return lines
}

// take notes the states of the sessions, and numbers new ones.
func (p *Plain) take() {
	p.known = make(map[string]sessionstate.State, len(p.list.rows))
	for _, row := range p.list.rows {
		id := row.session.GetId()
		p.known[id] = row.state
		if !slices.Contains(p.numbers, id) {
			p.numbers = append(p.numbers, id)
		}
	}
}

// all returns the sum of the sessions, and a line for each row.
func (p *Plain) all(now time.Time, rows []row) []string {
	lines := []string{p.sum()}
	for _, row := range rows {
		lines = append(lines, p.row(now, row))
	}
	return lines
}

// sum counts the sessions in each state.
func (p *Plain) sum() string {
	counts := p.list.Counts()
	var parts []string
	for _, name := range sessionstate.Names() {
		if n := counts[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, stateWords(name)))
		}
	}
	if len(parts) == 0 {
		return "There is no session. new begins one in this directory."
	}
	return strings.Join(parts, ", ") + "."
}

func stateWords(name sessionstate.Name) string {
	if name == sessionstate.Waiting {
		return "need you"
	}
	return string(name)
}

// row describes the state of a session.
func (p *Plain) row(now time.Time, r row) string {
	s := r.session
	text := fmt.Sprintf("%d. %s: %s", slices.Index(p.numbers, s.GetId())+1, console.Shorten(title(s), 60), strings.Replace(stateWords(r.state.Name), "need you", "needs you", 1))
	if r.state.Reason != "" {
		text += ": " + r.state.Reason
	}
	return text + ". " + console.Ago(s.GetUpdatedAt(), now) + "."
}

// Line takes a command. It returns what to print, and what to do.
func (p *Plain) Line(now time.Time, text string) (lines []string, effect Effect) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(word, "/") && len(word) > 1 {
		word, rest = "find", strings.TrimSpace(strings.TrimSpace(text)[1:])
	}
	if _, err := strconv.Atoi(word); err == nil && rest == "" {
		word, rest = "open", word
	}
	switch strings.ToLower(word) {
	case "":
		return nil, nil
	case "list", "ls", "l":
		return p.all(now, p.list.rows), nil
	case "help", "?":
		return strings.Split(plainHelp, "\n"), nil
	case "quit", "q", "exit":
		return nil, Quit{}
	case "new", "c":
		return nil, Begin{}
	case "plans":
		return nil, ShowPlans{}
	case "next", "n":
		if next := p.list.Next(""); next != "" {
			return nil, Open{Session: next}
		}
		return []string{"Nothing waits for you."}, nil
	case "find":
		p.list.line.filter = rest
		rows := p.list.shown()
		p.list.line.filter = ""
		if len(rows) == 0 {
			return []string{"No session has that text."}, nil
		}
		return p.all(now, rows)[1:], nil
	case "search":
		if rest == "" {
			return []string{"For which words? search WORDS"}, nil
		}
		return nil, Search{rest}
	case "hit":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > len(p.hits) {
			return []string{"Which hit? search WORDS, then hit N"}, nil
		}
		return nil, Open{Session: p.hits[n-1].GetSessionId(), At: p.hits[n-1].GetSequence()}
	case "open":
		if rest == "" {
			return []string{"Which session? open N"}, nil
		}
		if id := p.numbered(rest); id != "" {
			return nil, Open{Session: id}
		}
		return nil, Open{Session: rest}
	case "stop", "resume", "cancel", "rename":
		which, argument, _ := strings.Cut(rest, " ")
		id := p.numbered(which)
		if id == "" {
			return []string{fmt.Sprintf("Which session? %s N", word)}, nil
		}
		if argument = strings.TrimSpace(argument); argument == "" && strings.EqualFold(word, "rename") {
			return []string{"Name missing: rename N NAME"}, nil
		}
		return nil, Command{strings.ToLower(word), id, argument}
	}
	return []string{fmt.Sprintf("There is no command %q; help lists them.", console.Line(word))}, nil
}

// Found takes the hits of a search. It returns them, with their numbers.
func (p *Plain) Found(now time.Time, r *pb.SearchResponse) (lines []string) {
	p.hits = r.GetHits()
	for i, h := range p.hits {
		name := cmp.Or(console.Line(h.GetSessionName()), "session "+console.ShortID(h.GetSessionId()))
		lines = append(lines, fmt.Sprintf("hit %d. %s: %s, %s: %s", i+1, console.Shorten(name, 60), console.Line(lookback.Source(h)),
			console.Ago(h.GetTimestamp(), now), lookback.Marked(h, false)))
	}
	if remark := lookback.Remark(r, ""); remark != "" {
		lines = append(lines, remark)
	}
	return lines
}

// numbered returns the session with a number; empty if there is none.
func (p *Plain) numbered(text string) string {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(p.numbers) {
		return ""
	}
	return p.numbers[n-1]
}
