// Package encode encodes events into the bytes that are journaled and sent: once, so that every stream gets the same bytes.
package encode

import (
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// Event sets the session, the number and, if it has none, the time of an event, and encodes it. These bytes go into the journal
// and onto every wire. The number of an event that is not journaled is 0.
func Event(e *pb.AgentEvent, session messages.SessionID, seq messages.Seq, at time.Time) messages.Event {
	e.Sequence, e.SessionId = uint64(seq), string(session)
	if e.Timestamp == nil {
		e.Timestamp = timestamppb.New(at)
	}
	bytes, err := proto.Marshal(e)
	if err != nil {
		// Only an invalid UTF-8 string causes this, and the gateway and the translator make every string valid.
		panic("encode event: " + err.Error())
	}
	return messages.Event{Seq: seq, Bytes: bytes}
}

// Volatile encodes an event that is shown without being journaled: it has no number, and is marked if it was to have one.
func Volatile(e messages.Event, session messages.SessionID, at time.Time) messages.Event {
	var event pb.AgentEvent
	if err := proto.Unmarshal(e.Bytes, &event); err != nil {
		panic("an event of ours: " + err.Error())
	}
	event.Volatile = event.Volatile || e.Seq > 0
	return Event(&event, session, 0, at)
}
