package actors

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

// shownWaiters is how many of those who wait for the lock an event names.
const shownWaiters = 100

// tellLock tells every client how it stands with the lock; previous is who held it,
// where it has changed hands.
func (t *transition) tellLock(previous messages.ClientID) { t.tellAll(lockChange(&t.s.lock, previous)) }

// waiting names who waits for the lock.
func (l *inputLock) waiting() []messages.ClientID {
	all := make([]messages.ClientID, len(l.queue))
	for i, w := range l.queue {
		all[i] = w.client
	}
	return all
}

func lockChange(l *inputLock, previous messages.ClientID) *pb.AgentEvent {
	change := &pb.LockChange{Holder: string(l.holder), PreviousHolder: string(previous), OfferedTo: string(l.offered()), OfferedUntil: lockTime(l.offerBy)}
	for _, w := range l.queue[:min(len(l.queue), shownWaiters)] {
		change.Waiting = append(change.Waiting, string(w.client))
	}
	if i := l.asking(); i >= 0 {
		change.RequestedBy, change.AnswerBy = string(l.queue[i].client), lockTime(l.answerBy)
	}
	return &pb.AgentEvent{Event: &pb.AgentEvent_Lock{Lock: change}}
}

func lockTime(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}
