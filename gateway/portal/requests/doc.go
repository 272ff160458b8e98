// Package requests tracks the permission requests and questions of a session for readers of the
// portal, which show one at a time. It is pure.
//
// A [Queue] gets the events of the session and has the requests that wait for an answer. [Queue.Next]
// returns the oldest request if the reader has none. [Queue.Decide] converts an answer to a request
// to the daemon. The questions of one request are shown together, as a request of AskUserQuestion.
package requests
