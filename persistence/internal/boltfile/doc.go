// Package boltfile is one journal file: a bbolt database with fixed buckets, which says
// of itself which journal and number it is and up to which group it has the logs. It is
// the only package that imports bbolt.
//
// # Panics
//
// bbolt panics when a page is not what it should be, and the runtime faults when the
// mapped file is truncated. [File] turns both into [messages.DataLoss]. After a panic
// where bbolt may hold a lock the file is not used any more ([File.Usable]), and is
// closed without bbolt. [File.VerifyPages] checks the pages by itself, because bbolt's
// own check can kill the process, or follow a circle without end.
//
// # Transactions
//
// [File.Update] commits or changes nothing; [CommitError] is a commit that failed, and
// [Unclean] tells whether it leaves open what is on the disk. Read transactions must be
// short: while one lasts, every commit makes the file grow.
//
// # Payloads
//
// A file lists the payloads that its rows refer to (bucket "payloads"), in the same
// transaction as the rows. A payload may be removed when no file lists it, so damage
// of a list ([CheckList]) stops every removal.
package boltfile
