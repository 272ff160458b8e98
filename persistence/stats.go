package persistence

import (
	"sync/atomic"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
)

// Stats are the size of a journal and its counters since it was opened.
type Stats = messages.JournalStats

// counters count the operations of a store.
type counters struct {
	commits, appends, refused, events, bytes atomic.Int64
	written                                  atomic.Int64 // into files that are no longer active
	dropped                                  atomic.Int64 // files, by retention
	checkpoints                              atomic.Int64
	swept                                    atomic.Int64 // payloads without a reference
	rewritten                                atomic.Int64 // files
}

func (c *counters) committed(g *group) {
	c.commits.Add(1)
	c.appends.Add(int64(g.appends))
	c.events.Add(int64(g.events))
	c.bytes.Add(int64(g.bytes))
}

func (c *counters) retire(f *boltfile.File) { c.written.Add(f.Written()) }

// Stats returns the present figures.
func (s *Store) Stats() Stats {
	st := Stats{
		Directory: s.options.Directory, Lineage: s.lineage, Format: boltfile.Format,
		RetainBytes: s.options.RetainBytes, RetainAge: s.options.RetainAge,
		Commits:      s.counts.commits.Load(),
		Appends:      s.counts.appends.Load(),
		Refused:      s.counts.refused.Load(),
		Events:       s.counts.events.Load(),
		EventBytes:   s.counts.bytes.Load(),
		WrittenBytes: s.counts.written.Load(),
		Dropped:      s.counts.dropped.Load(),
		Swept:        s.counts.swept.Load(),
		Rewritten:    s.counts.rewritten.Load(),
	}
	done, err := s.reading(fault.OpStats)
	if err != nil {
		return st
	}
	defer done()
	st.Sessions = len(s.index.newest())
	st.WrittenBytes += s.active.Written()
	if s.log != nil {
		st.WrittenBytes += s.log.WrittenBytes()
		st.LogBytes = s.log.Length()
	}
	st.CheckpointBytes, st.Checkpoints = s.options.CheckpointBytes, s.counts.checkpoints.Load()
	if failure := s.retries.Load().failure; failure != nil {
		st.CheckpointFailure = failure.Error()
	}
	needed := s.index.marks()
	for _, f := range s.manifest.Sealed {
		w, _ := s.weighFile(fault.OpStats, f, needed) // a damaged file counts as without garbage
		st.SealedFiles++
		st.GarbageBytes += w.useless
		st.SealedBytes += f.Bytes
		st.Files = append(st.Files, messages.JournalPart{Name: f.Name, Bytes: f.Bytes, SealedAt: f.SealedAt, Payloads: f.OutOfLine, Garbage: w.useless})
	}
	st.Payloads, st.PayloadBytes = s.blobs.Count()
	st.ActiveBytes = s.active.Size()
	st.Files = append(st.Files, messages.JournalPart{Name: s.manifest.Active, Bytes: st.ActiveBytes})
	return st
}
