package proxies

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	pb "betcode/proto/betcode/v1"
)

func numbered(seq uint64) *pb.ProxyRequest {
	r, _ := output(&seq, []byte(`{}`))
	return r
}

func request(id string) *pb.ProxyRequest {
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: &pb.ProxyAsked{RequestId: id}}}
}

// nameOf returns the name of a request in the tests.
func nameOf(r *pb.ProxyRequest) string {
	switch {
	case r.GetAsked() != nil:
		return r.GetAsked().GetRequestId()
	case r.GetOutput().Seq == nil:
		return "-"
	}
	return fmt.Sprint(r.GetOutput().GetSeq())
}

func sendAll(p *pending) (names []string, freed int) {
	for {
		r, bytes := p.next()
		freed += bytes
		if r == nil {
			return names, freed
		}
		names = append(names, nameOf(r))
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	p := &pending{}
	loose, _ := output(nil, []byte(`{}`))
	for _, r := range []*pb.ProxyRequest{numbered(0), request("a"), loose, numbered(1), request("b"), numbered(2)} {
		p.add(entry{r, 10})
	}
	if got, freed := sendAll(p); !slices.Equal(got, []string{"0", "a", "-", "1", "b", "2"}) || freed != 10 {
		t.Errorf("sent %v, freed %d", got, freed)
	}
	if freed := p.taken(0); freed != 10 {
		t.Errorf("freed %d", freed)
	}
	p.rewind()
	if got, _ := sendAll(p); !slices.Equal(got, []string{"a", "1", "b", "2"}) {
		t.Errorf("sent again %v", got)
	}
	if freed := p.decided("b"); freed != 20 { // a is older
		t.Errorf("freed %d", freed)
	}
	if freed := p.decided("none"); freed != 0 {
		t.Errorf("freed %d", freed)
	}
	p.add(entry{numbered(3), 10})
	if freed := p.taken(7); freed != 20 { // 3 was not sent
		t.Errorf("freed %d", freed)
	}
	if got, _ := sendAll(p); !slices.Equal(got, []string{"3"}) {
		t.Errorf("sent %v", got)
	}
}

// The pending unnumbered requests of a proxy are bounded.
func TestPendingUnnumbered(t *testing.T) {
	t.Parallel()
	p, freed := &pending{}, 0
	for i := range 5000 {
		if p.full(1) {
			t.Fatal("it is full after", i)
		}
		p.add(entry{request(fmt.Sprint(i)), 1})
		_, bytes := sendAll(p)
		freed += bytes
	}
	if len(p.list) != pendingUnnumbered || nameOf(p.list[0].request) != fmt.Sprint(5000-pendingUnnumbered) || freed != 5000-pendingUnnumbered {
		t.Errorf("%d are pending, %d bytes are free", len(p.list), freed)
	}
}

// In any case, outputs reach a daemon in order until they are acknowledged, unnumbered requests are
// not sent before the outputs that precede them, and every byte is released.
func TestPendingProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		p := &pending{}
		added, freed, next, stored := 0, 0, uint64(0), uint64(0) // stored: the daemon has the outputs below
		for range 400 {
			switch random.IntN(8) {
			case 0, 1, 2:
				if size := random.IntN(pendingBytes / 3); !p.full(size) {
					p.add(entry{numbered(next), size})
					added += size
					next++
				}
			case 3:
				p.add(entry{request(fmt.Sprint("r", random.IntN(5))), 1})
				added++
			case 4:
				p.rewind()
			case 5:
				freed += p.decided(fmt.Sprint("r", random.IntN(5)))
			case 6:
				freed += p.taken(stored - min(stored, 1))
			default:
				names, bytes := sendAll(p)
				freed += bytes
				for _, name := range names {
					var seq uint64
					if n, _ := fmt.Sscan(name, &seq); n == 0 {
						continue
					}
					if seq > stored {
						t.Fatalf("seed %d: output %d was sent before %d", seed, seq, stored)
					}
					stored = max(stored, seq+1)
				}
			}
			if p.bytes != added-freed || p.bytes > pendingBytes+pendingUnnumbered+400 {
				t.Fatalf("seed %d: %d bytes are pending of %d, %d are free", seed, p.bytes, added, freed)
			}
		}
	}
}
