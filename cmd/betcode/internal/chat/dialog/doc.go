// Package dialog shows requests of an agent to a person, and turns keys into answers: permission requests, questions as forms,
// plans as documents.
//
// It is plain data. Events, keys and times go in; rows and requests to the daemon come out.
//
// # What is promised
//
// A key answers a permission request only if it was meant to ([Gate]): the request has been on the screen for 400 ms, no other
// key came in that time, and none follows at once, as it would in a paste. A key that is refused is text for the editor, so
// nothing that is typed is lost.
//
// The first row of a request is the command that would run, made by this program from the tool's input, not from the agent's
// text.
package dialog
