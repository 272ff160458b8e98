package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"betcode/messages"
)

// gRPC reads and decompresses whole messages, and does not bound how many it reads at once. Reader
// reads the length first, reserves memory for the decompressed message, and then reads the rest
// with a deadline.

const (
	// maxProbeBytes bounds a request that needs no scope: health and versions.
	maxProbeBytes = 4 << 10
	// smallRequest bounds requests that use the memory for small ones, so that an answer
	// does not wait behind attachments.
	smallRequest = 64 << 10
	// leastRequest is the smallest reservation of a request, which costs more than its bytes.
	leastRequest = 512
	// maxInflation is the maximum compression ratio of gzip.
	maxInflation = 1032

	probeMemory     = 1 << 20
	probeMemoryEach = 256 << 10
	smallMemory     = 32 << 20
	smallMemoryEach = 8 << 20
	// largeRequests is the number of maximum-size requests that fit into the memory; one caller may have one.
	largeRequests = 3

	// memoryTimeout is how long a request waits for memory.
	memoryTimeout = 10 * time.Second
	// bodyTimeout is how long the rest of a request may take, plus a second for each bodyRate bytes.
	bodyTimeout = 10 * time.Second
	bodyRate    = 128 << 10
)

// Reader reads the requests of a server. It bounds the memory of all requests together, and of each caller.
type Reader struct {
	most                 int // bytes of a request
	probes, small, large *memory
	body                 time.Duration // bodyTimeout, shorter in tests
	wait                 time.Duration // memoryTimeout
}

// Call is how the requests of a call are read.
type Call struct {
	Caller    string // owns the share of the memory that requests reserve
	Probe     bool   // needs no scope: only small, uncompressed requests
	Streaming bool   // the client may send more than one request
}

// SetBodyTimeout changes how long the rest of a request may take. Call it before serving.
func (r *Reader) SetBodyTimeout(d time.Duration) { r.body = d }

// InUse returns the bytes that requests have reserved: small requests, large ones, probes.
func (r *Reader) InUse() (small, large, probes int64) {
	return r.small.inUse(), r.large.inUse(), r.probes.inUse()
}

// NewReader returns a Reader for requests of up to most bytes.
func NewReader(most int) *Reader {
	return &Reader{
		most: most, body: bodyTimeout, wait: memoryTimeout,
		probes: newMemory(probeMemory, probeMemoryEach), small: newMemory(smallMemory, smallMemoryEach),
		large: newMemory(largeRequests*int64(most), int64(most)),
	}
}

// Receive reads the next request into m. io.EOF is the end of the stream; any other error
// leaves the stream unusable.
func (r *Reader) Receive(ctx context.Context, w Incoming, c Call, reserved *Reservation, m any) error {
	reserved.Release()
	header, err := r.header(ctx, w, c)
	if errors.Is(err, io.EOF) && !c.Streaming {
		return status.Error(codes.Internal, "cardinality violation: received no request message from non-client-streaming RPC")
	}
	if err != nil {
		return err
	}
	packed, length := header[0] == 1, int64(binary.BigEndian.Uint32(header[1:]))
	if err := r.check(w, c, header[0], length); err != nil {
		return err
	}
	if err := r.reserve(ctx, c, reserved, packed, length); err != nil {
		return err
	}
	data, err := within(ctx, r.body+time.Duration(length/bodyRate)*time.Second, func() (mem.BufferSlice, error) { return w.Read(int(length)) })
	if err != nil {
		return err
	}
	if packed {
		if data, err = r.unpack(w.RecvCompress(), data, c); err != nil {
			return err
		}
		reserved.shrink(max(int64(data.Len()), leastRequest))
	}
	defer data.Free()
	if err := NewCodec().Unmarshal(data, m); err != nil {
		return status.Errorf(codes.Internal, "grpc: failed to unmarshal the received message: %v", err)
	}
	if c.Streaming {
		return nil
	}
	return r.ends(ctx, w)
}

// header reads the prefix of a message: whether it is compressed, and its length. On a stream of
// requests there is no deadline for the next prefix.
func (r *Reader) header(ctx context.Context, w Incoming, c Call) (header [5]byte, err error) {
	if c.Streaming {
		return header, wireError(w.ReadMessageHeader(header[:]))
	}
	return within(ctx, r.body, func() (h [5]byte, err error) { return h, w.ReadMessageHeader(h[:]) })
}

// ends checks that no further request follows.
func (r *Reader) ends(ctx context.Context, w Incoming) error {
	_, err := within(ctx, r.body, func() (struct{}, error) {
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

// limit returns the maximum size of a request, in bytes.
func (r *Reader) limit(c Call) int64 {
	if c.Probe {
		return min(maxProbeBytes, int64(r.most))
	}
	return int64(r.most)
}

// check refuses a request by its prefix.
func (r *Reader) check(w Incoming, c Call, format byte, length int64) error {
	switch name := w.RecvCompress(); {
	case format > 1:
		return status.Errorf(codes.Internal, "grpc: received unexpected payload format %d", format)
	case format == 1 && (name == "" || name == encoding.Identity):
		return status.Error(codes.Internal, "grpc: compressed flag set with identity or empty encoding")
	case format == 1 && c.Probe:
		return status.Error(codes.Unimplemented, "compressed requests are not accepted from callers without a scope")
	case length > r.limit(c):
		return status.Errorf(codes.ResourceExhausted, "grpc: received message larger than max (%d vs. %d)", length, r.limit(c))
	}
	return nil
}

// reserve reserves memory for a request, for its maximum size after decompression. It waits until the memory is free.
func (r *Reader) reserve(ctx context.Context, c Call, reserved *Reservation, packed bool, length int64) error {
	weight := max(length, leastRequest)
	if packed {
		weight = max(min(length*maxInflation, r.limit(c)), weight)
	}
	of := r.large
	switch {
	case c.Probe:
		of = r.probes
	case weight <= smallRequest:
		of = r.small
	}
	waiting, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	taken, err := of.take(waiting, c.Caller, weight)
	if err == nil {
		reserved.set(of, c.Caller, taken)
		return nil
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return Status(messages.Errorf("receive request", messages.Exhausted, "no memory for a request of %d bytes: other requests are being read", length).
		With(messages.RetryAfter, "1000").WithHint("Try again later, with fewer large requests at once.")).Err()
}

// unpack decompresses a message of at most limit bytes.
func (r *Reader) unpack(name string, data mem.BufferSlice, c Call) (mem.BufferSlice, error) {
	defer data.Free()
	compressor := encoding.GetCompressor(name)
	if compressor == nil {
		return nil, status.Errorf(codes.Unimplemented, "grpc: Decompressor is not installed for grpc-encoding %q", Printable(name))
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
	out, err := mem.ReadAll(io.LimitReader(plain, r.limit(c)+1), mem.DefaultBufferPool())
	if err != nil {
		out.Free()
		return nil, status.Errorf(codes.Internal, "grpc: failed to decompress the received message: %v", err)
	}
	if int64(out.Len()) > r.limit(c) {
		out.Free()
		return nil, status.Errorf(codes.ResourceExhausted, "grpc: received message after decompression larger than max %d", r.limit(c))
	}
	return out, nil
}
