package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"betcode/tests/foreignproxy"
)

// run runs 'betcode proxy' at a backend.
func (s *stage) run(backend string, flags []string) error {
	b, ok := s.peers[backend].(*backendPeer)
	if !ok {
		return fmt.Errorf("%s is no backend", backend)
	}
	started, err := s.world.Proxy(append([]string{"--backend-url", b.url, "--session", s.names["$SESSION"]}, flags...)...)
	s.proxy = started
	return err
}

func (s *stage) exit(code string) error {
	got, err := s.proxy.Ended()
	if err == nil && strconv.Itoa(got) != code {
		err = fmt.Errorf("the proxy ended with %d\n%s", got, s.proxy.Log())
	}
	return err
}

// others puts the real agent under a proxy of the lane's generation, and waits until it is registered.
func (s *stage) others() error {
	id, token := s.names["$NEW"], s.names["$TOKEN"]
	s.names["$SESSION"] = id
	p := foreignproxy.New(foreignproxy.Options{
		URL: s.portal.URL, Token: &token, Generation: s.generation, Session: id, Name: "box-20260205-131316", Directory: s.world.Project, Hostname: "box",
		Agent: &foreignproxy.Program{Path: s.agent, Env: s.world.Environ(), Dir: s.world.Project},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Run(ctx) // it is ended below
	}()
	s.foreign = func() {
		cancel()
		<-ended
	}
	waiting, late := context.WithTimeout(ctx, patience)
	defer late()
	if err := p.Until(waiting, "a registration", func(seen foreignproxy.Seen) bool { return seen.Connected }); err != nil {
		return errors.Join(err, fmt.Errorf("refused: %q", p.Seen().Refused))
	}
	return nil
}
