package portal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"betcode/gateway/portal/wire"
)

// sender is a page of G3 that sends files, and the messages that it receives.
type sender struct {
	*view
	ctx      context.Context
	received func() []string
}

// one is a listener with one connection.
type one struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l one) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, errors.New("closed")
	}
}
func (l one) Close() error   { close(l.done); return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// connected returns the two ends of a WebSocket in a synctest bubble.
func connected(t *testing.T) (browser, portal *websocket.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	return upgraded(t, ours, theirs)
}

// upgraded returns the two ends of a WebSocket over a connection.
func upgraded(t *testing.T, ours, theirs net.Conn) (browser, portal *websocket.Conn) {
	t.Helper()
	l := one{make(chan net.Conn, 1), make(chan struct{})}
	l.conns <- theirs
	accepted := make(chan *websocket.Conn, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			accepted <- conn
		}
	})}
	go func() { _ = server.Serve(l) }()
	browser, _, err := websocket.Dial(t.Context(), "ws://portal/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{ //nolint:bodyclose // the library has read it
		DialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	portal = <-accepted
	t.Cleanup(func() {
		browser.CloseNow()
		portal.CloseNow()
		server.Close()
	})
	return browser, portal
}

// sending opens a page of a login in a synctest bubble.
func sending(t *testing.T, s *Server, login string) *sender {
	t.Helper()
	browser, portal := connected(t)
	ctx, cancel := context.WithCancel(t.Context())
	var frames []string
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			_, frame, err := browser.Read(ctx)
			if err != nil {
				return
			}
			frames = append(frames, string(frame))
		}
	}()
	p := &page{Server: s, socket: portal, caller: Caller{Token: login, Scopes: []string{"control"}}, dialect: wire.G3, leave: cancel}
	v := &view{page: p}
	v.file.page, v.file.view = p, v
	t.Cleanup(func() {
		v.file.close(ctx)
		cancel()
		<-read
	})
	return &sender{v, ctx, func() []string {
		synctest.Wait()
		return slices.DeleteFunc(slices.Clone(frames), func(f string) bool { return !strings.Contains(f, `"FileUploadResult"`) })
	}}
}

func (s *sender) start(id string, count uint32, size uint64) {
	s.file.start(s.ctx, wire.FileUploadStart{UploadID: id, Filename: id + ".txt", TotalChunks: count, TotalSize: size})
}

func (s *sender) piece(id string, index uint32, data string) {
	s.file.add(s.ctx, wire.FileUploadChunk{UploadID: id, Index: index, Data: []byte(data)})
}

// expect checks the last message that the page received.
func (s *sender) expect(t *testing.T, parts ...string) {
	t.Helper()
	received := s.received()
	if len(received) == 0 {
		t.Fatalf("the page received nothing, want %q", parts)
	}
	for _, part := range parts {
		if last := received[len(received)-1]; !strings.Contains(last, part) {
			t.Errorf("the page received %s, want %s", last, part)
		}
	}
}

// keeper is a portal that stores files in memory.
func keeper() (*Server, map[string]string) {
	stored := map[string]string{}
	return New(Options{Keep: func(name string, content []byte) (string, error) {
		stored[name] = string(content)
		return "/uploads/" + name, nil
	}}), stored
}

// A page sends one file at a time. Pieces of the previous file, and its late timer, do not affect the next.
func TestUploadsInterleaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, stored := keeper()
		page := sending(t, s, "a")
		page.start("a", 2, 2)
		page.piece("a", 0, "a")
		time.Sleep(pieceTimeout - time.Second)
		page.start("b", 2, 2)
		page.expect(t, `"upload_id":"a"`, `"success":false`, errAnother.Error())
		page.piece("a", 1, "a")
		page.piece("b", 1, "2")
		time.Sleep(2 * time.Second)
		page.piece("b", 0, "1")
		page.expect(t, `"upload_id":"b"`, `"success":true`)
		page.start("b", 1, 1) // with the id of the previous file
		page.piece("b", 0, "x")
		page.expect(t, `"upload_id":"b"`, `"success":true`)
		page.piece("b", 0, "y")
		if received := page.received(); len(received) != 3 || len(stored) != 1 || stored["b.txt"] != "x" {
			t.Errorf("stored %v, received %q", stored, received)
		}
		if s.uploading.Taken() != 0 {
			t.Error("a file that is stored has a place")
		}
	})
}

// A file that arrives too slowly is aborted, whether its pieces stop or trickle.
func TestSlowUploads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, stored := keeper()
		page := sending(t, s, "a")
		page.start("stops", 2, 2)
		page.piece("stops", 0, "a")
		time.Sleep(pieceTimeout + time.Second)
		page.expect(t, `"upload_id":"stops"`, `"success":false`, errSlowUpload.Error())
		page.start("trickles", 100, 100)
		began := time.Now()
		for i := uint32(0); len(page.received()) == 1; i++ {
			page.piece("trickles", i, "a")
			time.Sleep(pieceTimeout - 10*time.Second)
		}
		if took := time.Since(began); took < fileTimeout || took > fileTimeout+pieceTimeout {
			t.Errorf("the file ended after %s", took)
		}
		page.expect(t, `"upload_id":"trickles"`, `"success":false`, errSlowUpload.Error())
		if len(stored) != 0 || s.uploading.Taken() != 0 {
			t.Errorf("stored %v, %d places are taken", stored, s.uploading.Taken())
		}
	})
}

// A login leaves places for the files of others, and a page that leaves releases its place.
func TestUploadPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := keeper()
		var pages []*sender
		for i := range maxUploads {
			p := sending(t, s, "greedy")
			p.start(fmt.Sprint(i), 1, 10)
			pages = append(pages, p)
		}
		if got := s.uploading.Taken(); got != maxUploads/2 {
			t.Errorf("one login has %d places", got)
		}
		pages[maxUploads-1].expect(t, `"success":false`, errManyFiles.Error())
		other := sending(t, s, "modest")
		other.start("x", 1, 1)
		other.piece("x", 0, "x")
		other.expect(t, `"success":true`)
		pages[0].file.close(pages[0].ctx)
		if got := s.uploading.Taken(); got != maxUploads/2-1 {
			t.Errorf("after one page has left, %d places are taken", got)
		}
	})
}

// A page that does not read a frame is closed after a timeout.
func TestPageThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := keeper()
		_, portal := connected(t)
		ctx, cancel := context.WithCancel(t.Context())
		p := &page{Server: s, socket: portal, dialect: wire.G3, leave: cancel}
		began := time.Now()
		p.send(ctx, wire.ErrorMessage{Message: strings.Repeat("x", 1<<20)})
		if took := time.Since(began); ctx.Err() == nil || took != writeTimeout {
			t.Errorf("after %s the page has left: %t", took, ctx.Err() != nil)
		}
	})
}
