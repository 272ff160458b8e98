// Package inbox holds the permission requests and questions of a session that wait for a person, and turns answers into requests
// to the daemon.
//
// It is plain data: events and answers go in, requests to the daemon come out. A chat with an editor reads keys (package dialog);
// a conversation line by line reads lines ([Queue.Answer]) and shows a request as text ([Request.Text]).
//
// # What is promised
//
// A request waits once, however often the daemon sends it. A request that was answered here or resolved elsewhere does not
// return. The first line of a request is the command that would run, made by this program from the tool's input, not from the
// agent's text.
package inbox
