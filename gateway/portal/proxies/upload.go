package proxies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"betcode/gateway/portal/wire"
)

// The size of pieces of files for proxies, in bytes. G2 expects small ones.
const (
	pieceG2 = 1 << 10
	pieceG3 = 32 << 10
)

// sendTimeout is how long a proxy may take to read a file, storeTimeout how long one of G3 may then take to report the
// result. Those of G2 report none.
const (
	sendTimeout  = 2 * time.Minute
	storeTimeout = 30 * time.Second
)

var (
	errOffline  = errors.New("the proxy of this session is not connected here")
	errTooOld   = errors.New("a proxy of G1 accepts no files")
	errBusy     = errors.New("the proxy is busy with another file; try again later")
	errSlow     = errors.New("the proxy reads the file too slowly")
	errUnstored = errors.New("the proxy did not report whether it stored the file")
)

// File is a file for the machine of a proxy.
type File struct {
	ID, Name, Type string
	Content        []byte
}

// Upload sends a file to the proxy of a session, one at a time. The caller has checked the rights of the sender.
func (s *Server) Upload(ctx context.Context, session wire.UUID, f File) error {
	s.mu.Lock()
	p := s.serving[session]
	s.mu.Unlock()
	switch {
	case p == nil:
		return errOffline
	case p.translator.dialect < wire.G2:
		return errTooOld
	}
	result := make(chan wire.FileUploadResult, 1)
	if !p.results.CompareAndSwap(nil, &pendingFile{f.ID, result}) {
		return errBusy
	}
	defer p.results.Store(nil)
	if err := p.sendFile(f); err != nil {
		return err
	}
	if p.translator.dialect == wire.G2 {
		return nil
	}
	late := time.NewTimer(storeTimeout)
	defer late.Stop()
	select {
	case r := <-result:
		if !r.Success {
			return fmt.Errorf("the proxy refused the file: %.200s", value(r.Error))
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

// pendingFile is a file without a result yet.
type pendingFile struct {
	id     string
	result chan wire.FileUploadResult
}

// sendFile writes the frames of a file. It continues when the page has left.
func (p *proxy) sendFile(f File) error {
	size, until := pieceG3, time.Now().Add(sendTimeout)
	if p.translator.dialect == wire.G2 {
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

// uploaded passes the result of a file to Upload. It reports whether an upload waits for it.
func (p *proxy) uploaded(m wire.FileUploadResult) bool {
	waiting := p.results.Load()
	if waiting == nil || waiting.id != m.UploadID {
		return false
	}
	select {
	case waiting.result <- m:
	default: // it has a result already
	}
	return true
}
