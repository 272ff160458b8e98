// Package recovery reads the logs of a journal that is being opened: the groups that the
// active file does not have, as rows in a table, and the damage among them.
//
// # Leftovers of a crash, and damage
//
// The end of the newest log may be torn: its group was never acknowledged and is left
// out. A group that cannot be read in front of a newer one is damage. If its head is
// sound, its sessions are marked as damaged permanently ([Recovered.Mark]) and the journal
// opens. If its head is lost and cannot be proven, sessions may have lost events without
// a trace: then [Read] refuses the logs, unless it is tolerant.
//
// # Tolerant reading
//
// A repair reads tolerantly. A group whose head is lost but whose rows prove themselves
// (proven) is used whole. Otherwise the rows that can be read identify their sessions:
// events and identities among them are kept, these sessions are damaged, and
// [Recovered.Account] returns the loss. Nothing is guessed: bytes that cannot be
// explained are counted in [Loss] (Unread).
package recovery
