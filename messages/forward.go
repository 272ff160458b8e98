package messages

import "strings"

// A subagent whose requests are forwarded has them shown by the sessions above it too, under an id that names its session.
// The subagent's session keeps the only record; a request is decided there, whichever id an answer names.

// forwardMark separates the session from its request. An agent's own request must not contain it.
const forwardMark = "~"

// ForwardedID returns the id under which sessions above a subagent show a request of it.
func ForwardedID(subagent SessionID, request RequestID) RequestID {
	return RequestID(subagent) + forwardMark + request
}

// ParseForwarded returns the subagent and its request that an id names, and whether it is such an id.
func ParseForwarded(id RequestID) (subagent SessionID, request RequestID, ok bool) {
	before, after, ok := strings.Cut(string(id), forwardMark)
	return SessionID(before), RequestID(after), ok
}
