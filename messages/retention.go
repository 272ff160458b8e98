package messages

// TrimHistory tells a session to give up what lies up to a number. Sent by the
// retention; answered with [Done], also where there is nothing to do any more.
type TrimHistory struct {
	ask
	Session SessionID
	To      Seq
	Bytes   uint64 // Past.LowWaterBytes from then on
	Reason  string // RetainedAge or RetainedBytes
}

// Why history is given up.
const (
	RetainedAge   = "age"
	RetainedBytes = "bytes"
)

// Target implements [SessionRequest].
func (m TrimHistory) Target() SessionID { return m.Session }
