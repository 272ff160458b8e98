package callers

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"betcode/tests/attack/siege"
)

// http2Scenarios attack the protocol below the calls.
var http2Scenarios = []siege.Scenario{
	{Name: "doors: floods of frames", Env: siege.Listening, Attack: attackFrames},
	{Name: "doors: work without a token", Env: siege.Listening, Attack: attackWork},
}

// rawHTTP2 is a client that writes arbitrary frames. The answers are not read of one
// that is deaf.
type rawHTTP2 struct {
	conn   net.Conn
	framer *http2.Framer
	block  bytes.Buffer
	pack   *hpack.Encoder
	next   uint32 // the next stream
}

// framePatience is how long a flood may go on: one that the daemon does not read, or
// whose connection it has closed, ends earlier.
const framePatience = 3 * time.Second

func dialHTTP2(s *siege.Siege, address string, deaf bool) *rawHTTP2 {
	conn, err := net.Dial("tcp", address)
	s.Must(err, "connect")
	s.Later(func() { conn.Close() })
	_, err = io.WriteString(conn, http2.ClientPreface)
	s.Must(err, "send the preface")
	r := &rawHTTP2{conn: conn, framer: http2.NewFramer(conn, conn), next: 1}
	r.framer.AllowIllegalWrites = true
	r.pack = hpack.NewEncoder(&r.block)
	s.Must(r.framer.WriteSettings(), "send the settings")
	if !deaf {
		go func() { _, _ = io.Copy(io.Discard, conn) }() // until it is closed
	}
	s.Must(conn.SetWriteDeadline(time.Now().Add(framePatience)), "bound the flood")
	return r
}

// acknowledged counts the settings that the daemon has taken note of, until the connection
// is closed.
func (r *rawHTTP2) acknowledged() *atomic.Int64 {
	var count atomic.Int64
	go func() {
		for {
			frame, err := r.framer.ReadFrame()
			if err != nil {
				return
			}
			if f, ok := frame.(*http2.SettingsFrame); ok && f.IsAck() {
				count.Add(1)
			}
		}
	}()
	return &count
}

// headers encodes those of a call, and more of them.
func (r *rawHTTP2) headers(more ...hpack.HeaderField) []byte {
	r.block.Reset()
	for _, f := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "http"},
		{Name: ":path", Value: "/betcode.v1.AgentService/ListSessions"},
		{Name: ":authority", Value: "localhost"},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "te", Value: "trailers"},
	}, more...) {
		if r.pack.WriteField(f) != nil {
			break // nothing can fail in memory
		}
	}
	return r.block.Bytes()
}

// open begins a call, without its body.
func (r *rawHTTP2) open(block []byte) (stream uint32, err error) {
	stream = r.next
	r.next += 2
	return stream, r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block, EndHeaders: true})
}

// frameFloods are frames that a client without a token can send; each is repeated until an end or
// an error.
var frameFloods = []struct {
	name  string
	deaf  bool
	times int
	send  func(*rawHTTP2) error
}{
	{"calls that are reset at once", false, 4000, func(r *rawHTTP2) error {
		stream, err := r.open(r.headers())
		if err == nil {
			err = r.framer.WriteRSTStream(stream, http2.ErrCodeCancel)
		}
		return err
	}},
	{"calls without a body", false, 4000, func(r *rawHTTP2) error {
		_, err := r.open(r.headers())
		return err
	}},
	{"calls whose answers nobody reads", true, 4000, func(r *rawHTTP2) error {
		_, err := r.open(r.headers())
		return err
	}},
	{"headers without an end", false, 8192, func(r *rawHTTP2) error {
		if r.next == 1 {
			r.next = 3
			return r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: r.headers()})
		}
		r.block.Reset()
		err := r.pack.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 12<<10), Sensitive: true})
		if err == nil {
			err = r.framer.WriteContinuation(1, false, r.block.Bytes())
		}
		return err
	}},
	{"headers that are large when unpacked", false, 2000, func(r *rawHTTP2) error {
		fields := make([]hpack.HeaderField, 8000) // each takes one byte, as it is in the table
		for i := range fields {
			fields[i] = hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 3000)}
		}
		_, err := r.open(r.headers(fields...))
		return err
	}},
	{"settings", false, 200000, func(r *rawHTTP2) error {
		return r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	}},
	{"settings that nobody reads", true, 200000, func(r *rawHTTP2) error { return r.framer.WriteSettings() }},
	{"pings", false, 200000, func(r *rawHTTP2) error { return r.framer.WritePing(false, [8]byte{1}) }},
	{"pings that nobody reads", true, 200000, func(r *rawHTTP2) error { return r.framer.WritePing(false, [8]byte{1}) }},
	{"windows", false, 200000, func(r *rawHTTP2) error { return r.framer.WriteWindowUpdate(0, 1) }},
	{"empty data", false, 200000, func(r *rawHTTP2) error { return r.framer.WriteData(1, false, nil) }},
}

// attackFrames sends all of them at once, without a token.
func attackFrames(s *siege.Siege) {
	const bound = 512 << 20
	address, viewer := s.Address(), s.Token("viewer", "view")
	before := s.PeakMemory()
	var group sync.WaitGroup
	for i, flood := range frameFloods {
		connections := 1
		if i < 3 { // calls cost the daemon more than frames
			connections = 16
		}
		for range connections {
			r := dialHTTP2(s, address, flood.deaf)
			group.Go(func() {
				for range flood.times {
					if flood.send(r) != nil {
						break
					}
				}
			})
		}
	}
	group.Wait()
	grown := s.PeakMemory() - before
	s.Held("the daemon's memory is bounded", grown < bound, "it grew by %d MiB", grown>>20)
	s.Held("it serves on", !s.Daemon.Ended(), "it has ended")
	s.Held("a client with a token gets in afterwards", s.Becomes(func() bool {
		_, code := s.Cli("--address", address, "--token-file", viewer, "--socket", "/nowhere/s", "session", "list")
		return code == 0
	}), "it does not")
	lines := lines(s)
	s.Held("the log has few lines about it", lines < 1000, "%d lines", lines)
}

// attackWork floods the daemon with frames without a token. The daemon's work is bounded, however
// fast the machine is, and callers with a token are not delayed.
func attackWork(s *siege.Siege) {
	const frame, connections = 9, 4 // an empty frame, in bytes
	const free, each, burst = 8 << 10, 256 << 10, 1 << 20
	address, viewer := s.Address(), s.Token("viewer", "view")
	var group sync.WaitGroup
	var counts []*atomic.Int64
	began := time.Now()
	for range connections {
		r := dialHTTP2(s, address, true)
		counts = append(counts, r.acknowledged())
		group.Go(func() {
			for range 1 << 20 {
				if r.framer.WriteSettings() != nil {
					break
				}
			}
		})
	}
	printed, code := s.Cli("--address", address, "--token-file", viewer, "--socket", "/nowhere/s", "session", "list")
	s.Held("a client with a token gets in meanwhile", code == 0, "exit %d: %s", code, printed)
	_, code = s.Cli("session", "list")
	s.Held("so does the owner", code == 0, "exit %d", code)
	group.Wait()
	var frames int64
	for _, c := range counts {
		frames += c.Load()
	}
	most := int64(connections*(free+2<<10)+burst+int((time.Since(began)+time.Second).Seconds()*each)) / frame
	s.Held("the daemon answers no more frames than it is to", frames <= most, "%d frames in %v, %d are the most", frames, time.Since(began), most)
	s.Held("it answers some", frames > 0, "none")
}
