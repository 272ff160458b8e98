// Package blob stores payloads: values above 64 KiB, each a file named by its SHA-256
// in one of 256 directories. A complete payload never changes.
//
// # Order
//
// [Spill] writes payloads, syncs them, renames them, and syncs the directories
// ([Spill.Settle]); then the transaction refers to them and lists them ([Spill.List]).
// So a file that refers to a payload never lacks it. A crash in between leaves payloads
// without a reference; [Directory.Sweep] removes them.
//
// # When a payload is removed
//
// Sweep removes payloads that no file lists and no spill has pinned. A spill pins payloads that are about to
// be listed until it is released; [Directory.Keep] keeps all payloads while the journal is
// verified or copied; [Directory.BeginRead] keeps the payloads of a reader's rows.
//
// # Damage
//
// A payload is compared with its name whenever it is read. A missing or
// different one is [messages.DataLoss] for the row that refers to it, and for nothing else.
package blob
