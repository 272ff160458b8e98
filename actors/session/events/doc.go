// Package events makes the events that a session publishes by itself, from its records. Events about the agent's output are made
// by package claude.
//
// Each function returns a new event without number, time or session; package encode adds them. Nothing here decides whether an
// event is journaled: that is up to the session.
package events
