// Package render shows the events of a session to people: on a screen that only grows ([Renderer]), and as Markdown
// ([Markdown]).
//
// Both are plain data: events go in, text comes out, in the order of the events. Text of agents passes through package
// console, which escapes control characters.
package render
