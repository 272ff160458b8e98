package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"betcode/tests/kit"
)

// watcher is a client of the agent socket that watches a session. Its gateway is killed again and again, or its
// connection breaks; then it attaches behind the last cursor that it has.
type watcher struct {
	round   *round
	dice    *rand.Rand
	session string
	front   *front       // keeps the gateway running; nil = the watcher does, and kills it
	gateway *kit.Gateway // of the watcher; nil: none runs
	kills   int
	owner   *owner // types and answers; nil = it only watches

	lines  []string        // up to the cursor
	tail   []socketLine    // behind it: the gateway sends them again
	work   work            // the state after the lines up to the cursor
	asked  map[string]bool // requests among the lines; those that wait are sent again
	cursor uint64
}

// socketLine has the members of a line that the watcher reads.
type socketLine struct {
	Type, RequestID string
	Sequence        uint64
	Error, Status   string
	raw             string
}

// attached reports whether the history has come, or there is none because the session was never used.
func (l socketLine) attached() bool {
	return l.Type == "session_attached" || l.Type == "error" && strings.HasSuffix(l.Error, "not found")
}

func newWatcher(r *round, session string) *watcher {
	return &watcher{round: r, dice: rand.New(rand.NewPCG(r.schedule.seed, 19)), session: session, asked: map[string]bool{}}
}

// follow watches until ctx ends, through one gateway after the other.
func (w *watcher) follow(ctx context.Context) {
	defer w.stop()
	for ctx.Err() == nil {
		if !w.serve(ctx) {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		limit, cancel := context.WithTimeout(ctx, w.patience())
		_ = w.watch(limit, func(socketLine) bool { return false }) // the gateway ends it, or the limit
		cancel()
		if w.dice.IntN(2) == 0 && w.gateway != nil {
			w.round.note("kill the gateway; the watcher has %d lines up to %d", len(w.lines), w.cursor)
			w.stop()
			w.kills++
		}
	}
}

// patience is how long a connection lasts. An owner needs time for turns.
func (w *watcher) patience() time.Duration {
	limit := time.Duration(20+w.dice.IntN(400)) * time.Millisecond
	if w.owner != nil {
		limit *= 10
	}
	return limit
}

// serve has a gateway run. It fails while there is no daemon.
func (w *watcher) serve(ctx context.Context) bool {
	if w.front != nil {
		return w.front.serves()
	}
	if w.gateway != nil {
		return true
	}
	if w.round.house.wait(ctx) == nil {
		return false
	}
	g, err := w.round.world.Gateway()
	if err == nil {
		w.gateway = g
	}
	return err == nil
}

func (w *watcher) stop() {
	if w.gateway != nil {
		w.gateway.Kill()
		w.gateway = nil
	}
}

// watch attaches behind the cursor and takes lines until enough, or ctx ends.
func (w *watcher) watch(ctx context.Context, enough func(socketLine) bool) error {
	w.tail = nil
	return w.attach(ctx, w.cursor, func(l socketLine) bool {
		switch l.Type {
		case "session_attached", "cursor":
			w.commit(l.Sequence)
		default:
			w.tail = append(w.tail, l)
		}
		return enough(l)
	})
}

// work reports whether a session works, according to its lines.
type work bool

// numbered applies a line, and reports whether its event has a number. Errors may have none, and neither has the idle
// line after a refused prompt.
func (w *work) numbered(l socketLine) bool {
	was := *w
	switch {
	case l.Type == "error":
		return false
	case l.Status == "processing":
		*w = true
	case l.Status == "idle":
		*w = false
		return bool(was)
	}
	return true
}

// commit notes that lines up to a number have come.
func (w *watcher) commit(cursor uint64) {
	for _, l := range w.tail {
		asks := l.Type == "permission_request" || l.Type == "question"
		if !w.work.numbered(l) || asks && w.asked[l.RequestID] {
			continue
		}
		w.lines = append(w.lines, l.raw)
		if asks {
			w.asked[l.RequestID] = true
		}
	}
	w.tail, w.cursor = nil, cursor
}

// attach attaches to the session behind a number and gives each line to take, until it returns true or ctx ends.
func (w *watcher) attach(ctx context.Context, from uint64, take func(socketLine) bool) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", w.round.world.AgentSocket())
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := fmt.Fprintf(conn, `{"type":"attach_session","sessionId":%q,"claudeSessionId":%q,"fromSequence":%d,"cursors":true,"watch":%t}`+"\n",
		w.session, w.session, from, w.owner == nil); err != nil {
		return err
	}
	if w.owner != nil {
		defer w.owner.attach(conn)()
	}
	for in := bufio.NewReader(conn); ; {
		raw, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		l := socketLine{raw: raw}
		if w.owner != nil {
			w.owner.line(raw)
		}
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			w.round.report(otherwise, "the gateway sends %q: %v", raw, err)
			return err
		}
		if take(l) {
			return nil
		}
	}
}

// check compares the received lines with those that the gateway sends for the whole history. The session is quiescent.
func (w *watcher) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer w.stop()
	var (
		whole []string
		head  uint64
		err   error
	)
	if !w.serve(ctx) {
		w.round.report(otherwise, "no gateway starts beside a daemon at rest")
		return
	}
	for ctx.Err() == nil {
		err = w.watch(ctx, socketLine.attached)
		whole, head = nil, 0
		var at work
		if err == nil {
			err = w.attach(ctx, 0, func(l socketLine) bool {
				if l.attached() {
					head = l.Sequence
					return true
				}
				if at.numbered(l) {
					whole = append(whole, l.raw)
				}
				return false
			})
		}
		if err != nil || head == w.cursor { // else the session went on meanwhile
			break
		}
	}
	if err != nil {
		w.round.report(otherwise, "the gateway ends beside a daemon at rest: %v", err)
		return
	}
	w.compare(whole)
}

// compare reports missing and duplicate lines.
func (w *watcher) compare(whole []string) {
	got, at := w.lines, 0
	for at < min(len(got), len(whole)) && got[at] == whole[at] {
		at++
	}
	if at == len(got) && at == len(whole) {
		w.round.note("the watcher has all %d lines, through %d gateways that were killed", at, w.kills)
		return
	}
	kind := reordered
	switch {
	case len(got) < len(whole):
		kind = lost
	case len(got) > len(whole):
		kind = duplicated
	}
	w.round.report(kind, "the watcher of the agent socket has %d lines, the history %d; they differ from line %d on:\n%s\n%s",
		len(w.lines), len(whole), at, excerpt(got, at), excerpt(whole, at))
}

// excerpt shows a few lines.
func excerpt(lines []string, at int) string {
	some := slices.Clone(lines[max(at-2, 0):min(at+3, len(lines))])
	for i, l := range some {
		some[i] = "  " + shorten(strings.TrimSpace(l))
	}
	return strings.Join(some, "\n")
}

// compacts reports whether the first session compacts its history; a replay then has fewer events.
func (s schedule) compacts() bool {
	return slices.ContainsFunc(s.phases, func(p phase) bool {
		return slices.ContainsFunc(p.inputs, func(m input) bool { return m.compact && m.session == 0 })
	})
}
