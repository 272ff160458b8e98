// Package drafts stores typed text on disk: messages that are not sent or not confirmed ([Draft]), and messages that were sent
// before, for each working directory ([History]).
//
// # Files
//
// Everything is below one directory with mode 0700, in files with mode 0600:
//
//	history/DIRECTORY.jsonl        one JSON object for each message, the oldest first
//	drafts/DIRECTORY/SESSION.json  the draft of one terminal; SESSION.lock is locked while that terminal lives
//
// DIRECTORY is a hash of the path of the working directory.
//
// # What is promised
//
// Every key passes the draft to a goroutine of its [Draft], which writes it at once, by rename, so a killed process loses at most
// the last key. The file is synced after a second without a key, and removed when the text is empty and the daemon has confirmed
// every message.
//
// A terminal takes over the newest draft of its directory whose terminal has ended. The lock is the kernel's, so it ends with
// its process however that ends.
//
// Files are bounded: 1000 messages of 64 KiB and 4 MiB in a history, 32 drafts in a directory. The oldest go first.
package drafts
