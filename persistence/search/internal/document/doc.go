// Package document makes the documents that can be found from the events of a session. It is pure.
//
// A message of a user, a call of a tool and its result are a document each. A block of text or thinking is one, although it arrives
// in pieces: its number is that of its first event. Events that repeat others, such as permission requests, make none.
package document
