package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// storeRepetition returns nil for a session that repeats no message.
func storeRepetition(r messages.Repetition) *storev1.Repetition {
	if !r.Active() {
		return nil
	}
	return &storev1.Repetition{
		Key: r.Key, Client: string(r.Client), Content: r.Content, Max: r.Max, Marker: r.Marker, Sent: r.Sent, Since: StoreTime(r.Since),
	}
}

func loadRepetition(s *storev1.Repetition) messages.Repetition {
	return messages.Repetition{
		Key: s.GetKey(), Client: messages.ClientID(s.GetClient()), Content: s.GetContent(), Max: s.GetMax(), Marker: s.GetMarker(),
		Sent: s.GetSent(), Since: LoadTime(s.GetSince()),
	}
}
