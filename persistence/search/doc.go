// Package search keeps the index of all history: which words are in which events. It is made from the journal and holds nothing that
// the journal does not hold. It consists of one file: no actor, no goroutine, no log output. The search actor calls it.
//
// # Who owns what
//
// One [Index] owns a directory. One goroutine at a time changes it; any number search it meanwhile. The journal is read through
// [Journal], and never written.
//
// # What is promised
//
//   - An event is found once after [Index.Advance] has taken it. The documents and the marks up to which they go are written in one
//     transaction, so a crash loses work and repeats none.
//   - What the journal does not have any more is not found: a session that was deleted, and events below a low-water mark. Their words
//     leave the file when their segment is merged or swept.
//   - An answer says how many events are missing ([Index.Behind]).
//   - Damage is an error of kind [messages.DataLoss], never another answer: each row has a checksum of its key and itself, and
//     [Index.Check] reads the pages of the file and all rows.
//
// # The file
//
// It is a bbolt file, through package boltfile. Documents are gathered in memory (memory) and written as a segment, which does not
// change any more: a sorted table of words in blocks of about a page, and rows of fixed size for the documents. Small segments are
// merged into larger ones ([Index.Tidy]), so that a search looks at few. rows.go describes the buckets.
//
// # A search
//
// Find takes one segment after the other: the documents of each word, their intersection, the filters, and the best hits so far. Only
// the hits that are returned are read from the journal, for their snippets.
//
// # The packages
//
//	internal/words      text to words; the same cut for texts, queries and snippets
//	internal/postings   which documents have a word, and where
//	internal/table      words with values in blocks
//	internal/document   events to documents
//	internal/query      what is searched for; snippets
package search
