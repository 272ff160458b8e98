package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
)

// A published client here is bytes: requests are put together from the numbers that
// published clients have, and of replies only such numbers are read. None of this
// project's generated code takes part.

// wire is an encoded message.
type wire []byte

// rawCodec passes encoded messages through unchanged.
type rawCodec struct{}

// Name implements encoding.CodecV2.
func (rawCodec) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := v.(wire); ok {
		return mem.BufferSlice{mem.SliceBuffer(m)}, nil
	}
	return nil, fmt.Errorf("encode: %T", v)
}

// Unmarshal implements encoding.CodecV2.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*wire)
	if !ok {
		return fmt.Errorf("decode: %T", v)
	}
	*m = data.Materialize()
	return nil
}

// put encodes one field: a string, a message or a number.
func put(number protowire.Number, value any) wire {
	switch value := value.(type) {
	case string:
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
	case wire:
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	case int:
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(value))
	}
	panic(fmt.Sprintf("a field of type %T", value))
}

// message puts fields together.
func message(fields ...wire) (m wire) {
	for _, f := range fields {
		m = append(m, f...)
	}
	return m
}

// each calls visit for each field of a message, with its bytes or its number.
func (m wire) each(visit func(number protowire.Number, bytes wire, value uint64)) {
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(number, kind, m[n:])
		if size < 0 {
			return
		}
		content := m[n : n+size]
		switch kind {
		case protowire.BytesType:
			bytes, _ := protowire.ConsumeBytes(content)
			visit(number, bytes, 0)
		case protowire.VarintType:
			value, _ := protowire.ConsumeVarint(content)
			visit(number, nil, value)
		default:
		}
		m = m[n+size:]
	}
}

// at returns the bytes at a path of field numbers; nil if there are none.
func (m wire) at(path ...protowire.Number) wire {
	for _, wanted := range path {
		var found wire
		m.each(func(number protowire.Number, bytes wire, _ uint64) {
			if number == wanted && bytes != nil {
				found = bytes
			}
		})
		m = found
	}
	return m
}

// number returns the number in a field of a message; 0 if it is not there.
func (m wire) number(wanted protowire.Number) (found uint64) {
	m.each(func(number protowire.Number, bytes wire, value uint64) {
		if number == wanted && bytes == nil {
			found = value
		}
	})
	return found
}

// has reports whether a field is there, be it empty.
func (m wire) has(wanted protowire.Number) (has bool) {
	m.each(func(number protowire.Number, _ wire, _ uint64) { has = has || number == wanted })
	return has
}

// Numbers of AgentEvent and AgentRequest in published clients.
const (
	eventText, eventToolResult, eventPermission, eventQuestion = 10, 12, 13, 14
	eventStatus, eventInfo, eventError, eventTurn              = 16, 17, 18, 21

	requestStart, requestMessage, requestPermission, requestAnswers = 1, 2, 3, 4
)

// publishedClient is one connection of a published client.
type publishedClient struct {
	*stage
	conn *grpc.ClientConn
	ctx  context.Context
}

func (s *stage) published(name string) *publishedClient {
	s.Helper()
	conn, err := grpc.NewClient("unix://"+s.world.Socket(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{})))
	s.must(err)
	s.Cleanup(func() { _ = conn.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	s.Cleanup(cancel)
	return &publishedClient{s, conn, metadata.AppendToOutgoingContext(ctx, "x-client-id", name)}
}

// call makes a unary call.
func (c *publishedClient) call(method string, request wire) wire {
	c.Helper()
	var reply wire
	c.must(c.conn.Invoke(c.ctx, "/betcode.v1."+method, request, &reply))
	return reply
}

// replay collects ResumeSession to its end.
func (c *publishedClient) replay(session string) (events []wire) {
	c.Helper()
	stream, err := c.conn.NewStream(c.ctx, &grpc.StreamDesc{ServerStreams: true}, "/betcode.v1.AgentService/ResumeSession")
	c.must(err)
	c.must(stream.SendMsg(put(1, session)))
	c.must(stream.CloseSend())
	for {
		var event wire
		switch err := stream.RecvMsg(&event); {
		case errors.Is(err, io.EOF):
			return events
		case err != nil:
			c.Fatal(err)
		}
		events = append(events, event)
	}
}

// publishedStream is a Converse stream.
type publishedStream struct {
	*publishedClient
	stream grpc.ClientStream
	seen   []wire
}

// converse opens a stream and sends the start and the given requests after it.
func (c *publishedClient) converse(session string, more ...wire) *publishedStream {
	c.Helper()
	stream, err := c.conn.NewStream(c.ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/betcode.v1.AgentService/Converse")
	c.must(err)
	s := &publishedStream{publishedClient: c, stream: stream}
	s.send(put(requestStart, message(put(1, session), put(2, c.world.Project))))
	for _, m := range more {
		s.send(m)
	}
	return s
}

func (s *publishedStream) send(m wire) {
	s.Helper()
	s.must(s.stream.SendMsg(m))
}

func (s *publishedStream) say(text string) { s.send(said(text)) }

func said(text string) wire { return put(requestMessage, put(1, text)) }

// until reads events until one has a field, and returns the field.
func (s *publishedStream) until(wanted protowire.Number) wire {
	s.Helper()
	for {
		var event wire
		s.must(s.stream.RecvMsg(&event))
		s.seen = append(s.seen, event)
		if event.has(wanted) {
			return event.at(wanted)
		}
	}
}

// textOf returns the text that a published client prints for events.
func textOf(events []wire) (text string) {
	for _, e := range events {
		text += string(e.at(eventText, 1))
	}
	return text
}
