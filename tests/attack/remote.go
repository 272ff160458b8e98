package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"betcode/tests/kit"
)

// listening is the environment of a daemon that listens on TCP.
var listening = []string{"BETCODE_LISTEN_TCP=127.0.0.1:0"}

// address is where the daemon listens on TCP.
func (s *siege) address() string {
	address, err := s.daemon.TCPAddress()
	s.must(err, "find the address of the daemon")
	return address
}

// token makes a token and returns the file it is in.
func (s *siege) token(name string, scopes ...string) string {
	path := filepath.Join(s.world.Root, name+".token")
	args := []string{"token", "create", name, "--output", path}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	if printed, code := s.cli(args...); code != 0 {
		s.fail("make a token: exit %d: %s", code, printed)
	}
	return path
}

// secret is the token in a file.
func (s *siege) secret(file string) string {
	raw, err := os.ReadFile(file)
	s.must(err, "read a token")
	return strings.TrimSpace(string(raw))
}

// bearer puts a token into every call.
type bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (bearer) RequireTransportSecurity() bool { return false }

// remote connects over TCP with the token of a file, or with none.
func (s *siege) remote(address, token string) *grpc.ClientConn {
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), kit.Calls()}
	if token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(s.secret(token))))
	}
	conn, err := grpc.NewClient(address, options...)
	s.must(err, "connect over TCP")
	s.later(func() { conn.Close() })
	return conn
}

// bomb is a request of gRPC that is zeros when it is decompressed, that many of them.
func bomb(size int) []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := io.CopyN(zip, zeros{}, int64(size))
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic(err) // nothing can fail in memory
	}
	frame := binary.BigEndian.AppendUint32([]byte{1}, uint32(packed.Len()))
	return append(frame, packed.Bytes()...)
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// raw makes a call with a request that is made already, and returns the status of gRPC.
func (s *siege) raw(client *http.Client, address, method, token string, request []byte) (string, error) {
	r, err := http.NewRequestWithContext(s, http.MethodPost, "http://"+address+method, bytes.NewReader(request))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	r.Header.Set("Grpc-Encoding", "gzip")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return "", err
	}
	if status := answer.Header.Get("Grpc-Status"); status != "" {
		return status, nil
	}
	return answer.Trailer.Get("Grpc-Status"), nil
}

// http2Client is a client of its own, with connections of its own.
func http2Client() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}

// most is the largest amount of memory that the daemon has had, in bytes.
func (s *siege) most() int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.daemon.PID()))
	s.must(err, "look at the daemon's memory")
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	s.must(err, "read the daemon's memory")
	return kilobytes << 10
}
