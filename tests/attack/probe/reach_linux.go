package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// reach is a call that only a person may make, over a connection that its process hides.
type reach struct {
	way, network, address string
	token, file           string // the token, and where it was read
	name                  string // of the access token that the call makes
	out                   string // gets the answer
}

// reached plays one way of reaching the daemon.
//
//	undumpable   the process cannot be inspected
//	sibling      the process is a child of the agent's parent
//	handed       the process that connects passes the connection to an orphan and ends
//	shared       an orphan calls, and a process with a copy of the connection stays
//	left         the process writes the call and ends
//	in flight    the process writes the call and puts the connection into the queue of a socket pair
func reached(args []string) error {
	if len(args) < 6 {
		return errors.New("a way, a network, an address, the file of a token or -, a name and a file are needed")
	}
	token, err := secret(args[3])
	if err != nil {
		return err
	}
	r := reach{way: args[0], network: args[1], address: args[2], token: token, file: args[3], name: args[4], out: args[5]}
	switch r.way {
	case "undumpable":
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			return err
		}
		return r.call(r.dial())
	case "sibling":
		return r.again("child", &syscall.SysProcAttr{Cloneflags: unix.CLONE_PARENT, Setsid: true}, nil)
	case "child":
		return r.call(r.dial())
	case "handed", "shared":
		conn, err := r.dial()
		if err != nil {
			return err
		}
		file, err := conn.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return err
		}
		if r.way == "shared" {
			stays := exec.Command("sleep", "20")
			stays.ExtraFiles = []*os.File{file}
			if err := stays.Start(); err != nil {
				return err
			}
		}
		return r.again("inherited", &syscall.SysProcAttr{Setsid: true}, file)
	case "inherited":
		time.Sleep(200 * time.Millisecond) // until the process that connected has ended
		conn, err := net.FileConn(os.NewFile(3, "connection"))
		return r.call(conn, err)
	case "left", "in flight":
		return r.leave()
	}
	return fmt.Errorf("there is no way %q", r.way)
}

func (r reach) dial() (net.Conn, error) { return net.Dial(r.network, r.address) }

// again starts this program with another way, with a clean environment, and does not wait for it.
func (r reach) again(way string, attr *syscall.SysProcAttr, file *os.File) error {
	command := exec.Command("/proc/self/exe", "reach", way, r.network, r.address, r.file, r.name, r.out)
	command.Env, command.SysProcAttr = []string{"HOME=" + os.Getenv("HOME")}, attr
	if file != nil {
		command.ExtraFiles = []*os.File{file}
	}
	return command.Start()
}

// call makes the call and records the result.
func (r reach) call(over net.Conn, err error) error {
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("passthrough:///localhost", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return over, nil }))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if r.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+r.token)
	}
	_, err = pb.NewAccessServiceClient(conn).CreateAccessToken(ctx, r.request())
	answer := "OK"
	if err != nil {
		answer = status.Convert(err).Code().String() + " " + status.Convert(err).Message()
	}
	return os.WriteFile(r.out, []byte(answer), 0o600)
}

func (r reach) request() *pb.CreateAccessTokenRequest {
	return &pb.CreateAccessTokenRequest{Name: r.name, Scopes: []string{"admin"}}
}

// leave writes whole calls over many connections without waiting for an answer.
func (r reach) leave() error {
	raw, err := r.bytes()
	for range 20 {
		conn, errDial := r.dial()
		if err = errors.Join(err, errDial); err != nil {
			return err
		}
		if _, err := conn.Write(raw); err != nil {
			return err
		}
		if r.way == "in flight" {
			file, err := conn.(interface{ File() (*os.File, error) }).File()
			if err != nil {
				return err
			}
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err == nil {
				err = unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(int(file.Fd())), nil, 0)
			}
			if err = errors.Join(err, file.Close(), conn.Close()); err != nil {
				return err
			}
		}
	}
	if r.way == "in flight" {
		time.Sleep(time.Second) // the daemon examines the process meanwhile
	}
	return os.WriteFile(r.out, []byte("left"), 0o600)
}

// bytes returns the encoded call.
func (r reach) bytes() ([]byte, error) {
	var sent, block bytes.Buffer
	_, _ = io.WriteString(&sent, http2.ClientPreface)
	framer, pack := http2.NewFramer(&sent, nil), hpack.NewEncoder(&block)
	fields := []string{":method", "POST", ":scheme", "http", ":path", pb.AccessService_CreateAccessToken_FullMethodName, ":authority", "localhost", "content-type", "application/grpc", "te", "trailers"}
	if r.token != "" {
		fields = append(fields, "authorization", "Bearer "+r.token)
	}
	for i := 0; i < len(fields); i += 2 {
		if err := pack.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			return nil, err
		}
	}
	body, err := proto.Marshal(r.request())
	if err != nil {
		return nil, err
	}
	message := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...) //nolint:gosec // it is short
	err = errors.Join(framer.WriteSettings(), framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}), framer.WriteData(1, true, message))
	return sent.Bytes(), err
}

// secret reads the token of a file; empty for none.
func secret(path string) (string, error) {
	if path == "-" {
		return "", nil
	}
	raw, err := os.ReadFile(path)
	return strings.TrimSpace(string(raw)), err
}
