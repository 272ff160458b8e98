package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"

	_ "betcode/proto/betcode/v1" // registers the services
)

// call makes each call of the published services with an empty request over a socket, and writes a
// line for each into a file: the method, a tab, and the result. A call that streams counts by its
// first message.
func call(socket, file string) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	out, err := os.Create(file + ".unfinished")
	if err != nil {
		return err
	}
	defer out.Close()
	protoregistry.GlobalFiles.RangeFilesByPackage("betcode.v1", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			methods := f.Services().Get(i).Methods()
			for j := range methods.Len() {
				m := methods.Get(j)
				name := fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name())
				fmt.Fprintf(out, "%s\t%s\n", name, strings.ReplaceAll(answer(conn, m, name), "\n", " "))
			}
		}
		return true
	})
	return os.Rename(file+".unfinished", file)
}

// answer makes one call and returns "OK" or the error.
func answer(conn *grpc.ClientConn, m protoreflect.MethodDescriptor, name string) string {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	// An empty message decodes any answer as unknown fields.
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: m.IsStreamingClient()}, name)
	if err == nil {
		_ = stream.SendMsg(&emptypb.Empty{}) // RecvMsg has the reason
		err = stream.RecvMsg(&emptypb.Empty{})
	}
	if err != nil {
		return status.Convert(err).Code().String() + " " + status.Convert(err).Message()
	}
	return "OK"
}
