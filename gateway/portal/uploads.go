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
	// uploadBudget bounds the bytes of all files that are arriving or being stored.
	uploadBudget = 64 << 20
	// piecePatience is how long a page may take from one piece to the next.
	piecePatience = time.Minute
	// piecesASecond bounds the pieces that a page sends for long. Those of G2 have 1 KiB.
	piecesASecond = 2000
)

var (
	errMayNot     = errors.New(noPermission) //nolint:staticcheck // a text that pages know
	errNoFiles    = errors.New("this portal takes no files")
	errManyFiles  = errors.New("too many files arrive at once; try again later")
	errAnother    = errors.New("another file was sent before it was complete")
	errSlowUpload = errors.New("no piece of it has come for a minute")
)

// incoming is the file that a page sends: one at a time. It is kept in memory until it is complete, so that
// nothing of it is left when the page leaves or this process is killed.
type incoming struct {
	page *page
	view *view

	mu     sync.Mutex
	file   *upload.File // nil = none
	late   *time.Timer
	stored sync.WaitGroup
}

// start begins a file. One that is not complete is given up.
func (in *incoming) start(ctx context.Context, m wire.FileUploadStart) {
	in.giveUp(ctx, errAnother)
	file, err := in.admit(m)
	if err != nil {
		in.told(ctx, m.UploadID, upload.Name(m.Filename), "", err)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.file = file
	in.late = time.AfterFunc(piecePatience, func() { in.giveUp(ctx, errSlowUpload) })
}

// admit takes room for a file.
func (in *incoming) admit(m wire.FileUploadStart) (*upload.File, error) {
	switch {
	case !in.page.caller.may("control"):
		return nil, errMayNot
	case !in.view.proxied && in.page.options.Keep == nil:
		return nil, errNoFiles
	}
	file, err := upload.Start(m, maxUpload)
	if err == nil && !in.page.uploading.TryAcquire(int64(file.Size())) { //nolint:gosec // at most maxUpload
		err = errManyFiles
	}
	return file, err
}

// add takes a piece; the last one completes the file.
func (in *incoming) add(ctx context.Context, m wire.FileUploadChunk) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.file == nil {
		return
	}
	file := in.file
	content, complete, err := file.Add(m)
	if !complete && err == nil {
		in.late.Reset(piecePatience)
		return
	}
	in.file = nil
	in.late.Stop()
	if err != nil {
		in.free(file)
		in.told(ctx, file.ID, file.Name, "", err)
		return
	}
	in.stored.Go(func() {
		defer in.free(file)
		path, err := in.store(ctx, file, content)
		in.told(ctx, file.ID, file.Name, path, err)
	})
}

// store hands a file to the machine of the agent: this one, or that of its proxy.
func (in *incoming) store(ctx context.Context, file *upload.File, content []byte) (path string, err error) {
	if in.view.proxied {
		return "", in.page.proxies.Upload(ctx, wire.UUID(in.view.session), proxies.File{ID: file.ID, Name: file.Name, Type: file.Type, Content: content})
	}
	return in.page.options.Keep(file.Name, content)
}

// told tells what became of a file.
func (in *incoming) told(ctx context.Context, id, name, path string, err error) {
	m := wire.FileUploadResult{UploadID: id, Success: err == nil}
	text := fmt.Sprintf("**%s** was handed to the proxy of this session.", name)
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

// giveUp ends a file that is not complete, if there is one.
func (in *incoming) giveUp(ctx context.Context, why error) {
	in.mu.Lock()
	file := in.file
	in.file = nil
	in.mu.Unlock()
	if file == nil {
		return
	}
	in.late.Stop()
	in.free(file)
	in.told(ctx, file.ID, file.Name, "", why)
}

// close ends the file of a page that has left, and waits for one that is being stored.
func (in *incoming) close(ctx context.Context) {
	in.giveUp(ctx, errors.New("the page has left"))
	in.stored.Wait()
}

func (in *incoming) free(file *upload.File) { in.page.uploading.Release(int64(file.Size())) } //nolint:gosec // at most maxUpload
