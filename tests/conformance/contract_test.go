package conformance

import (
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// contractStories compare the daemon's description of the API with the accepted contract.
var contractStories = []story{
	{name: "contract", run: theContract},
}

// theContract: the baseline is served unchanged; additions have new numbers.
func theContract(s *stage) {
	raw, err := os.ReadFile("../../proto/baseline.binpb")
	s.must(err)
	set := &descriptorpb.FileDescriptorSet{}
	s.must(proto.Unmarshal(raw, set))
	before, err := newContract(set)
	s.must(err)
	now := readContract(s.T, s.daemon.Conn())
	for name, message := range before.messages {
		for i := range message.Fields().Len() {
			f := message.Fields().Get(i)
			want := row{kind: field, owner: name, member: string(f.Name()), number: int(f.Number()), says: typeOf(f)}
			if in := f.ContainingOneof(); in != nil && !in.IsSynthetic() {
				want.oneof = string(in.Name())
			}
			if err := now.described(want); err != nil && now.messages[name] != nil {
				s.Errorf("%s.%s: %v", name, f.Name(), err)
			}
		}
	}
	s.shows("Version Rules", "Rename field/message", "Remove field/message", "Change field type", "Change field number")
	for _, file := range []string{"agent.proto", "config.proto", "gitlab.proto", "machine.proto", "subagent.proto", "version.proto", "worktree.proto"} {
		if !now.files[file] {
			s.Errorf("%s is not served", file)
		}
		s.shows("Proto File Organization", file)
	}
	s.shows("Package Naming", "betcode.v1")

	// What is ours has numbers that the documents will not use.
	asked := map[string]bool{}
	for _, row := range readRows(s.T) {
		if row.kind == field {
			asked[row.id], asked[row.owner] = true, true
		}
	}
	for name, message := range now.messages {
		for i := range message.Fields().Len() {
			f := message.Fields().Get(i)
			if id := name + "." + string(f.Name()); asked[name] && !asked[id] && !readByPublishedClients[id] && f.Number() < 100 {
				s.Errorf("%s.%s has the number %d, which is not ours to give", name, f.Name(), f.Number())
			}
		}
	}
	s.shows("Adding New Fields Safely", "Use the next available field number")
}

// readByPublishedClients are fields below 100 that the documents do not have: clients in
// the field read them under these numbers.
var readByPublishedClients = map[string]bool{"ListMachinesResponse.total": true}
