package auth

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

// Limits bound the rate of requests of one caller. They slow down a runaway program; a person
// never reaches them.
type Limits struct {
	PerSecond float64 // calls, and requests on streams; 0 = no limit
	Burst     int     // requests at once
}

const (
	// answersMore is the factor by which the limits for answers to permission requests exceed those
	// for other requests, because an agent waits for the answer.
	answersMore = 10
	// failuresPerSecond bounds calls without a valid token from one address.
	failuresPerSecond = 1
	// FailuresBurst is how many of these calls may come at once.
	FailuresBurst = 20

	maxBuckets = 4096
)

// limiter has a token bucket for each caller.
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

// change sets the rate and the burst. Tokens that callers have used stay used.
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

// take counts one request of a caller. It returns 0 if the request is within the limit, else
// how long to wait before the next.
func (l *limiter) take(caller string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rate <= 0 {
		return 0
	}
	now := l.now()
	b := l.buckets[caller]
	if b == nil {
		l.evict(now)
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

// evict removes callers when there are too many: first those with full buckets, since a new bucket
// is full too, then any.
func (l *limiter) evict(now time.Time) {
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

// limits are the limiters of an [Interceptor].
type limits struct{ requests, answers, failures *limiter }

func newLimits(l Limits) limits {
	return limits{
		requests: newLimiter(l.PerSecond, l.Burst), answers: newLimiter(l.PerSecond*answersMore, l.Burst*answersMore),
		failures: newLimiter(failuresPerSecond, FailuresBurst),
	}
}

// SetLimits changes the limits, also of connected callers.
func (d *Interceptor) SetLimits(l Limits) {
	d.limits.requests.change(l.PerSecond, l.Burst)
	d.limits.answers.change(l.PerSecond*answersMore, l.Burst*answersMore)
}

// limitCall counts a call. Health checks are not counted.
func (d *Interceptor) limitCall(ctx context.Context, c *Call) error {
	need, _ := Needs(c.method)
	switch {
	case need == Anyone, strings.HasPrefix(c.method, "/betcode.v1.BetCodeHealth/"):
		return nil
	case strings.HasSuffix(c.method, "/AnswerPermission"):
		return limit(ctx, c, d.limits.answers)
	}
	return limit(ctx, c, d.limits.requests)
}

// limitRequest counts a request on a stream.
func (d *Interceptor) limitRequest(ctx context.Context, c *Call, r *pb.AgentRequest) error {
	switch r.GetRequest().(type) {
	case *pb.AgentRequest_Permission, *pb.AgentRequest_QuestionResponse:
		return limit(ctx, c, d.limits.answers)
	}
	return limit(ctx, c, d.limits.requests)
}

// limit counts a request of the caller.
func limit(ctx context.Context, c *Call, l *limiter) error {
	if wait := l.take(callerOf(ctx, c)); wait > 0 {
		return tooMuch(wait)
	}
	return nil
}

// tooMuch returns the error with the time to wait before a retry.
func tooMuch(wait time.Duration) error {
	milliseconds := int64(math.Ceil(float64(wait) / float64(time.Millisecond)))
	return messages.Errorf(opAdmit, messages.Exhausted, "Rate limit exceeded").WithCode(messages.RateLimited).
		With(messages.RetryAfter, strconv.FormatInt(milliseconds, 10)).WithHint("Try again later.")
}
