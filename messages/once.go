package messages

import "bytes"

// Once is a request under an idempotency key: a caller that sends it again, because the first
// answer did not arrive, is given the answer that the first one was given, and nothing
// is done twice. Answered as the request itself is; a key that was used for another
// request is refused with [Invalid] and [KeyReused].
//
// What a request was answered with is as durable as what it did, in the same append. An
// error is not remembered: the request may be tried again under the same key. While
// the first one is not answered yet the second is carried out as well; so it must be
// one that may be.
type Once struct {
	ask
	Key     string // a UUID
	Digest  []byte // of the request as it came
	Request SessionRequest
}

// Target implements [SessionRequest].
func (m Once) Target() SessionID { return m.Request.Target() }

// Remembered is what a journal keeps of a request that was made under a key.
type Remembered struct {
	Key    string
	Seq    Seq    // head of the history then; set by the journal
	Digest []byte // of the request; empty where none was kept
	Answer []byte // encoded by package actors/session/requests; empty where none was kept
}

// Fits reports whether a request is the one that the key was used for, as far as can be
// told.
func (r Remembered) Fits(digest []byte) bool {
	return len(r.Digest) == 0 || len(digest) == 0 || bytes.Equal(r.Digest, digest)
}

// UsedKey says that an idempotency key was used for another request.
func UsedKey(op, key string) *Error {
	return Errorf(op, Invalid, "the idempotency key %s was used for another request", key).WithCode(KeyReused).
		With("idempotency_key", key).WithHint("use a new key for each request, and the same only to repeat it")
}
