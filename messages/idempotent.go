package messages

import "bytes"

// Idempotent is a request under an idempotency key. A repetition gets the stored answer of the
// first request and does nothing. Answered like the inner request; a key that was used for
// another request is refused with [Invalid] and [KeyReused].
//
// The answer is stored in the same append as the effects of the request. An error is not
// stored: the request may be retried under the same key. A repetition that arrives before
// the first answer is executed as well, so the inner request must be idempotent until
// then.
type Idempotent struct {
	ask
	Key     string // a UUID
	Digest  []byte // of the request as received
	Request SessionRequest
}

// Target implements [SessionRequest].
func (m Idempotent) Target() SessionID { return m.Request.Target() }

// StoredResult is what the journal stores of a request under an idempotency key.
type StoredResult struct {
	Key    string
	Seq    Seq    // head of the history at that time; set by the journal
	Digest []byte // of the request; empty = not stored
	Answer []byte // encoded by package actors/session/requests; empty = not stored
}

// Fits reports whether the key may have been used for the request with digest. It is true
// if either digest is missing.
func (r StoredResult) Fits(digest []byte) bool {
	return len(r.Digest) == 0 || len(digest) == 0 || bytes.Equal(r.Digest, digest)
}

// UsedKey returns the error for an idempotency key that was used for another request.
func UsedKey(op, key string) *Error {
	return Errorf(op, Invalid, "the idempotency key %s was used for another request", key).WithCode(KeyReused).
		With("idempotency_key", key).WithHint("use a new key for each request, and the same only to repeat it")
}
