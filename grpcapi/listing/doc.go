// Package listing encodes lists of sessions.
//
// A client that lists ten thousand sessions gets megabytes. Reading, translating and encoding them again for each list is most of
// what a list costs, and hardly any session changes between two lists. A [Cache] keeps the encoded summaries of sessions with the
// revisions of their records. A list asks the journal for the records that the cache does not have.
//
// A summary whose text depends on the time, on requests that wait for a person, or on the queue for agents is not kept in that
// form: what is kept is what the record alone says, and records that say something about the time are not kept at all.
//
// The cache is bounded, belongs to the server and is empty after a restart. It is safe for concurrent use.
package listing
