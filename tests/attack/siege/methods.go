package siege

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// EachMethod calls f for each published call.
func EachMethod(f func(m protoreflect.MethodDescriptor, name string)) {
	protoregistry.GlobalFiles.RangeFilesByPackage("betcode.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				m := methods.Get(j)
				f(m, fmt.Sprintf("%s/%s", m.Parent().Name(), m.Name()))
			}
		}
		return true
	})
}

// Fills makes a call whose texts are all filled, by their names or with the value of the empty name. It returns the answer and
// the status. Of a stream it reads the messages of a short time.
func (s *Siege) Fills(ctx context.Context, conn *grpc.ClientConn, m protoreflect.MethodDescriptor, values map[string]string) (string, codes.Code) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	in := dynamicpb.NewMessage(m.Input())
	fill(in, values, 0)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: m.IsStreamingClient()}, fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name()))
	if err == nil {
		_ = stream.SendMsg(in) // RecvMsg has the reason
		_ = stream.CloseSend()
	}
	var said strings.Builder
	for n := 0; err == nil && n < 50; n++ {
		out := dynamicpb.NewMessage(m.Output())
		if err = stream.RecvMsg(out); err == nil {
			raw, _ := protojson.Marshal(out) // an answer that cannot be encoded reveals nothing
			said.Write(raw)
			if m.Name() == "Watch" {
				break
			}
		}
	}
	if err == io.EOF { //nolint:errorlint // gRPC returns it as it is
		err = nil
	}
	if err != nil {
		said.WriteString(status.Convert(err).Message())
	}
	return said.String(), status.Code(err)
}

// fill sets all texts of a message and of the messages in it, and of choices the first. Of a oneof the first member is set.
func fill(m protoreflect.Message, values map[string]string, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() && o.Fields().Get(0) != f {
			continue
		}
		value, ok := values[string(f.Name())]
		if !ok {
			value = values[""]
		}
		switch {
		case f.IsMap(), f.Kind() == protoreflect.MessageKind && (depth > 2 || strings.HasPrefix(string(f.Message().FullName()), "google.")):
		case f.Kind() == protoreflect.StringKind && f.IsList():
			m.Mutable(f).List().Append(protoreflect.ValueOfString(value))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(value))
		case f.Kind() == protoreflect.EnumKind && !f.IsList() && f.Enum().Values().Len() > 1:
			m.Set(f, protoreflect.ValueOfEnum(f.Enum().Values().Get(1).Number()))
		case f.Kind() == protoreflect.MessageKind && f.IsList():
			fill(m.Mutable(f).List().AppendMutable().Message(), values, depth+1)
		case f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).Message(), values, depth+1)
		}
	}
}
