// Package drafts keeps on disk what a person has typed: messages that are not sent yet or not confirmed ([Draft]), and
// messages that were sent before, for each working directory ([History]).
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
// A draft is handed to a goroutine of its [Draft] with every key and written at once, by rename, so that a killed process
// loses at most the key that was just pressed. It is synced to the disk when no key has come for a second. The file goes when
// the text is empty and the daemon has confirmed every message.
//
// A terminal takes over the newest draft of its directory whose terminal has ended. The lock is the kernel's, so it ends with
// its process however that ends.
//
// Files are bounded: 1000 messages of 64 KiB and 4 MiB in a history, 32 drafts in a directory. The oldest go first.
package drafts
