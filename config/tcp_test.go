package config

import (
	"strings"
	"testing"
)

func TestListeningOnTCP(t *testing.T) {
	for _, c := range []struct {
		tcp  TCP
		want string // of the error; empty = none
	}{
		{TCP{}, ""},
		{TCP{Address: "127.0.0.1:50051"}, ""},
		{TCP{Address: "127.8.9.1:0"}, ""},
		{TCP{Address: "localhost:50051"}, ""},
		{TCP{Address: "[::1]:50051"}, ""},
		{TCP{Address: "[::ffff:127.0.0.1]:50051"}, ""},
		{TCP{Address: "0.0.0.0:50051"}, "in the clear"},
		{TCP{Address: ":50051"}, "in the clear"},
		{TCP{Address: "[::]:50051"}, "in the clear"},
		{TCP{Address: "localhost.example:50051"}, "in the clear"},
		{TCP{Address: "192.0.2.1:50051", CertFile: "/c", KeyFile: "/k"}, ""},
		{TCP{Address: "127.0.0.1"}, "host:port"},
		{TCP{Address: "127.0.0.1:grpc"}, "not a port"},
		{TCP{Address: "127.0.0.1:65536"}, "not a port"},
	} {
		err := c.tcp.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.tcp, err)
		}
	}
	if got := (TCP{Names: "a.example, b.example,"}).NameList(); strings.Join(got, "|") != "a.example|b.example" {
		t.Errorf("%q", got)
	}
}

func TestReachingOverTCP(t *testing.T) {
	for _, c := range []struct {
		flags RemoteFlags
		env   map[string]string
		want  string
	}{
		{RemoteFlags{}, nil, ""},
		{RemoteFlags{Address: "127.0.0.1:1", TokenFile: "/t"}, nil, ""},
		{RemoteFlags{}, map[string]string{"BETCODE_ADDRESS": "[::1]:1", "BETCODE_TOKEN_FILE": "/t"}, ""},
		{RemoteFlags{Address: "127.0.0.1:1"}, nil, "a token is needed"},
		{RemoteFlags{Address: "box.example:1", TokenFile: "/t"}, nil, "in the clear"},
		{RemoteFlags{Address: "box.example:1", TokenFile: "/t", TLS: true}, nil, ""},
		{RemoteFlags{Address: "box.example:1", TokenFile: "/t", CAFile: "/c"}, nil, ""},
		{RemoteFlags{Address: "box.example:1", TokenFile: "/t"}, map[string]string{"BETCODE_TLS": "1"}, ""},
		{RemoteFlags{Address: "box.example:1", TokenFile: "/t"}, map[string]string{"BETCODE_TLS": "maybe"}, "BETCODE_TLS"},
		{RemoteFlags{Address: "box.example", TokenFile: "/t", TLS: true}, nil, "host:port"},
	} {
		r, err := Environment{Getenv: func(name string) string { return c.env[name] }}.resolveRemote(c.flags)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %v: %+v, %v", c.flags, c.env, r, err)
		}
	}
}
