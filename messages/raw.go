package messages

// GetRawOutput asks for what an agent process has written so far, as it wrote it.
// Give is called with it piece by piece, in order, by the answerer; a piece is
// its own, and an error of its ends the answer. Answered with [Done] behind the last,
// with [NotFound] if there is no such run, or if its record is no longer kept.
type GetRawOutput struct {
	ask
	Session SessionID
	Run     RunNumber // 0 = the newest
	Give    func([]byte) error
}
