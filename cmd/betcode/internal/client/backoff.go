package client

import "time"

// delays are the delays of the reconnection document; the last one repeats.
var delays = [...]time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
	1600 * time.Millisecond, 3200 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// backoff returns the delay before an attempt, counted from 0. random is from 0 to 1
// and changes the delay by up to a fifth, so that the clients of one daemon do not
// reconnect at the same moment.
func backoff(attempt int, random float64) time.Duration {
	d := delays[min(attempt, len(delays)-1)]
	return time.Duration(float64(d) * (0.8 + 0.4*random))
}
