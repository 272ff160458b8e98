package session

import (
	"testing"

	"betcode/actors/journal"
)

// A line is acknowledged when it is stored, and only then: while the journal fails its proxy is told so, and sends it again.
func TestProxiedLinesWhileTheJournalFails(t *testing.T) {
	line := frames("c1", proxyLine(1, lineOfText("m1", "one")))
	b := proxying(t, everything)
	b.tell(frames("c1", proxyLine(0, lineOfTurn)))
	b.quiet()
	b.manual = true
	b.tell(line)
	b.expect("nothing is acknowledged before it is stored")
	b.refuse()
	b.expect("the journal fails", "all: notice JOURNAL_FAILS", "all: text one", "to op: unavailable SQLITE_ERROR")
	b.tell(line)
	b.expect("a line that comes again is not taken", "to op: unavailable SQLITE_ERROR")
	b.tell(journal.Recovered{})
	b.expect("the journal is back", "session.rebuild")
	b.manual = false
	b.crash() // what its replacement comes to
	b.tell(Rebuilt{})
	b.tell(connect("c2", everything))
	b.quiet()
	b.on(frames("c2", proxyLine(0, lineOfTurn), proxyLine(1, lineOfText("m1", "one"))), "all: 5 text one", "to op: taken up to 1")
	b.on(frames("c2", proxyLine(1, lineOfText("m1", "one"))), "to op: taken up to 1")
}
