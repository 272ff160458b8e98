package orchestration

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"betcode/persistence/planlog"
)

// open opens a journal and reads its header. most bounds the bytes that are read of it.
func open(path string, most int64) (*planlog.Reader, header, error) {
	var h header
	r, err := planlog.Open(path, most, &h)
	if err == nil && h.Format != formatVersion {
		r.Close()
		err = fmt.Errorf("read header of %s: format %d is not known", path, h.Format)
	}
	return r, h, err
}

// load reads a journal up to its end, or up to an offset. It returns the state and the offset behind the last whole line.
func load(path string, most int64) (*state, int64, error) {
	r, h, err := open(path, most)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if problems := h.Plan.Check(); len(problems) > 0 {
		return nil, 0, fmt.Errorf("read %s: the plan cannot run: %s", path, problems[0].Text)
	}
	s := newState(h)
	for {
		e, err := r.Event()
		switch {
		case err == nil:
			s.apply(e)
		case errors.Is(err, io.EOF), errors.Is(err, planlog.ErrTorn) && r.RestBlank():
			return s, r.Cursor().Offset, nil
		default:
			return nil, 0, fmt.Errorf("read %s behind event %d: %w", path, r.Cursor().Seq, err)
		}
	}
}

// missing reports whether an error means that the file does not exist.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
