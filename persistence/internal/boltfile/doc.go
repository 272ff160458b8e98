// Package boltfile implements one journal file: a bbolt database with fixed buckets, and a
// description with its journal, its number and the newest group of the logs in it. It is
// the only package that imports bbolt.
//
// # Panics
//
// bbolt panics about a damaged page, and the runtime faults when the
// mapped file is truncated. [File] turns both into [messages.DataLoss]. After a panic
// where bbolt may hold a lock the file is not used any more ([File.Usable]), and is
// closed without bbolt. [File.VerifyPages] checks the pages by itself, because bbolt's
// own check can kill the process, or follow a circle without end.
//
// # Transactions
//
// [File.Update] commits or changes nothing; [CommitError] is a commit that failed, and
// [Unclean] reports whether the state of the disk is unknown after it. Read transactions must be
// short: while one lasts, every commit makes the file grow.
//
// # Payloads
//
// A file lists the payloads that its rows refer to (bucket "payloads"), in the same
// transaction as the rows. A payload may be removed when no file lists it, so damage
// of a list ([CheckList]) stops every removal.
package boltfile
