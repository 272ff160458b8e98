package talk

import pb "betcode/proto/betcode/v1"

// Opening is how a command attaches to its session.
type Opening struct {
	Start     *pb.StartConversation
	Head      uint64                    // events up to this sequence are history
	Changes   *pb.SessionSettingsChange // for a session that exists; nil for none
	Directory string                    // where the agent works
}
