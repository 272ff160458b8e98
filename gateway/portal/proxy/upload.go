package proxy

import (
	"errors"

	"betcode/gateway/portal/upload"
	"betcode/gateway/portal/wire"
)

var (
	errReadOnly = errors.New("this session is read-only here")
	errNoFiles  = errors.New("this proxy accepts no files")
	errAnother  = errors.New("another file was sent before it was complete")
)

// uploadStart begins a file. It aborts an incomplete one.
func (l *link) uploadStart(m wire.FileUploadStart) {
	if l.upload != nil {
		l.uploaded(l.upload.ID, l.upload.Name, "", errAnother)
		l.upload = nil
	}
	var err error
	switch {
	case l.ReadOnly:
		err = errReadOnly
	case l.MaxUpload == 0:
		err = errNoFiles
	default:
		l.upload, err = upload.Start(m, l.MaxUpload)
	}
	if err != nil {
		l.uploaded(m.UploadID, upload.Name(m.Filename), "", err)
	}
}

// uploadChunk adds a piece; the last one completes the file.
func (l *link) uploadChunk(m wire.FileUploadChunk) {
	if l.upload == nil {
		return
	}
	f := l.upload
	content, complete, err := f.Add(m)
	if err != nil || complete {
		l.upload = nil
	}
	switch {
	case err != nil:
		l.uploaded(f.ID, f.Name, "", err)
	case complete:
		l.do(keep{f.ID, f.Name, content})
	}
}

// uploaded sends the result of an upload: the path, or the error.
func (l *link) uploaded(id, name, path string, err error) {
	m := wire.FileUploadResult{UploadID: id, Success: path != ""}
	if path != "" {
		l.note("**%s** is stored as `%s`. Name this path in a message to the agent.", name, path)
	} else {
		why := err.Error()
		m.Error = &why
		l.note("**%s** was not stored: %s.", name, why)
	}
	l.say(m)
}

// kept sends the result of storing a complete file.
func (l *link) kept(k keep, path string, err error) []effect {
	if err != nil {
		path = ""
	}
	l.uploaded(k.id, k.name, path, err)
	return l.take()
}
