package session

import (
	"betcode/actors/internal/title"
	"betcode/actors/session/events"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// recordInput journals a message.
func (t *transition) recordInput(m messages.SendInput) messages.InputRecord {
	in := messages.InputRecord{Key: m.Key, Content: m.Content, Attachments: m.Attachments, Client: m.Client, At: t.now.at}
	t.exchangeBegins()
	iteration := t.s.iteration(m.Key)
	if iteration > 0 {
		t.emit(events.Prompted(t.s.record.Repetition))
	}
	in.Seq, in.Number = t.s.record.Head+1, t.nextProxyInput()
	t.emit(events.UserInput(in, iteration))
	t.putInput(in)
	t.recordResult(requests.Key{Name: m.Key, Digest: m.Digest}, messages.InputAcknowledged{Key: in.Key, Seq: in.Seq})
	r := t.change()
	if r.Messages == 0 && in.Client != ourselves {
		r.Title = title.Of(in.Content)
	}
	r.Messages++
	r.Phase, r.Stopped = messages.PhaseActive, messages.Stopped{}
	return in
}
