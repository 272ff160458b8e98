package kit

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
)

// Portal is one running 'betcode gateway portal'.
type Portal struct {
	*Command

	URL string // at which it is reached

	world *World
}

// Portal runs the portal for the world's daemon and returns when it is ready.
func (w *World) Portal(arguments ...string) (*Portal, error) {
	p := &Portal{world: w}
	var out *bufio.Reader
	var err error
	if p.Command, out, err = w.command("portal", nil, append([]string{"gateway", "portal", "--listen", "127.0.0.1:0"}, arguments...)...); err != nil {
		return nil, err
	}
	first, err := out.ReadString('\n')
	go p.wait()
	p.URL = strings.TrimSpace(first)
	if err != nil || !strings.HasPrefix(p.URL, "http") {
		p.Kill()
		return nil, fmt.Errorf("the portal's first line is %q: %w\n%s", first, err, p.log)
	}
	return p, nil
}

// Code returns a code for a login with scopes.
func (w *World) Code(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair"}, name, scopes)
}

// SharedCode returns a code for a login that sees only sessions shared with its person.
func (w *World) SharedCode(name string, scopes ...string) (string, error) {
	return w.pair([]string{"gateway", "pair", "--shared"}, name, scopes)
}

// ProxyToken returns a token with which a foreign proxy registers sessions at the portal.
func (w *World) ProxyToken(name string) (string, error) {
	return w.say("gateway", "token", "--name", name)
}

func (w *World) pair(arguments []string, name string, scopes []string) (string, error) {
	for _, s := range scopes {
		arguments = append(arguments, "--scope", s)
	}
	return w.say(append(arguments, name)...)
}

// say runs a command and returns what it prints.
func (w *World) say(arguments ...string) (string, error) {
	command := exec.Command(w.Binary, arguments...)
	command.Env, command.Dir = w.Environ(), w.Root
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}
