package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// contract is the package betcode.v1 as the daemon describes it.
type contract struct {
	services map[string]protoreflect.ServiceDescriptor
	messages map[string]protoreflect.MessageDescriptor
	enums    map[string]protoreflect.EnumDescriptor
	files    map[string]bool // base names

	in, out map[string]bool // messages that requests, answers and events are made of
}

// readContract asks a daemon by gRPC reflection.
func readContract(t *testing.T, conn *grpc.ClientConn) contract {
	t.Helper()
	set, err := describe(t.Context(), conn)
	if err != nil {
		t.Fatalf("ask the daemon what it serves: %v", err)
	}
	c, err := newContract(set)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// describe fetches the descriptions of all services of the package, and of all
// files that they need.
func describe(ctx context.Context, conn *grpc.ClientConn) (*descriptorpb.FileDescriptorSet, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := reflectpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	ask := func(r *reflectpb.ServerReflectionRequest) (*reflectpb.ServerReflectionResponse, error) {
		if err := stream.Send(r); err != nil {
			return nil, err
		}
		return stream.Recv()
	}
	list, err := ask(&reflectpb.ServerReflectionRequest{MessageRequest: &reflectpb.ServerReflectionRequest_ListServices{}})
	if err != nil {
		return nil, err
	}
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	for _, service := range list.GetListServicesResponse().GetService() {
		if !strings.HasPrefix(service.GetName(), "betcode.") {
			continue
		}
		answer, err := ask(&reflectpb.ServerReflectionRequest{
			MessageRequest: &reflectpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service.GetName()},
		})
		if err != nil {
			return nil, err
		}
		for _, raw := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
			file := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(raw, file); err != nil {
				return nil, err
			}
			if !seen[file.GetName()] {
				seen[file.GetName()] = true
				set.File = append(set.File, file)
			}
		}
	}
	return set, nil
}

func newContract(set *descriptorpb.FileDescriptorSet) (contract, error) {
	c := contract{
		services: map[string]protoreflect.ServiceDescriptor{}, messages: map[string]protoreflect.MessageDescriptor{},
		enums: map[string]protoreflect.EnumDescriptor{}, files: map[string]bool{},
		in: map[string]bool{}, out: map[string]bool{},
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return c, fmt.Errorf("read what the daemon serves: %w", err)
	}
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if file.Package() == "betcode.v1" {
			c.addFile(file)
		}
		return true
	})
	for _, service := range c.services {
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			reach(method.Input(), c.in)
			reach(method.Output(), c.out)
		}
	}
	return c, nil
}

func (c *contract) addFile(file protoreflect.FileDescriptor) {
	c.files[file.Path()[strings.LastIndexByte(file.Path(), '/')+1:]] = true
	for i := range file.Services().Len() {
		c.services[string(file.Services().Get(i).Name())] = file.Services().Get(i)
	}
	for i := range file.Messages().Len() {
		c.messages[string(file.Messages().Get(i).Name())] = file.Messages().Get(i)
	}
	for i := range file.Enums().Len() {
		c.enums[string(file.Enums().Get(i).Name())] = file.Enums().Get(i)
	}
}

// reach collects a message and those in it.
func reach(m protoreflect.MessageDescriptor, into map[string]bool) {
	if into[string(m.Name())] {
		return
	}
	into[string(m.Name())] = true
	for i := range m.Fields().Len() {
		if inner := m.Fields().Get(i).Message(); inner != nil {
			reach(inner, into)
		}
	}
}

// described compares a row with the daemon's description of the API; nil if they agree.
func (c *contract) described(r row) error {
	switch r.kind {
	case rpc:
		return c.rpc(r)
	case field:
		return c.field(r)
	case value:
		enum, ok := c.enums[r.owner]
		if !ok {
			return fmt.Errorf("there is no enum %s", r.owner)
		}
		v := enum.Values().ByName(protoreflect.Name(r.member))
		if v == nil {
			return fmt.Errorf("%s has no %s", r.owner, r.member)
		}
		if int(v.Number()) != r.number {
			return fmt.Errorf("it is %d", v.Number())
		}
	}
	return nil
}

func (c *contract) rpc(r row) error {
	service, ok := c.services[r.owner]
	if !ok {
		return fmt.Errorf("there is no %s", r.owner)
	}
	method := service.Methods().ByName(protoreflect.Name(r.member))
	if method == nil {
		return fmt.Errorf("%s has no %s", r.owner, r.member)
	}
	streams := map[bool]string{true: "stream "}
	if is := fmt.Sprintf("(%s%s) (%s%s)", streams[method.IsStreamingClient()], method.Input().Name(),
		streams[method.IsStreamingServer()], method.Output().Name()); is != r.says {
		return fmt.Errorf("it is %s", is)
	}
	return nil
}

func (c *contract) field(r row) error {
	message, ok := c.messages[r.owner]
	if !ok {
		return fmt.Errorf("there is no message %s", r.owner)
	}
	f := message.Fields().ByName(protoreflect.Name(r.member))
	if f == nil {
		return fmt.Errorf("%s has no %s", r.owner, r.member)
	}
	oneof := ""
	if in := f.ContainingOneof(); in != nil && !in.IsSynthetic() {
		oneof = string(in.Name())
	}
	if is := typeOf(f); int(f.Number()) != r.number || is != r.says || oneof != r.oneof {
		return fmt.Errorf("it is %d %s %s", f.Number(), is, oneof)
	}
	return nil
}

// typeOf is a field's type as the rows write it.
func typeOf(f protoreflect.FieldDescriptor) string {
	name := f.Kind().String()
	switch {
	case f.IsMap():
		return fmt.Sprintf("map<%s, %s>", typeOf(f.MapKey()), typeOf(f.MapValue()))
	case f.Message() != nil:
		name = string(f.Message().Name())
	case f.Enum() != nil:
		name = string(f.Enum().Name())
	}
	switch {
	case f.IsList():
		return name + "[]"
	case f.HasOptionalKeyword():
		return name + "?"
	}
	return name
}

// serviceMethod is "Service.Method" of "/package.Service/Method".
func serviceMethod(full string) string {
	service, method, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	return service[strings.LastIndexByte(service, '.')+1:] + "." + method
}
