package conformance

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// record has the messages and statuses of one story.
type record struct {
	mu       sync.Mutex
	calls    map[string]bool                // "Service.Method" that succeeded
	sent     map[string]bool                // "Message.field" with a value, in a request that was taken
	received map[string]bool                // "Message.field" with a value, in an answer or an event
	statuses map[codes.Code]bool            // of calls
	reasons  map[string]map[codes.Code]bool // error code, and the statuses it came with; OK for an ErrorEvent
}

func newRecord() *record {
	return &record{
		calls: map[string]bool{}, sent: map[string]bool{}, received: map[string]bool{},
		statuses: map[codes.Code]bool{}, reasons: map[string]map[codes.Code]bool{},
	}
}

// options make a connection write down what passes.
func (r *record) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(r.unary),
		grpc.WithChainStreamInterceptor(r.stream),
	}
}

func (r *record) unary(
	ctx context.Context, method string, in, out any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	err := call(ctx, method, in, out, conn, options...)
	r.ended(err)
	if err == nil {
		r.succeeded(method)
		r.fields(in, r.sent)
		r.fields(out, r.received)
	}
	return err
}

func (r *record) stream(
	ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, conn, method, options...)
	return recorded{stream, r, method}, err
}

// recorded is a stream whose messages are recorded. A sent field counts as used: the story checks
// its effect.
type recorded struct {
	grpc.ClientStream
	record *record
	method string
}

// SendMsg implements grpc.ClientStream.
func (s recorded) SendMsg(m any) error {
	err := s.ClientStream.SendMsg(m)
	if err == nil {
		s.record.fields(m, s.record.sent)
	}
	return err
}

// RecvMsg implements grpc.ClientStream.
func (s recorded) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil {
		s.record.succeeded(s.method)
		s.record.fields(m, s.record.received)
	} else {
		s.record.ended(err)
	}
	return err
}

func (r *record) succeeded(method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[serviceMethod(method)] = true
}

// ended writes down how a call ended.
func (r *record) ended(err error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	s := status.Convert(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses[s.Code()] = true
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			r.reason(info.GetReason(), s.Code())
		}
	}
}

// reason is called with the lock.
func (r *record) reason(name string, code codes.Code) {
	if r.reasons[name] == nil {
		r.reasons[name] = map[codes.Code]bool{}
	}
	r.reasons[name][code] = true
}

// fields writes down which fields of a message have a value, those of the messages
// in it included.
func (r *record) fields(m any, into map[string]bool) {
	message, ok := m.(proto.Message)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.walk(message.ProtoReflect(), into)
}

func (r *record) walk(m protoreflect.Message, into map[string]bool) {
	name := string(m.Descriptor().Name())
	if name == "ErrorEvent" {
		if code := m.Descriptor().Fields().ByName("code"); code != nil {
			r.reason(m.Get(code).String(), codes.OK)
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		into[name+"."+string(f.Name())] = true
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				r.walk(v.Message(), into)
				return true
			})
		case f.IsMap():
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				r.walk(v.List().Get(i).Message(), into)
			}
		case f.Message() != nil:
			r.walk(v.Message(), into)
		}
		return true
	})
}

// add takes over what another record has.
func (r *record) add(other *record) {
	other.mu.Lock()
	defer other.mu.Unlock()
	maps.Copy(r.calls, other.calls)
	maps.Copy(r.sent, other.sent)
	maps.Copy(r.received, other.received)
	maps.Copy(r.statuses, other.statuses)
	for name, codes := range other.reasons {
		for code := range codes {
			r.reason(name, code)
		}
	}
}

// has reports whether a field was sent.
func (r *record) wasSent(field string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent[field]
}
