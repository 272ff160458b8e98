// Package requests keeps the permission requests and questions of a session for readers of the
// portal, which keep one at a time. It is pure.
//
// A [Book] gets the events of the session and has what waits for an answer. [Book.Next] gives the
// oldest request when the reader has none; [Book.Decide] makes the daemon's request of an answer.
// The questions of one request are shown together, as a request of AskUserQuestion.
package requests
