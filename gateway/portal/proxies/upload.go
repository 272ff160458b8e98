package proxies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"betcode/gateway/portal/wire"
)

// Pieces of files toward proxies, in bytes. G2 sends and expects small ones.
const (
	pieceG2 = 1 << 10
	pieceG3 = 32 << 10
)

// handPatience is how long a proxy may take to read a file, storePatience how long one of G3 may then take to say what became of
// it. Those of G2 say nothing.
const (
	handPatience  = 2 * time.Minute
	storePatience = 30 * time.Second
)

var (
	errOffline  = errors.New("the proxy of this session is not connected here")
	errTooOld   = errors.New("a proxy of G1 takes no files")
	errBusy     = errors.New("the proxy has the file of somebody else; try again later")
	errSlow     = errors.New("the proxy reads it too slowly")
	errUnstored = errors.New("the proxy does not say what became of it")
)

// File is a file for the machine of a proxy.
type File struct {
	ID, Name, Type string
	Content        []byte
}

// Upload hands a file to the proxy of a session, one at a time. The caller has checked who sends it.
func (s *Server) Upload(ctx context.Context, session wire.UUID, f File) error {
	s.mu.Lock()
	p := s.serving[session]
	s.mu.Unlock()
	switch {
	case p == nil:
		return errOffline
	case p.words.dialect < wire.G2:
		return errTooOld
	}
	result := make(chan wire.FileUploadResult, 1)
	if !p.results.CompareAndSwap(nil, &pendingFile{f.ID, result}) {
		return errBusy
	}
	defer p.results.Store(nil)
	if err := p.hand(f); err != nil {
		return err
	}
	if p.words.dialect == wire.G2 {
		return nil
	}
	late := time.NewTimer(storePatience)
	defer late.Stop()
	select {
	case r := <-result:
		if !r.Success {
			return fmt.Errorf("the proxy refuses it: %.200s", value(r.Error))
		}
		return nil
	case <-late.C:
		return errUnstored
	case <-p.over.Done():
		return errOffline
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pendingFile is a file of which a proxy has not said what became of it.
type pendingFile struct {
	id     string
	result chan wire.FileUploadResult
}

// hand writes the frames of a file. It goes on when the page has left, which may not wait for the proxies of G2.
func (p *proxy) hand(f File) error {
	size, until := pieceG3, time.Now().Add(handPatience)
	if p.words.dialect == wire.G2 {
		size = pieceG2
	}
	count := max((len(f.Content)+size-1)/size, 1)
	if !p.write(wire.FileUploadStart{
		UploadID: f.ID, Filename: f.Name, ContentType: f.Type, TotalChunks: uint32(count), TotalSize: uint64(len(f.Content)), //nolint:gosec // of a file that is in memory
	}) {
		return errOffline
	}
	for i := range count {
		piece := f.Content[i*size : min((i+1)*size, len(f.Content))]
		switch {
		case time.Now().After(until):
			return errSlow
		case !p.write(wire.FileUploadChunk{UploadID: f.ID, Index: uint32(i), Data: piece}): //nolint:gosec // as above
			return errOffline
		}
	}
	return nil
}

// uploaded takes what a proxy says of a file. It reports whether somebody has asked.
func (p *proxy) uploaded(m wire.FileUploadResult) bool {
	waiting := p.results.Load()
	if waiting == nil || waiting.id != m.UploadID {
		return false
	}
	select {
	case waiting.result <- m:
	default: // it was said already
	}
	return true
}
