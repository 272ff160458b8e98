package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"betcode/tests/kit"
)

// stage plays one exchange in the world of a lane.
type stage struct {
	*lane
	names   names
	peers   map[string]peer
	proxy   *kit.Proxy // 'betcode proxy', the newest
	foreign func()     // ends a proxy of others
	stopped chan error // how the gateway that was stopped has ended, and another one begun; nil = it was not
}

// play plays an exchange. The error has the line of the first difference.
func (l *lane) play(x exchange) (err error) {
	s := &stage{lane: l, names: names{"$PROJECT": l.world.Project, "$NEW": uuid.NewString()}, peers: map[string]peer{}}
	defer func() {
		if end := s.end(); err == nil {
			err = end
		}
	}()
	var passed []step // patterns of frames that may come before the next step's
	for _, each := range x.steps {
		if !each.in(l.generation) {
			continue
		}
		if each.verb == '*' {
			passed = append(passed, each)
			continue
		}
		if err := s.take(each, passed); err != nil {
			return fmt.Errorf("%s:%d: %w", x.name, each.line, err)
		}
		if each.verb == '<' {
			passed = nil
		}
	}
	return nil
}

// end ends everything that the exchange has begun.
func (s *stage) end() (err error) {
	if s.stopped != nil {
		err = <-s.stopped
	}
	if s.proxy != nil {
		s.proxy.Kill()
	}
	if s.foreign != nil {
		s.foreign()
	}
	for _, p := range s.peers {
		p.close()
		if b, ok := p.(*backendPeer); ok {
			b.end()
		}
	}
	return err
}

func (s *stage) take(each step, passed []step) error {
	if each.verb == '!' {
		return s.do(strings.Fields(s.names.fill(each.text)))
	}
	p := s.peers[each.peer]
	if p == nil {
		return fmt.Errorf("there is no peer %s", each.peer)
	}
	switch each.verb {
	case '>':
		return p.send(strings.ReplaceAll(s.names.fill(each.text), `\r`, "\r"))
	case '/':
		p.close()
		return nil
	}
	return s.expect(p, each, passed)
}

// expect reads the frame that a step wants, and those that may come before it.
func (s *stage) expect(p peer, want step, passed []step) error {
	var seen []string
next:
	for {
		frame, err := p.receive()
		if errors.Is(err, io.EOF) {
			frame, err = "(closed)", nil
		}
		if err != nil {
			return fmt.Errorf("want %s: %w%s", s.names.fill(want.text), err, skipped(seen))
		}
		if s.names.match(want.text, frame) {
			return nil
		}
		for _, pass := range passed {
			if pass.peer == want.peer && s.names.match(pass.text, frame) {
				seen = append(seen, frame)
				continue next
			}
		}
		if atAnyTime.MatchString(frame) {
			continue
		}
		return fmt.Errorf("\n want %s\n got  %s%s", s.names.fill(want.text), short(frame, 4000), skipped(seen))
	}
}

// atAnyTime are the frames that come at their own time.
var atAnyTime = regexp.MustCompile(`^\{"type":"(UserSpendUpdate|SessionStatus|SessionUpdate)"`)

// skipped lists the frames that were skipped.
func skipped(seen []string) string {
	text := ""
	for _, frame := range seen {
		text += "\n passed over " + short(frame, 200)
	}
	return text
}

func short(text string, most int) string {
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
