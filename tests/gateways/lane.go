package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"betcode/tests/kit"
	"betcode/tests/model"
)

//go:embed testdata
var testdata embed.FS

// lane is a world with a gateway.
type lane struct {
	name       string
	kinds      []string // directories of its exchanges
	generation int      // of the peers of the portal

	world  *kit.World
	daemon *kit.Daemon
	agent  string // the real one
	model  *model.Server
	socket *kit.Gateway // of the agent socket; else nil
	portal *kit.Portal  // else nil
}

// lanes returns the lanes in the order of the last line.
func lanes() []*lane {
	all := []*lane{{name: "socket", kinds: []string{"socket"}}}
	for generation := 1; generation <= 3; generation++ {
		all = append(all, &lane{name: fmt.Sprint("portal_g", generation), kinds: []string{"page", "session", "http"}, generation: generation})
	}
	return append(all, &lane{name: "proxy", kinds: []string{"proxy"}})
}

// exchanges reads the lane's files.
func (l *lane) exchanges() (all []exchange, err error) {
	for _, kind := range l.kinds {
		names, err := fs.Glob(testdata, path.Join("testdata", kind, "*.txt"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			file, err := testdata.Open(name)
			if err != nil {
				return nil, err
			}
			x, err := readExchange(strings.TrimPrefix(name, "testdata/"), file)
			if err = errors.Join(err, file.Close()); err != nil {
				return nil, err
			}
			all = append(all, x)
		}
	}
	return all, nil
}

// raise starts the model, the daemon and the gateway.
func (l *lane) raise(ctx context.Context, binary, agent string) error {
	l.agent = agent
	script, err := model.Ready("default")
	if err != nil {
		return err
	}
	if l.model, err = model.New(script); err != nil {
		return err
	}
	l.world, err = kit.NewWorld(binary, agent,
		"ANTHROPIC_BASE_URL="+l.model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1", "SHELL=/bin/bash")
	if err != nil {
		return err
	}
	if l.daemon, err = l.world.Start(ctx); err != nil {
		return err
	}
	return l.open()
}

func (l *lane) open() (err error) {
	if l.name == "proxy" {
		return nil
	}
	if l.generation > 0 {
		l.portal, err = l.world.Portal()
		return err
	}
	l.socket, err = l.world.Gateway()
	return err
}

// kill kills the daemon or the gateway and starts another one.
func (l *lane) kill(what string) (err error) {
	if what == "daemon" {
		l.daemon.Kill()
		l.daemon, err = l.world.Start(context.Background())
		return err
	}
	l.shut()
	return l.open()
}

// stop ends the gateway as an operator does, and starts another one.
func (l *lane) stop() error {
	end := func() (int, error) { return l.socket.Stop() }
	if l.portal != nil {
		end = l.portal.Stop
	}
	if code, err := end(); err != nil || code != 0 {
		return fmt.Errorf("the gateway ended with %d: %w", code, err)
	}
	return l.open()
}

func (l *lane) shut() {
	if l.portal != nil {
		l.portal.Kill()
	}
	if l.socket != nil {
		l.socket.Kill()
	}
}

// end ends everything that the lane has started.
func (l *lane) end() (err error) {
	l.shut()
	if l.daemon != nil && !l.daemon.Ended() {
		_, err = l.daemon.Stop()
	}
	if l.world != nil {
		l.world.End()
		err = errors.Join(err, l.world.Remove())
	}
	if l.model != nil {
		err = errors.Join(err, l.model.Close())
	}
	return err
}
