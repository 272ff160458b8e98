//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// browsers is one session that many pages of the portal show, some of each generation.
var browsers = pageLoad{pages: 500, logins: 1, lines: 300, rate: 30}

// BenchmarkPages measures whether all pages of one session keep up: those of one login, and those of
// many.
func BenchmarkPages(b *testing.B) {
	b.Run("login", func(b *testing.B) { showPages(b, browsers) })
	b.Run("logins", func(b *testing.B) {
		each := browsers
		each.logins = each.pages
		showPages(b, each)
	})
}

func showPages(b *testing.B, l pageLoad) {
	if testing.Short() {
		l.lines /= 10
	}
	for b.Loop() {
		o := newPageRig(b, l).run()
		frames := len(o.delays)
		report(b, map[string]float64{
			unitP50:     millis(quantile(o.delays, 0.5)),
			unitP99:     millis(quantile(o.delays, 0.99)),
			unitLagging: float64(o.lagging),
			unitGateway: perEvent(o.portal, frames),
			unitCPU:     perEvent(o.daemon, frames),
			unitPeak:    megabytes(o.peak),
		})
	}
}

// pageLoad is what pages are shown: so many lines of an agent, so many a second.
type pageLoad struct{ pages, logins, lines, rate int }

// pageRig is a daemon with one warm agent, and a portal whose pages show its session.
type pageRig struct {
	*rig
	pageLoad
	portal *kit.Portal
	pages  []*bareSocket
}

func newPageRig(tb testing.TB, l pageLoad) *pageRig {
	tb.Helper()
	g := &pageRig{rig: newRig(tb, binaries.betcode, load{sessions: 1, clients: 1}), pageLoad: l}
	var err error
	if g.portal, err = g.world.Portal(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(g.portal.Kill)
	secrets := g.secrets(l.logins)
	for i := range l.pages {
		page, err := dialSocket(g.portal.URL, "/ws/client", secrets[i%len(secrets)])
		if err != nil {
			tb.Fatal(err, g.portal.Log())
		}
		tb.Cleanup(func() { page.Close() })
		if err := page.send(kit.Registration(i%3+1, g.streams[0].session, nil)); err != nil {
			tb.Fatal(err)
		}
		g.pages = append(g.pages, page)
	}
	g.all(func(p *bareSocket) error { // they have the history
		for {
			switch frame, err := p.next(); {
			case err != nil:
				return err
			case bytes.Contains(frame, []byte(`"SessionStatus"`)):
				return nil
			}
		}
	})
	return g
}

// secrets makes tokens of people who may do what pages can.
func (g *pageRig) secrets(n int) (all []string) {
	g.Helper()
	access := pb.NewAccessServiceClient(g.dial())
	for i := range n {
		made, err := access.CreateAccessToken(g.Context(), &pb.CreateAccessTokenRequest{Name: fmt.Sprint("page-", i), Scopes: []string{"view", "control", "approve"}})
		if err != nil {
			g.Fatal(err)
		}
		all = append(all, made.GetSecret())
	}
	return all
}

// all does something with every page at once.
func (g *pageRig) all(do func(*bareSocket) error) {
	g.Helper()
	errs := make([]error, len(g.pages))
	var group sync.WaitGroup
	for i, p := range g.pages {
		group.Go(func() { errs[i] = do(p) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		g.Fatal(err, g.portal.Log())
	}
}

// pageOutcome is what the lines of one turn came to.
type pageOutcome struct {
	delays         []int64 // from the agent's write to a page, in nanoseconds
	lagging        int     // pages that have not got each line once
	portal, daemon usage
	peak           int64 // of the portal's memory
}

// run has the agent write its lines, and waits until every page has them.
func (g *pageRig) run() (o pageOutcome) {
	g.Helper()
	o.portal, o.daemon = g.usageOf(g.portal.PID()), g.usage()
	w := work{own: fmt.Sprintf("lines:%d:%d:%d", g.lines, g.rate, textSize)}
	var mu sync.Mutex
	o.peak = peakOf(g.portal.PID(), func() {
		g.say(g.streams[0], w)
		var beside sync.WaitGroup
		beside.Go(func() { g.turns(func(int) work { return w }) })
		g.all(func(p *bareSocket) error {
			delays, err := p.turn()
			mu.Lock()
			defer mu.Unlock()
			o.delays = append(o.delays, delays...)
			if err == nil && len(delays) != g.lines {
				o.lagging++
			}
			return err
		})
		beside.Wait()
	})
	o.portal, o.daemon = g.usageOf(g.portal.PID()).since(o.portal), g.usage().since(o.daemon)
	return o
}

// bareSocket is a client of the portal that costs next to nothing: it takes frames apart only as far
// as it counts them.
type bareSocket struct {
	net.Conn
	in    *bufio.Reader
	frame []byte
}

// dialSocket opens a WebSocket of the portal with the secret of a login.
func dialSocket(base, path, secret string) (*bareSocket, error) {
	address := strings.TrimPrefix(base, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &bareSocket{Conn: conn, in: bufio.NewReaderSize(conn, 4<<10)}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nAuthorization: Bearer %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, address, base, secret)
	if err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("open %s: %s", path, answer.Status)
	}
	return s, nil
}

// send sends a text frame.
func (s *bareSocket) send(m any) error {
	payload, err := json.Marshal(m)
	if err != nil {
		return err
	}
	frame := []byte{0x81, 0x80 | 127}
	frame = binary.BigEndian.AppendUint64(frame, uint64(len(payload)))
	mask := binary.LittleEndian.AppendUint32(nil, rand.Uint32())
	frame = append(frame, mask...)
	for i, b := range payload {
		frame = append(frame, b^mask[i%4])
	}
	_, err = s.Write(frame)
	return err
}

// next returns the next text frame, which is valid until the next call. Pings are not answered: a
// measurement ends before that counts.
func (s *bareSocket) next() ([]byte, error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(s.in, head[:]); err != nil {
			return nil, fmt.Errorf("read frame: %w", err)
		}
		size := uint64(head[1])
		var long [8]byte
		switch size {
		case 126:
			if _, err := io.ReadFull(s.in, long[6:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(long[:])
		case 127:
			if _, err := io.ReadFull(s.in, long[:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(long[:])
		}
		if uint64(cap(s.frame)) < size {
			s.frame = make([]byte, size)
		}
		s.frame = s.frame[:size]
		if _, err := io.ReadFull(s.in, s.frame); err != nil {
			return nil, err
		}
		switch kind := head[0] & 0xf; kind {
		case 1:
			return s.frame, nil
		case 8:
			return nil, fmt.Errorf("the portal closes the socket: %q", s.frame)
		}
	}
}

// turn reads to the end of the turn and returns the delays of the lines of the agent.
func (s *bareSocket) turn() (delays []int64, err error) {
	for {
		frame, err := s.next()
		switch {
		case err != nil:
			return delays, err
		case bytes.Contains(frame, []byte(`"type":"Error"`)):
			return delays, fmt.Errorf("the portal says %s", frame)
		case bytes.Contains(frame, []byte(`"type":"result"`)):
			return delays, nil
		case bytes.Contains(frame, []byte(`"type":"assistant"`)):
			if _, text, ok := bytes.Cut(frame, []byte(`"text":"`)); ok {
				delays = append(delays, time.Now().UnixNano()-stamp(string(text[:min(len(text), 24)])))
			}
		}
	}
}
