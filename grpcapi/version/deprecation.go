package version

import (
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/grpcapi/auth"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// maxWarned bounds the stored warnings. Beyond it all are dropped, and sessions may be warned once more.
const maxWarned = 10_000

// warned stores which sessions were warned of which deprecated features.
type warned struct {
	mu   sync.Mutex
	seen map[usedBy]bool
}

type usedBy struct {
	session messages.SessionID
	feature string
}

// first reports whether this is the first warning of a session about a feature.
func (w *warned) first(session messages.SessionID, feature string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := usedBy{session, feature}
	if w.seen[key] {
		return false
	}
	if w.seen == nil || len(w.seen) >= maxWarned {
		w.seen = map[usedBy]bool{}
	}
	w.seen[key] = true
	return true
}

// Deprecated refuses a deprecated feature that is off. For one that is on it returns a warning for
// the client, once per session; else nil.
func (s *Service) Deprecated(name string, session messages.SessionID) (*pb.AgentEvent, error) {
	f, ok := messages.FeatureNamed(name)
	if !ok {
		return nil, nil //nolint:nilnil // no warning
	}
	if !f.On(s.flags()) {
		return nil, switchedOff(f)
	}
	if !s.warned.first(session, f.Name) {
		return nil, nil //nolint:nilnil // warned before
	}
	s.options.Logger.Info().Str(auth.FieldTarget, auth.Target).Str(auth.FieldSpan, "grpc/features").Str(auth.FieldSession, string(session)).Str("feature", f.Name).Msg("deprecated feature is used")
	return deprecationEvent(f, session, s.options.Server), nil
}

// deprecationEvent returns the warning about a feature. It is not journaled: its sequence is 0.
func deprecationEvent(f messages.Feature, session messages.SessionID, server string) *pb.AgentEvent {
	return &pb.AgentEvent{
		Timestamp: timestamppb.Now(), SessionId: string(session),
		Event: &pb.AgentEvent_Deprecation{Deprecation: &pb.DeprecationWarning{
			Feature: f.Name, Replacement: f.Replacement, RemovalVersion: f.Removal, MigrationUrl: f.Migration,
			Severity: severity(server, f.Removal),
		}},
	}
}

// severity returns how soon a feature is removed: in the next minor version, in the next major
// version, or later.
func severity(server, removal string) pb.Severity {
	now, gone := parts(server), parts(removal)
	switch {
	case now == nil || gone == nil:
		return pb.Severity_INFO
	case gone[0] == now[0] && gone[1] <= now[1]+1, gone[0] < now[0]:
		return pb.Severity_URGENT
	case gone[0] <= now[0]+1:
		return pb.Severity_WARNING
	}
	return pb.Severity_INFO
}

// parts returns the numbers of a version, nil if it is not a version.
func parts(version string) []int {
	v := release(version)
	if v == "" {
		return nil
	}
	var numbers []int
	for word := range strings.SplitSeq(strings.TrimPrefix(v, "v"), ".") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}
