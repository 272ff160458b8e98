package grpcapi

import (
	"context"
	"errors"
	"io"

	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// receive handles the client's requests in order. It passes every error to the sender before it closes halfClosed.
func (c *conversation) receive(ctx context.Context) {
	for {
		request, err := c.stream.Recv()
		if errors.Is(err, io.EOF) {
			close(c.halfClosed)
			return
		}
		var undecodable *messages.Error
		fatal := err != nil && !errors.As(err, &undecodable)
		withStart := c.cameWithStart()
		if err == nil {
			err = c.server.interceptor.Guard(ctx, func() error { return c.handle(ctx, request) })
			fatal = endsStream(err) || withStart && request.GetMessage() != nil && refusesMessage(err)
		}
		if err != nil && !c.report(ctx, failure{err: err, fatal: fatal}) {
			return
		}
		if fatal {
			return
		}
	}
}

// report passes an error or a warning to the sender. It returns false if the stream has ended.
func (c *conversation) report(ctx context.Context, f failure) bool {
	select {
	case c.inline <- f:
		return true
	case <-ctx.Done():
		return false
	}
}

// endsStream reports whether err ends the stream, because the session or the journal is not available any more.
func endsStream(err error) bool {
	var e *messages.Error
	if !errors.As(err, &e) {
		return false
	}
	switch {
	case e.Code == messages.SessionNotFound, e.Code == messages.SessionClosed:
		return true
	case e.Kind == messages.DataLoss, e.Kind == messages.Unauthenticated:
		return true
	}
	return false
}

// handle translates and asks one request. The answers are events.
func (c *conversation) handle(ctx context.Context, request *pb.AgentRequest) error {
	if wire.LegacyAnswer(request) {
		warning, err := c.server.version.Deprecated(messages.LegacyPermissionFormat, c.session)
		if err != nil {
			return wire.WithDetail(err, "request_id", wire.Clip(request.GetPermission().GetRequestId()))
		}
		if warning != nil {
			c.report(ctx, failure{warning: warning})
		}
	}
	m, about, err := c.translate(request)
	if err == nil {
		_, err = c.server.asker.Ask(ctx, m)
	}
	if err == nil {
		c.repeatPrompts(ctx, request)
		return nil
	}
	return wire.WithDetail(wire.WithDetail(err, about.key, about.value), "session_id", string(c.session))
}

// subject is the detail of an error that identifies the refused request.
type subject struct{ key, value string }

func (c *conversation) translate(request *pb.AgentRequest) (messages.Request, subject, error) {
	switch r := request.GetRequest().(type) {
	case *pb.AgentRequest_Start:
		return nil, subject{}, wire.Invalid("start conversation", "Open another stream for another session.",
			"this stream already belongs to a session")
	case *pb.AgentRequest_Message:
		m, err := translate.InputIn(r.Message, c.session, c.client)
		return m, subject{"idempotency_key", r.Message.GetIdempotencyKey()}, err
	case *pb.AgentRequest_Permission:
		m, err := translate.AnswerIn(r.Permission, c.session, c.client)
		return underKey(m.Key, "permission", r.Permission, m), subject{"request_id", wire.Clip(r.Permission.GetRequestId())}, err
	case *pb.AgentRequest_QuestionResponse:
		m, err := translate.QuestionIn(r.QuestionResponse, c.session, c.client)
		return m, subject{"request_id", wire.Clip(r.QuestionResponse.GetQuestionId())}, err
	case *pb.AgentRequest_Cancel:
		m, err := translate.CancelIn(r.Cancel, c.session, c.client)
		return m, subject{}, err
	case *pb.AgentRequest_Encrypted:
		return nil, subject{}, messages.Errorf("decrypt request", messages.Unimplemented, "encrypted requests are not supported yet").
			WithHint("Send it in the clear: the local socket is private to its user.")
	case *pb.AgentRequest_Lock:
		m, err := translate.LockIn(r.Lock, c.session, c.client)
		return m, subject{}, err
	case *pb.AgentRequest_Settings:
		m, err := translate.SettingsIn(r.Settings, c.session, c.client)
		return m, subject{}, err
	}
	return nil, subject{}, wire.Invalid("read request", "Set one of the members of AgentRequest that this daemon knows.", "the request is empty")
}

// requestName returns the type of a request for the text of an error.
func requestName(request *pb.AgentRequest) string {
	m := request.ProtoReflect()
	if field := m.WhichOneof(m.Descriptor().Oneofs().ByName("request")); field != nil {
		return "of type " + string(field.Message().Name())
	}
	return "empty"
}
