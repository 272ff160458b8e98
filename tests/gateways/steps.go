package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/tests/kit"
)

// do executes the step that follows "!" in a line of an exchange:
//
//	socket A              A connects to the agent socket
//	page A [SCOPE …]      A is a page of a browser that has logged in, with control and approve by default
//	browser A [SCOPE …]   A is such a browser itself: it sends requests and gets answers, see browser.go
//	proxy A               A connects to /ws/session
//	backend A             A is a backend at which 'betcode proxy' registers
//	run A FLAG …          runs 'betcode proxy' for the session at backend A
//	exit CODE             'betcode proxy' ends by itself
//	kill proxy            kills 'betcode proxy'
//	foreign               the real agent runs under a proxy of others, which registers $NEW as $SESSION
//	register A [JSON]     page A registers for the session, with further members
//	token NAME SCOPE …    makes a token; $TOKEN is its secret
//	session               makes a session; $SESSION is its id
//	use ID                $SESSION is that session
//	cli ARGUMENT …        runs the command
//	file NAME             waits until the file is in the project
//	nofile NAME           the file is not in the project
//	remove NAME           removes a file of the project
//	once PROMPT           the conversation has the prompt once
//	kill daemon           kills the daemon and starts another one
//	kill gateway          kills the gateway and starts another one
//	stop gateway          ends the gateway by SIGTERM, and starts another one for the next exchange
func (s *stage) do(words []string) error {
	what, rest := words[0], words[1:]
	switch what {
	case "socket":
		return s.enter(rest[0], func() (peer, error) { return dialLines(s.socket.Path) })
	case "page":
		return s.page(rest[0], rest[1:])
	case "browser":
		return s.browse(rest[0], rest[1:])
	case "proxy":
		return s.enter(rest[0], func() (peer, error) { return dialFrames(&kit.Browser{Base: s.portal.URL}, "/ws/session") })
	case "backend":
		return s.enter(rest[0], func() (peer, error) { return newBackend(), nil })
	case "run":
		return s.run(rest[0], rest[1:])
	case "exit":
		return s.exit(rest[0])
	case "foreign":
		return s.others()
	case "register":
		return s.register(rest[0], strings.Join(rest[1:], " "))
	case "token":
		arguments := []string{"token", "create", "--json", rest[0] + "-" + uuid.NewString()[:8]}
		for _, scope := range rest[1:] {
			arguments = append(arguments, "--scope", scope)
		}
		out, err := s.cli(arguments...)
		var made struct {
			Secret string `json:"secret"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &made)
		}
		s.names["$TOKEN"] = made.Secret
		return err
	case "session":
		id, err := s.cli("session", "new", "--cwd", s.world.Project)
		s.names["$SESSION"] = id
		return err
	case "use":
		s.names["$SESSION"] = rest[0]
		return nil
	case "cli":
		_, err := s.cli(rest...)
		return err
	case "file":
		return s.await(rest[0])
	case "nofile":
		if _, err := os.Stat(s.file(rest[0])); err == nil {
			return fmt.Errorf("%s is there", rest[0])
		}
		return nil
	case "remove":
		return os.Remove(s.file(rest[0]))
	case "once":
		out, err := s.cli("session", "export", s.names["$SESSION"])
		if n := strings.Count(out, fmt.Sprintf("%q:%q", "content", rest[0])); err == nil && n != 1 {
			err = fmt.Errorf("the conversation has %q %d times", rest[0], n)
		}
		return err
	case "kill":
		if rest[0] == "proxy" {
			s.proxy.Kill()
			return nil
		}
		return s.kill(rest[0])
	case "stop":
		s.stopped = make(chan error, 1)
		go func() { s.stopped <- s.stop() }() // it waits for its peers
		return nil
	}
	return fmt.Errorf("%q is no step", what)
}

func (s *stage) enter(name string, dial func() (peer, error)) error {
	p, err := dial()
	if err != nil {
		return err
	}
	s.peers[name] = p
	return nil
}

func (s *stage) page(name string, scopes []string) error {
	b, err := s.login(scopes)
	if err != nil {
		return err
	}
	return s.enter(name, func() (peer, error) { return dialFrames(b, "/ws/client") })
}

func (s *stage) register(name, members string) error {
	more := map[string]any{}
	if members != "" {
		if err := json.Unmarshal([]byte(members), &more); err != nil {
			return err
		}
	}
	frame, err := json.Marshal(kit.Registration(s.generation, s.names["$SESSION"], more))
	if err != nil {
		return err
	}
	return s.peers[name].send(string(frame))
}

func (s *stage) file(name string) string { return filepath.Join(s.world.Project, name) }

func (s *stage) await(name string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		_, err := os.Stat(s.file(name))
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// cli runs the command and returns its output.
func (l *lane) cli(arguments ...string) (string, error) {
	command := exec.Command(l.world.Binary, arguments...)
	command.Env, command.Dir = l.world.Environ(), l.world.Project
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("betcode %s: %w\n%s", strings.Join(arguments, " "), err, problems.String())
	}
	return strings.TrimSpace(string(out)), nil
}
