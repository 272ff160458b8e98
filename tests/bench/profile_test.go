//go:build linux

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"time"
)

// traced is how much of a run an execution trace is of, at most: they are large.
const traced = 2 * time.Second

// profile records processor time and allocations if a directory is set, or an execution trace of
// the beginning of each run, of which the last is kept.
type profile struct {
	dir   string
	trace bool
	file  *os.File    // of what is being kept
	ends  *time.Timer // the trace; it ends once
}

// toggle starts or ends the recording.
func (p *profile) toggle() {
	if p.dir == "" || p.file != nil {
		p.stop()
		return
	}
	begin, name := pprof.StartCPUProfile, "daemon.cpu.prof"
	if p.trace {
		begin, name = trace.Start, "daemon.trace"
	}
	var err error
	if p.file, err = os.Create(filepath.Join(p.dir, name)); err == nil {
		err = begin(p.file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if p.trace {
		p.ends = time.AfterFunc(traced, trace.Stop)
	}
}

func (p *profile) stop() {
	if p.file == nil {
		return
	}
	if p.trace {
		p.ends.Stop()
		trace.Stop()
	} else {
		pprof.StopCPUProfile()
	}
	p.file.Close()
	p.file = nil
	if f, err := os.Create(filepath.Join(p.dir, "daemon.allocs.prof")); err == nil {
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
	}
}
