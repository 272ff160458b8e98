// Package search implements the index of all history: which words are in which events. It is derived from the journal and contains
// nothing that the journal does not have. It consists of one file: no actor, no goroutine, no log output. The search actor calls it.
//
// # Who owns what
//
// One [Index] owns a directory. One goroutine at a time changes it; any number search it meanwhile. It reads the journal through
// [Journal], and never writes it.
//
// # What is promised
//
//   - An event is found once after [Index.Advance] has indexed it. The documents and the marks of their sessions are written in one
//     transaction, so a crash loses work and repeats none.
//   - Events that the journal no longer has are not found: those of deleted sessions, and events below a low-water mark. Their words
//     leave the file when their segment is merged or swept.
//   - An answer has the number of events that are not indexed ([Index.Behind]).
//   - Damage is an error of kind [messages.DataLoss], never another answer: each row has a checksum of its key and itself, and
//     [Index.Check] reads the pages of the file and all rows.
//
// # The file
//
// It is a bbolt file, through package boltfile. Documents are gathered in memory (memory) and written as a segment, which never
// changes: a sorted table of words in blocks of about a page, and rows of fixed size for the documents. Small segments are
// merged into larger ones ([Index.Reduce]), so that a search reads few. rows.go describes the buckets.
//
// # A search
//
// Find searches one segment after the other: the documents of each word, their intersection, the filters, and the best hits so far.
// Only the returned hits are read from the journal, for their snippets.
//
// # The packages
//
//	internal/words      text to words; the same cut for texts, queries and snippets
//	internal/postings   which documents have a word, and where
//	internal/table      words with values in blocks
//	internal/document   events to documents
//	internal/query      queries; snippets
package search
