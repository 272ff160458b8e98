package portal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"betcode/gateway/portal/lines"
	"betcode/gateway/portal/proxies"
	"betcode/gateway/portal/upload"
	"betcode/gateway/portal/wire"
)

const (
	// maxUpload bounds a file of a page, in bytes.
	maxUpload = 10 << 20
	// maxUploads bounds the files of all pages that are being received or stored.
	maxUploads = 8
	// pieceTimeout is how long a page may take between two pieces, fileTimeout from the first to the last.
	pieceTimeout = time.Minute
	fileTimeout  = 10 * time.Minute
	// piecesASecond bounds the average rate of pieces of a page. Those of G2 have 1 KiB.
	piecesASecond = 2000
)

var (
	errMayNot     = errors.New(noPermission) //nolint:staticcheck // a text that pages know
	errNoFiles    = errors.New("this portal accepts no files")
	errManyFiles  = errors.New("too many files arrive at once; try again later")
	errAnother    = errors.New("another file was sent before it was complete")
	errSlowUpload = errors.New("its pieces have arrived too slowly")
)

// incoming is the file that a page sends, one at a time. It is in memory until it is complete, so that
// nothing of it is left when the page leaves or this process is killed.
type incoming struct {
	page *page
	view *view

	mu     sync.Mutex
	now    *arriving // nil = none
	stored sync.WaitGroup
}

// arriving is an incomplete file.
type arriving struct {
	*upload.File
	leave func()    // releases its place
	until time.Time // deadline for the last piece
	late  *time.Timer
}

// start begins a file. It aborts an incomplete one.
func (in *incoming) start(ctx context.Context, m wire.FileUploadStart) {
	in.giveUp(ctx, nil, errAnother)
	file, err := in.admit(m)
	if err != nil {
		in.sendResult(ctx, m.UploadID, upload.Name(m.Filename), "", err)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.now = file
	file.late = time.AfterFunc(pieceTimeout, func() { in.giveUp(ctx, file, errSlowUpload) })
}

// admit takes a place for a file.
func (in *incoming) admit(m wire.FileUploadStart) (*arriving, error) {
	switch {
	case !in.page.caller.may("control"):
		return nil, errMayNot
	case !in.view.proxied && in.page.options.Keep == nil:
		return nil, errNoFiles
	}
	file, err := upload.Start(m, maxUpload)
	if err != nil {
		return nil, err
	}
	leave, ok := in.page.uploading.Take(in.page.caller.login())
	if !ok {
		return nil, errManyFiles
	}
	return &arriving{File: file, leave: leave, until: time.Now().Add(fileTimeout)}, nil
}

// add adds a piece; the last one completes the file.
func (in *incoming) add(ctx context.Context, m wire.FileUploadChunk) {
	in.mu.Lock()
	defer in.mu.Unlock()
	file := in.now
	if file == nil {
		return
	}
	content, complete, err := file.Add(m)
	if !complete && err == nil {
		file.late.Reset(min(pieceTimeout, time.Until(file.until)))
		return
	}
	in.now = nil
	file.late.Stop()
	if err != nil {
		file.leave()
		in.sendResult(ctx, file.ID, file.Name, "", err)
		return
	}
	in.stored.Go(func() {
		defer file.leave()
		path, err := in.store(ctx, file.File, content)
		in.sendResult(ctx, file.ID, file.Name, path, err)
	})
}

// store stores a file on the machine of the agent: this one, or that of its proxy.
func (in *incoming) store(ctx context.Context, file *upload.File, content []byte) (path string, err error) {
	if in.view.proxied {
		return "", in.page.proxies.Upload(ctx, wire.UUID(in.view.session), proxies.File{ID: file.ID, Name: file.Name, Type: file.Type, Content: content})
	}
	return in.page.options.Keep(file.Name, content)
}

// sendResult sends the result of an upload to the page.
func (in *incoming) sendResult(ctx context.Context, id, name, path string, err error) {
	m := wire.FileUploadResult{UploadID: id, Success: err == nil}
	text := fmt.Sprintf("**%s** was sent to the proxy of this session.", name)
	switch {
	case err != nil:
		m.Error = ref(err.Error())
		in.page.send(ctx, wire.ErrorMessage{Message: name + " was not stored: " + err.Error()})
		in.page.send(ctx, m)
		return
	case path != "":
		m.Path = &path
		text = fmt.Sprintf("**%s** is stored as `%s`. Name this path in a message to the agent.", name, path)
	}
	in.page.send(ctx, wire.ClaudeOutput{Content: lines.Note(text), AgentType: "claude"})
	in.page.send(ctx, m)
}

// giveUp aborts an incomplete file: only, or the present one if only is nil.
func (in *incoming) giveUp(ctx context.Context, only *arriving, why error) {
	in.mu.Lock()
	file := in.now
	if file == nil || only != nil && only != file {
		in.mu.Unlock()
		return
	}
	in.now = nil
	file.late.Stop()
	in.mu.Unlock()
	file.leave()
	in.sendResult(ctx, file.ID, file.Name, "", why)
}

// close aborts the file of a page that has left, and waits for one that is being stored.
func (in *incoming) close(ctx context.Context) {
	in.giveUp(ctx, nil, errors.New("the page has left"))
	in.stored.Wait()
}
