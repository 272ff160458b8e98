package proxies

import pb "betcode/proto/betcode/v1"

// The bounds of the pending requests of one proxy. A proxy that reaches one of them has to wait.
const (
	pendingRequests = 1024
	pendingBytes    = 8 << 20
	// pendingUnnumbered bounds the unnumbered requests that are resent to a new daemon.
	pendingUnnumbered = 64
)

// pending has the requests of a proxy that the daemon may not have stored, in order. An acknowledged
// number drops its request and everything before it, since the daemon stores in order. Unnumbered
// requests are also dropped when many have followed. It is pure.
type pending struct {
	list  []entry
	sent  int // number of requests of list that were sent on the present call
	bytes int
}

// entry is a request, with its share of the budget.
type entry struct {
	request *pb.ProxyRequest
	size    int
}

// number returns the number of an output.
func (e entry) number() (seq uint64, ok bool) {
	o := e.request.GetOutput()
	return o.GetSeq(), o != nil && o.Seq != nil
}

// full reports whether a request of a size has to wait.
func (p *pending) full(size int) bool {
	return len(p.list) >= pendingRequests || len(p.list) > 0 && p.bytes+size > pendingBytes
}

// add appends a request.
func (p *pending) add(e entry) {
	p.list = append(p.list, e)
	p.bytes += e.size
}

// next returns the next request to send, and the bytes that it releases. An unnumbered line is
// dropped when it is sent, since a repetition would show it twice.
func (p *pending) next() (request *pb.ProxyRequest, freed int) {
	if p.sent == len(p.list) {
		return nil, 0
	}
	e := p.list[p.sent]
	p.sent++
	if _, numbered := e.number(); e.request.GetOutput() != nil && !numbered {
		freed += p.drop(p.sent - 1)
	}
	return e.request, freed + p.shorten()
}

// shorten drops the oldest unnumbered request if there are too many. It returns its bytes.
func (p *pending) shorten() int {
	oldest, count := -1, 0
	for i, e := range p.list[:p.sent] {
		if _, numbered := e.number(); !numbered {
			if count++; oldest < 0 {
				oldest = i
			}
		}
	}
	if count <= pendingUnnumbered {
		return 0
	}
	return p.drop(oldest)
}

// taken drops the outputs up to a number, with everything before them. It returns their bytes.
func (p *pending) taken(seq uint64) (freed int) {
	last := -1
	for i, e := range p.list[:p.sent] {
		if n, numbered := e.number(); numbered && n <= seq {
			last = i
		}
	}
	for _, e := range p.list[:last+1] {
		freed += e.size
	}
	p.list, p.sent, p.bytes = append([]entry(nil), p.list[last+1:]...), p.sent-last-1, p.bytes-freed
	return freed
}

// decided drops a permission request that the daemon has decided, and those before it. Only the newest
// is valid: a daemon that got an older one again would show it as waiting. It returns their bytes.
func (p *pending) decided(id string) (freed int) {
	last := -1
	for i, e := range p.list[:p.sent] {
		if a := e.request.GetAsked(); a != nil && a.GetRequestId() == id {
			last = i
		}
	}
	for i := last; i >= 0; i-- {
		if p.list[i].request.GetAsked() != nil {
			freed += p.drop(i)
		}
	}
	return freed
}

// rewind schedules all requests to be sent again, on a new call.
func (p *pending) rewind() { p.sent = 0 }

// drop removes a request that was sent.
func (p *pending) drop(i int) (freed int) {
	freed = p.list[i].size
	p.list = append(p.list[:i:i], p.list[i+1:]...)
	p.sent--
	p.bytes -= freed
	return freed
}
