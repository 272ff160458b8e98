package voice

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	bytesASecond = 16_000 * 2 // of PCM
	// MaxAudio bounds a recording, in bytes: ten minutes of PCM.
	MaxAudio = 10 * 60 * bytesASecond
	buffered = 2 * bytesASecond / 1024 // buffered pieces of audio, of 1 KiB or more each

	readTimeout   = 10 * time.Second // for a recogniser that reads no audio
	resultTimeout = time.Minute      // for a recogniser that has all audio
	maxLength     = 11 * time.Minute // of a recording, in real time
)

// ErrTooLong is the error for a recording with more than [MaxAudio].
var ErrTooLong = errors.New("the recording has more than ten minutes")

var (
	errTooSlow = errors.New("the recogniser reads no audio")
	errLate    = errors.New("the recogniser did not end")
)

// recording is one recording and its recogniser.
type recording struct {
	audio  chan []byte
	size   int
	rest   []byte // rest of a piece that was partly read
	ended  bool   // no audio follows
	late   *time.Timer
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// record starts a recogniser for a recording, and calls over at its end, after the last result. The caller writes audio
// and ends it.
func record(ctx context.Context, with Recogniser, language string, say func(Result), over func(error)) *recording {
	r := &recording{audio: make(chan []byte, buffered), done: make(chan struct{})}
	ctx, r.cancel = context.WithCancelCause(ctx)
	r.late = time.AfterFunc(maxLength, func() { r.cancel(errLate) })
	go func() {
		defer close(r.done)
		err := with.Recognise(ctx, Audio{Reader: reader{ctx, r}, Type: PCM, Language: language}, say)
		r.late.Stop()
		r.cancel(nil)
		over(err)
	}()
	return r
}

// write passes audio to the recogniser. It blocks for a limited time while the recogniser is behind.
func (r *recording) write(piece []byte) error {
	if r.ended || len(piece) == 0 {
		return nil
	}
	if r.size += len(piece); r.size > MaxAudio {
		return ErrTooLong
	}
	slow := time.NewTimer(readTimeout)
	defer slow.Stop()
	select {
	case r.audio <- piece:
	case <-r.done: // the recogniser has ended early
	case <-slow.C:
		return errTooSlow
	}
	return nil
}

// end ends the audio. The recogniser has limited time for its remaining results.
func (r *recording) end() {
	if !r.ended {
		r.ended = true
		close(r.audio)
		r.late.Reset(resultTimeout)
	}
}

// abandon ends the recogniser, and waits for its end.
func (r *recording) abandon(why error) {
	r.cancel(why)
	<-r.done
}

// reader is the audio of a recording, as its recogniser reads it.
type reader struct {
	ctx context.Context //nolint:containedctx // of the recogniser, which reads
	r   *recording
}

// Read implements io.Reader.
func (a reader) Read(p []byte) (int, error) {
	if len(a.r.rest) == 0 {
		select {
		case piece, more := <-a.r.audio:
			if !more {
				return 0, io.EOF
			}
			a.r.rest = piece
		case <-a.ctx.Done():
			return 0, context.Cause(a.ctx)
		}
	}
	n := copy(p, a.r.rest)
	a.r.rest = a.r.rest[n:]
	return n, nil
}
