// Package disk is the actor that watches the free space of the disk with the journal and the run directories.
//
// With less free space than a mark the disk is full: sessions refuse new turns and freeze their agents, because an agent runs
// on when it cannot write its output, and that output is lost. With half as much again above the mark they thaw.
// Any goroutine can ask [Meter] whether the disk is full.
//
// # What is promised in which order
//
// The meter changes first, then [Changed] is sent to all sessions: a session that starts in between sees the new state. The
// first measurement is made before anything starts, so that an adopted agent is not thawed on a full disk.
//
// # Who owns what
//
// The actor owns the meter's answer and the reserve, a file that is truncated on a full disk for writes that cannot be
// refused. It polls before a fast writer can have used up the space above the mark, and when it gets [LookNow].
//
// # On a crash
//
// The meter survives. The next incarnation measures at once.
package disk
