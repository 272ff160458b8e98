package wire

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// Incoming is the part of a gRPC stream that messages are read from.
type Incoming interface {
	ReadMessageHeader(header []byte) error
	Read(n int) (mem.BufferSlice, error)
	RecvCompress() string
}

// IncomingOf returns the stream of a call, or nil if gRPC did not create the stream.
func IncomingOf(ctx context.Context) Incoming {
	w, _ := grpc.ServerTransportStreamFromContext(ctx).(Incoming)
	return w
}

// Compressed reports whether a call's requests may be compressed.
func Compressed(ctx context.Context) bool {
	w := IncomingOf(ctx)
	if w == nil {
		return false
	}
	name := w.RecvCompress()
	return name != "" && name != encoding.Identity
}

// within reads with a deadline. After the deadline the call ends, and that ends the read.
func within[T any](ctx context.Context, patience time.Duration, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, wireError(err)}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var none T
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, status.FromContextError(ctx.Err()).Err()
	case <-timer.C:
		return none, status.Errorf(codes.DeadlineExceeded, "the request was not complete within %s", patience)
	}
}

// wireError converts an error of the transport to a status. It returns io.EOF unchanged.
func wireError(err error) error {
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return status.Error(codes.Internal, io.ErrUnexpectedEOF.Error())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Unavailable, err.Error())
}
