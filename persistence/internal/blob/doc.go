// Package blob stores payloads: values above 64 KiB, each a file named by its SHA-256
// in one of 256 directories. A payload that is whole never changes.
//
// # Order
//
// [Spill] writes payloads, syncs them, gives them their names, and syncs the directories
// ([Spill.Settle]); then the transaction refers to them and lists them ([Spill.List]).
// So a file that refers to a payload never lacks it. A crash in between leaves payloads
// that nothing refers to; [Directory.Sweep] removes them.
//
// # Who may remove a payload
//
// Sweep removes what no file lists and nobody has pinned. A spill pins what is about to
// be listed until it is released; [Directory.Keep] keeps everything while the journal is
// verified or copied; [Directory.BeginRead] keeps what a reader's rows refer to.
//
// # Damage
//
// A payload is compared with its name whenever it is read. One that is missing or
// different is [messages.DataLoss] for the row that refers to it, and for nothing else.
package blob
