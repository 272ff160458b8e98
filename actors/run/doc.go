// Package run is the actor of one incarnation of the agent process.
//
// It starts or adopts the process, translates the lines of its output file into items and sends them to the session as
// [Output], writes lines to its FIFO, freezes it while its output cannot be stored, and ends it in steps.
//
// # What is promised in which order
//
// Items are sent in the order of the lines, with the offset behind them and the translator's state, so that the session can
// journal all three at once. At most two batches are not yet journaled; then the actor stops reading. The last message about a
// run is [messages.RunEnded], after the output file was read to its end.
//
// # Who owns what
//
// The actor owns descriptors, timers and two workers, one that reads and one that writes, so that a full pipe never blocks
// reading. It does not own the process: the agent belongs to its launcher and outlives the daemon.
//
// # On a crash
//
// The process is not touched. The next incarnation adopts it and reads on behind the last line that was sent to the session
// (after a crash of the session: behind the last line that was journaled), so the session sees no gap and no line twice. It
// freezes the agent again if an alarm had frozen it. A line that was being written may be written again: the agent recognises
// messages by their ids.
package run
