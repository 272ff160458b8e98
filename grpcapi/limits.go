package grpcapi

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Limits bound how much one caller may ask. A program that has gone wild is slowed
// down; a person never notices.
type Limits struct {
	PerSecond float64 // calls, and requests on streams; 0 = no limit
	Burst     int     // as many at once
}

const (
	// answersMore is how many times more answers to permission requests are taken than
	// other requests: nobody should wait for a person's word.
	answersMore = 10
	// failuresPerSecond and failuresBurst bound how often somebody may come from one
	// address without a token that counts.
	failuresPerSecond = 1
	failuresBurst     = 20

	maxBuckets = 4096
)

// limiter is a token bucket for each of many callers.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	rate    rate.Limit // 0 = no limit
	burst   int
	buckets map[string]*rate.Limiter
}

func newLimiter(perSecond float64, burst int) *limiter {
	l := &limiter{now: time.Now, buckets: map[string]*rate.Limiter{}}
	l.change(perSecond, burst)
	return l
}

// change has another rate and burst count from now on. What callers have used up stays
// used up.
func (l *limiter) change(perSecond float64, burst int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate, l.burst = rate.Limit(perSecond), max(burst, 1)
	if l.rate <= 0 {
		clear(l.buckets)
	}
	now := l.now()
	for _, b := range l.buckets {
		b.SetLimitAt(now, l.rate)
		b.SetBurstAt(now, l.burst)
	}
}

// take counts one request of a caller. It returns 0 for one that is within the limit;
// else when the next will be.
func (l *limiter) take(caller string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rate <= 0 {
		return 0
	}
	now := l.now()
	b := l.buckets[caller]
	if b == nil {
		l.makeRoom(now)
		b = rate.NewLimiter(l.rate, l.burst)
		l.buckets[caller] = b
	}
	r := b.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait <= 0 {
		return 0
	}
	r.CancelAt(now)
	return wait
}

// makeRoom forgets callers when there are too many: those whose buckets are full again,
// for whom a new one is the same; failing that any.
func (l *limiter) makeRoom(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for caller, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, caller)
		}
	}
	for caller := range l.buckets {
		if len(l.buckets) < maxBuckets {
			return
		}
		delete(l.buckets, caller)
	}
}

// limits are all limiters of a server.
type limits struct{ requests, answers, failures *limiter }

func newLimits(l Limits) limits {
	return limits{
		requests: newLimiter(l.PerSecond, l.Burst), answers: newLimiter(l.PerSecond*answersMore, l.Burst*answersMore),
		failures: newLimiter(failuresPerSecond, failuresBurst),
	}
}

// SetLimits has other limits count from now on, for everybody who is connected too.
func (s *Server) SetLimits(l Limits) {
	s.limits.requests.change(l.PerSecond, l.Burst)
	s.limits.answers.change(l.PerSecond*answersMore, l.Burst*answersMore)
}

// limitCall counts a call. Those that ask how the daemon is are not counted.
func (s *Server) limitCall(ctx context.Context, c *call) error {
	need, _ := needOf(c.method)
	switch {
	case need == anyone, strings.HasPrefix(c.method, "/betcode.v1.BetCodeHealth/"):
		return nil
	case strings.HasSuffix(c.method, "/AnswerPermission"):
		return limit(ctx, c, s.limits.answers)
	}
	return limit(ctx, c, s.limits.requests)
}

// limitRequest counts a request on a stream.
func (s *Server) limitRequest(ctx context.Context, c *call, r *pb.AgentRequest) error {
	switch r.GetRequest().(type) {
	case *pb.AgentRequest_Permission, *pb.AgentRequest_QuestionResponse:
		return limit(ctx, c, s.limits.answers)
	}
	return limit(ctx, c, s.limits.requests)
}

// limit counts a request of whoever makes the call.
func limit(ctx context.Context, c *call, l *limiter) error {
	if wait := l.take(callerOf(ctx, c)); wait > 0 {
		return tooMuch(wait)
	}
	return nil
}

// tooMuch tells a caller when to come again.
func tooMuch(wait time.Duration) error {
	milliseconds := int64(math.Ceil(float64(wait) / float64(time.Millisecond)))
	return messages.Errorf(opAdmit, messages.Exhausted, "Rate limit exceeded").WithCode(messages.RateLimited).
		With(messages.RetryAfter, strconv.FormatInt(milliseconds, 10)).WithHint("Come again later.")
}
