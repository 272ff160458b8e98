package messages

// TakeLock requests the input lock. It is granted at once if it is free, if its holder is not
// attached, or if it is offered to the client. Otherwise the holder has 10 s to respond; if it does
// not, the lock is granted. A client whose request the holder refuses becomes a waiter. An observer
// is refused with [WrongState]. Answered with [LockAnswer], after 20 s at the latest.
type TakeLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// ReleaseLock passes the input lock to the first waiter. A waiter that sends it leaves the queue.
// Answered with [LockAnswer].
type ReleaseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// RefuseLock keeps the lock for its holder although others request it. The requesters are notified.
// Answered with [LockAnswer], or [WrongState] if the client is not the holder.
type RefuseLock struct {
	ask
	Session SessionID
	Client  ClientID
}

// LockAnswer answers [TakeLock], [ReleaseLock] and [RefuseLock].
type LockAnswer struct {
	answer
	Granted  bool
	Refused  bool     // the holder refused the request
	Holder   ClientID // the present holder
	Previous ClientID // the holder before
	Place    int      // in the queue of waiters, from 1; 0 = not a waiter
}

// Target implements [SessionRequest].
func (m TakeLock) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m ReleaseLock) Target() SessionID { return m.Session }

// Target implements [SessionRequest].
func (m RefuseLock) Target() SessionID { return m.Session }
