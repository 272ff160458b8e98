package kit

import (
	"bufio"
	"fmt"
	"strings"
	"time"
)

// Proxy is one running 'betcode proxy'.
type Proxy struct {
	*Command

	Session string // that is registered; empty before that

	first chan error // the first line was read, or there is none
}

// Proxy runs a proxy for the world's daemon. It may not be registered yet: see [Proxy.Registered].
func (w *World) Proxy(arguments ...string) (*Proxy, error) {
	p := &Proxy{first: make(chan error, 1)}
	var out *bufio.Reader
	var err error
	if p.Command, out, err = w.command("proxy", nil, append([]string{"proxy"}, arguments...)...); err != nil {
		return nil, err
	}
	go func() {
		line, err := out.ReadString('\n')
		p.Session = strings.TrimSpace(line)
		p.first <- err
		p.wait()
	}()
	return p, nil
}

// Registered waits until the portal has registered the session.
func (p *Proxy) Registered() error {
	select {
	case err := <-p.first:
		if err != nil {
			<-p.done
			return fmt.Errorf("the proxy ended with %d before it was registered\n%s", p.command.ProcessState.ExitCode(), p.log)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the proxy was not registered within %s\n%s", patience, p.log)
	}
}
