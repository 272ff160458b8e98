// Package search is the actor that keeps the index of all history, and the way to search it.
//
// The index (package persistence/search) is made from the journal and can be lost at any time. The journal's actor reports which
// sessions it has committed events of; the actor reads those events from the journal, a bounded number at a time, and indexes them.
// So an append never waits for the index, and an index that is behind reads what it has missed.
//
// # Who owns what
//
// [Searcher] is shared. It has the open index and the set of sessions with events that are not indexed. The actor alone opens, changes
// and closes the index, on its worker. Callers search on their own goroutines; at most four do at once.
//
// # What is promised in which order
//
// An event is found once its session has been indexed, usually within half a second after its commit, and once only. An answer says how
// many events are missing. What is deleted or given up is not found from that moment on.
//
// # On a crash
//
// What was indexed and not written is indexed again: documents and the marks up to which they go are one transaction. An index that is
// damaged, does not fit the journal, or is of an older format is removed and built anew, with a line in the log.
package search
