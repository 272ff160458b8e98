package proxy

import "time"

// delays has the delays of the portal's document; the last one repeats.
var delays = [...]time.Duration{
	time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second,
}

// goodConnection is how long a registered connection must last to reset the backoff.
const goodConnection = 30 * time.Second

// backoff returns the delay before an attempt, counted from 0. random is from 0 to 1 and shortens the
// delay by up to a fifth, so that proxies of one backend do not reconnect at the same time.
func backoff(attempt int, random float64) time.Duration {
	return time.Duration(float64(delays[min(attempt, len(delays)-1)]) * (1 - random/5))
}
