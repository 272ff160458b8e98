// Package talk connects a person or a script with an agent: a chat on the terminal ([Chat]), and one prompt with its
// answer ([Run]).
//
// Both are a loop around a client.Conversation, which reconnects by itself. The state is plain data: a chat, an inbox of
// open requests, a turn. Events and lines go in, requests to the daemon come out, so that tests need neither a
// terminal nor a daemon.
//
// A line is an answer only if it was meant as one: typed, not pasted, after the question was on the screen (line.deliberate).
// Changes of settings at the beginning come first: the chat sends nothing before the daemon has applied them (SettingsChange).
//
// Nothing is stored. A chat or run that is killed leaves the session as it is, and the agent goes on.
package talk
