// Package listing encodes lists of sessions.
//
// A list of ten thousand sessions has megabytes. Most of its cost is reading, translating and encoding sessions, of
// which hardly any changes between two lists. A [Cache] keeps the encoded summaries of sessions with the revisions of
// their records. A list reads only the records that the cache does not have.
//
// The cache keeps only the part of a summary that depends on the record alone. The list adds requests that wait for a
// person, and the queue for slots. Summaries that depend on the time are not cached.
//
// The cache is bounded, belongs to the server and is empty after a restart. It is safe for concurrent use.
package listing
