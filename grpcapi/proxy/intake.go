package proxy

import (
	"context"
	"sync"

	"betcode/messages"
)

// The bounds of an intake, and of a batch. A larger line forms a batch of its own. A batch is about as large as that of
// an agent that the daemon runs.
const (
	intakeFrames = 1024
	intakeBytes  = 1 << 20
	batchBytes   = 32 << 10
)

// intake buffers frames of a proxy for the session. One goroutine puts, another takes.
type intake struct {
	mu     sync.Mutex
	frames []messages.ProxyFrame
	bytes  int
	err    error         // the end after the frames; io.EOF = the proxy sends no more
	ready  chan struct{} // capacity 1: there is something to take
	room   chan struct{} // capacity 1: something was taken
}

func newIntake() *intake {
	return &intake{ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put adds a frame. It blocks while the intake is full, so that flow control stops the proxy.
func (i *intake) put(ctx context.Context, frame messages.ProxyFrame) error {
	size := sizeOf(frame)
	for {
		i.mu.Lock()
		switch {
		case i.err != nil:
			defer i.mu.Unlock()
			return i.err
		case len(i.frames) == 0, len(i.frames) < intakeFrames && i.bytes+size <= intakeBytes:
			i.frames, i.bytes = append(i.frames, frame), i.bytes+size
			i.mu.Unlock()
			signal(i.ready)
			return nil
		}
		i.mu.Unlock()
		select {
		case <-i.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close ends the intake after the frames that were put. Only the first reason is kept.
func (i *intake) close(reason error) {
	i.mu.Lock()
	if i.err == nil {
		i.err = reason
	}
	i.mu.Unlock()
	signal(i.ready)
	signal(i.room)
}

// take waits for frames and returns the next batch.
func (i *intake) take(ctx context.Context) ([]messages.ProxyFrame, error) {
	for {
		if batch, err := i.batch(); batch != nil || err != nil {
			signal(i.room)
			return batch, err
		}
		select {
		case <-i.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// batch removes and returns the next batch; nil without an error if there is none.
func (i *intake) batch() ([]messages.ProxyFrame, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.frames) == 0 {
		return nil, i.err
	}
	n, bytes := 1, sizeOf(i.frames[0])
	for n < len(i.frames) && bytes+sizeOf(i.frames[n]) <= batchBytes {
		bytes += sizeOf(i.frames[n])
		n++
	}
	batch := i.frames[:n:n]
	i.frames, i.bytes = i.frames[n:], i.bytes-bytes
	if len(i.frames) == 0 {
		i.frames = nil // the batch owns the array
	}
	return batch, nil
}

func sizeOf(frame messages.ProxyFrame) int {
	const overhead = 64
	switch f := frame.(type) {
	case messages.ProxyLine:
		return overhead + len(f.Line)
	case messages.ProxyAsked:
		return overhead + len(f.Input) + len(f.Suggestions)
	}
	return overhead
}

// signal wakes the goroutine that waits on a channel of capacity 1.
func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
