// Package search is the actor that maintains the index of all history, and the functions that search it.
//
// The index (package persistence/search) is derived from the journal and can be lost at any time. The journal's actor reports
// sessions of which it has committed events. The search actor reads those events from the journal, a bounded number at a time, and
// indexes them. An append never waits for the index, and an index that is behind reads the events that it has missed.
//
// # Who owns what
//
// [Searcher] is shared. It has the open index and the set of sessions with events that are not indexed. The actor alone opens,
// changes and closes the index, on its worker. Callers search on their own goroutines, at most four at once.
//
// # What is promised in which order
//
// An event is found once its session has been indexed, usually within half a second after its commit, and once only. An answer
// has the number of events that are not indexed yet. A deleted event is not found from the time of its deletion on.
//
// # On a crash
//
// Events that were indexed in memory only are indexed again: documents and the marks of their positions are one transaction. An
// index that is damaged, does not fit the journal, or has an older format is removed and rebuilt, with a line in the log.
package search
