package grpcapi

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

// How requests are read. gRPC reads a message as soon as somebody asks for it, whole, and
// decompresses up to the largest that is taken, for as many at once as come; so it is
// done here: the length is read first, then room for what the message will have is
// waited for, and then the rest has a deadline.

const (
	// maxProbeBytes bounds a request of a caller who needs no scope: health and versions.
	maxProbeBytes = 4 << 10
	// smallRequest is up to where a request takes none of the room for large ones: an
	// answer does not wait behind attachments.
	smallRequest = 64 << 10
	// leastRequest is what a request counts for at least: it is more than its bytes.
	leastRequest = 512
	// mostInflated is how much longer gzip can be when it is decompressed.
	mostInflated = 1032

	probeRoom     = 1 << 20
	probeRoomEach = 256 << 10
	smallRoom     = 32 << 20
	smallRoomEach = 8 << 20
	// largeRequests is how many of the largest requests there is room for; one caller has
	// room for one.
	largeRequests = 3

	// roomPatience is how long a request waits for room.
	roomPatience = 10 * time.Second
	// bodyPatience is how long the rest of a request may take, and one more second for each
	// bodyRate bytes.
	bodyPatience = 10 * time.Second
	bodyRate     = 128 << 10
)

// intake reads the requests of a server.
type intake struct {
	most                 int // bytes of a request
	probes, small, large *room
	body                 time.Duration // bodyPatience, but in tests
	wait                 time.Duration // roomPatience, but in tests
}

func newIntake(most int) *intake {
	return &intake{
		most: most, body: bodyPatience, wait: roomPatience,
		probes: newRoom(probeRoom, probeRoomEach), small: newRoom(smallRoom, smallRoomEach),
		large: newRoom(largeRequests*int64(most), int64(most)),
	}
}

// incoming is the part of gRPC's stream that messages are read from.
type incoming interface {
	ReadMessageHeader(header []byte) error
	Read(n int) (mem.BufferSlice, error)
	RecvCompress() string
}

// incomingOf is the incoming stream of a call; nil where it is another's stream, in tests.
func incomingOf(ctx context.Context) incoming {
	w, _ := grpc.ServerTransportStreamFromContext(ctx).(incoming)
	return w
}

// compressed reports whether a call's requests may be compressed.
func compressed(ctx context.Context) bool {
	w := incomingOf(ctx)
	if w == nil {
		return false
	}
	name := w.RecvCompress()
	return name != "" && name != encoding.Identity
}

// holding is the room that the last request of a call takes, until the next is read, the
// call answers, or ends.
type holding struct {
	mu     sync.Mutex
	room   *room
	caller string
	bytes  int64
	ended  bool
}

// keep holds bytes; it gives them back at once when the call has ended.
func (h *holding) keep(r *room, caller string, bytes int64) {
	h.mu.Lock()
	h.room, h.caller, h.bytes = r, caller, bytes
	ended := h.ended
	h.mu.Unlock()
	if ended {
		h.release()
	}
}

// shrink gives back what is held beyond some bytes.
func (h *holding) shrink(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.room != nil && h.bytes > bytes {
		h.room.give(h.caller, h.bytes-bytes)
		h.bytes = bytes
	}
}

func (h *holding) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.room != nil {
		h.room.give(h.caller, h.bytes)
		h.room = nil
	}
}

func (h *holding) end() {
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	h.release()
}

// receive reads the next request into m. io.EOF is the end of the stream; any error else
// leaves the stream unusable.
func (in *intake) receive(ctx context.Context, w incoming, c *call, held *holding, m any) error {
	held.release()
	header, err := in.header(ctx, w, c)
	if errors.Is(err, io.EOF) && !c.clientStream {
		return status.Error(codes.Internal, "cardinality violation: received no request message from non-client-streaming RPC")
	}
	if err != nil {
		return err
	}
	packed, length := header[0] == 1, int64(binary.BigEndian.Uint32(header[1:]))
	if err := in.check(w, c, header[0], length); err != nil {
		return err
	}
	if err := in.makeRoom(ctx, c, held, packed, length); err != nil {
		return err
	}
	data, err := within(ctx, in.body+time.Duration(length/bodyRate)*time.Second, func() (mem.BufferSlice, error) { return w.Read(int(length)) })
	if err != nil {
		return err
	}
	if packed {
		if data, err = in.unpack(w.RecvCompress(), data, c); err != nil {
			return err
		}
		held.shrink(max(int64(data.Len()), leastRequest))
	}
	defer data.Free()
	if err := newCodec().Unmarshal(data, m); err != nil {
		return status.Errorf(codes.Internal, "grpc: failed to unmarshal the received message: %v", err)
	}
	if c.clientStream {
		return nil
	}
	return in.ends(ctx, w)
}

// header reads what stands before a message: whether it is compressed, and its length.
// On a stream of requests the next may come at any time.
func (in *intake) header(ctx context.Context, w incoming, c *call) (header [5]byte, err error) {
	if c.clientStream {
		return header, wireError(w.ReadMessageHeader(header[:]))
	}
	return within(ctx, in.body, func() (h [5]byte, err error) { return h, w.ReadMessageHeader(h[:]) })
}

// ends waits for the end of a call's requests.
func (in *intake) ends(ctx context.Context, w incoming) error {
	_, err := within(ctx, in.body, func() (struct{}, error) {
		var header [5]byte
		return struct{}{}, w.ReadMessageHeader(header[:])
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return status.Error(codes.Internal, "cardinality violation: received multiple request messages for non-client-streaming RPC")
	}
	return err
}

// limit is how long a request of a call may be.
func (in *intake) limit(c *call) int64 {
	if c.probe {
		return min(maxProbeBytes, int64(in.most))
	}
	return int64(in.most)
}

// check refuses what is not read.
func (in *intake) check(w incoming, c *call, format byte, length int64) error {
	switch name := w.RecvCompress(); {
	case format > 1:
		return status.Errorf(codes.Internal, "grpc: received unexpected payload format %d", format)
	case format == 1 && (name == "" || name == encoding.Identity):
		return status.Error(codes.Internal, "grpc: compressed flag set with identity or empty encoding")
	case format == 1 && c.probe:
		return status.Error(codes.Unimplemented, "compressed requests are not taken from callers without a scope")
	case length > in.limit(c):
		return status.Errorf(codes.ResourceExhausted, "grpc: received message larger than max (%d vs. %d)", length, in.limit(c))
	}
	return nil
}

// makeRoom waits for room for a request, as it will be when it is decompressed.
func (in *intake) makeRoom(ctx context.Context, c *call, held *holding, packed bool, length int64) error {
	weight := max(length, leastRequest)
	if packed {
		weight = max(min(length*mostInflated, in.limit(c)), weight)
	}
	of := in.large
	switch {
	case c.probe:
		of = in.probes
	case weight <= smallRequest:
		of = in.small
	}
	caller := callerOf(ctx, c)
	waiting, cancel := context.WithTimeout(ctx, in.wait)
	defer cancel()
	taken, err := of.take(waiting, caller, weight)
	if err == nil {
		held.keep(of, caller, taken)
		return nil
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return toStatus(messages.Errorf("receive request", messages.Exhausted, "there is no room for a request of %d bytes: others are being read", length).
		With(messages.RetryAfter, "1000").WithHint("Come again later, with fewer large requests at once.")).Err()
}

// unpack decompresses a message, up to the limit.
func (in *intake) unpack(name string, data mem.BufferSlice, c *call) (mem.BufferSlice, error) {
	defer data.Free()
	compressor := encoding.GetCompressor(name)
	if compressor == nil {
		return nil, status.Errorf(codes.Unimplemented, "grpc: Decompressor is not installed for grpc-encoding %q", printable(name))
	}
	reader := data.Reader()
	defer reader.Close()
	plain, err := compressor.Decompress(reader)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "grpc: failed to decompress the received message: %v", err)
	}
	if closer, ok := plain.(io.Closer); ok {
		defer closer.Close()
	}
	out, err := mem.ReadAll(io.LimitReader(plain, in.limit(c)+1), mem.DefaultBufferPool())
	if err != nil {
		out.Free()
		return nil, status.Errorf(codes.Internal, "grpc: failed to decompress the received message: %v", err)
	}
	if int64(out.Len()) > in.limit(c) {
		out.Free()
		return nil, status.Errorf(codes.ResourceExhausted, "grpc: received message after decompression larger than max %d", in.limit(c))
	}
	return out, nil
}

// within reads with a deadline. What is not read by then never will be: the call ends,
// and with it the reading.
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
		return none, status.Errorf(codes.DeadlineExceeded, "the request has not come within %s", patience)
	}
}

// wireError is an error of the wire as a status; io.EOF stays what it is.
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
