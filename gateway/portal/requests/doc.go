// Package requests tracks the permission requests and questions of a session for readers of the
// portal, which show one at a time. It is pure.
//
// A [Book] gets the events of the session and has the requests that wait for an answer. [Book.Next]
// returns the oldest request if the reader has none. [Book.Decide] converts an answer to a request
// to the daemon. The questions of one request are shown together, as a request of AskUserQuestion.
package requests
