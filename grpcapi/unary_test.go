package grpcapi

import (
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// weighing is a listener that counts the bytes read from its connections.
type weighing struct {
	net.Listener
	read atomic.Int64
}

func (w *weighing) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return weighed{conn, &w.read}, nil
}

type weighed struct {
	net.Conn
	read *atomic.Int64
}

func (w weighed) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.read.Add(int64(n))
	return n, err
}

// A refused request is not read, also that of a unary call. The error has the full reason.
func TestRefusedRequestIsNotRead(t *testing.T) {
	const size = 10 << 20
	big := &pb.UpdateSettingsRequest{Values: map[string]string{"sessions.default_model": strings.Repeat("x", size)}}
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.UpdateSettings); ok {
			return messages.SettingsView{}, nil
		}
		return nil, nil
	}}
	tokens := &fakeTokens{}
	for name, rights := range map[string]messages.Rights{"viewer": messages.MayView, "boss": messages.MayEverything, "wild": messages.MayEverything} {
		tokens.Create(messages.Token{Name: name, Rights: rights})
	}
	for _, c := range []struct {
		token  string
		code   codes.Code
		reason string
		read   bool
	}{
		{"nobody", codes.Unauthenticated, "UNAUTHENTICATED", false},
		{"viewer", codes.PermissionDenied, "PERMISSION_DENIED", false},
		{"wild", codes.ResourceExhausted, "RATE_LIMITED", false},
		{"boss", codes.OK, "", true},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		weighing := &weighing{Listener: l}
		s := New(Options{Asker: asker, Tokens: tokens, Limits: auth.Limits{PerSecond: 0.001, Burst: 1}})
		go s.Serve(weighing)
		t.Cleanup(func() { s.Shutdown(as(t, "")) })
		conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		ctx := bearing(t, "c", c.token)
		if c.token == "wild" {
			must[*pb.ListSessionsResponse](t)(pb.NewAgentServiceClient(conn).ListSessions(ctx, &pb.ListSessionsRequest{}))
		}
		_, err = pb.NewConfigServiceClient(conn).UpdateSettings(ctx, big)
		if status.Code(err) != c.code {
			t.Errorf("%s: %v", c.token, err)
		}
		told := slices.ContainsFunc(status.Convert(err).Details(), func(d any) bool {
			info, ok := d.(*errdetails.ErrorInfo)
			return ok && info.GetReason() == c.reason
		})
		if told != (c.reason != "") {
			t.Errorf("%s: told %v", c.token, status.Convert(err).Details())
		}
		switch read := weighing.read.Load(); {
		case c.read && read < size:
			t.Errorf("%s: %d bytes were read of a request of %d", c.token, read, size)
		case !c.read && read > 1<<20:
			t.Errorf("%s: %d bytes were read", c.token, read)
		default:
			t.Logf("%s: %d bytes were read", c.token, read)
		}
	}
}
