package main

import (
	"fmt"
	"io"
	"strings"

	"betcode/tests/kit"
)

// login returns a browser that has logged in.
func (s *stage) login(scopes []string) (*kit.Browser, error) {
	if len(scopes) == 0 {
		scopes = []string{"control", "approve"}
	}
	code, err := s.world.Code("browser", scopes...)
	if err != nil {
		return nil, fmt.Errorf("pair: %w", err)
	}
	b := s.portal.Browser()
	return b, b.Enter(code)
}

// browse lets a peer be a browser that has logged in; with the scope "none" it has not.
func (s *stage) browse(name string, scopes []string) error {
	b, err := s.portal.Browser(), error(nil)
	if len(scopes) != 1 || scopes[0] != "none" {
		b, err = s.login(scopes)
	}
	if err != nil {
		return err
	}
	if s.generation == 3 {
		b.Header.Set("Accept", "application/json")
	}
	return s.enter(name, func() (peer, error) { return &browserPeer{browser: b}, nil })
}

// browserPeer is a browser. Its frames are requests, "METHOD PATH [BODY]", and their answers, "STATUS TYPE BODY"
// without the end of the line.
type browserPeer struct {
	browser *kit.Browser
	answers []string
}

func (p *browserPeer) send(frame string) error {
	method, rest, _ := strings.Cut(frame, " ")
	path, body, _ := strings.Cut(rest, " ")
	status, header, answer, err := p.browser.Ask(method, path, body)
	kind := strings.TrimSuffix(header.Get("Content-Type"), "; charset=utf-8")
	p.answers = append(p.answers, strings.TrimSpace(fmt.Sprintf("%d %s %s", status, kind, strings.TrimSpace(answer))))
	return err
}

func (p *browserPeer) receive() (string, error) {
	if len(p.answers) == 0 {
		return "", io.EOF
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return answer, nil
}

func (p *browserPeer) close() {}
