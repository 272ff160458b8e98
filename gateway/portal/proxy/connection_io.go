package proxy

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/time/rate"
)

// read reads frames until the connection ends.
func (c *connection) read(ctx context.Context) {
	limit := rate.NewLimiter(framesASecond, framesAtOnce)
	for limit.Wait(ctx) == nil {
		frame, err := c.socket.Read(ctx)
		if err != nil {
			c.broken <- fmt.Errorf("read from the portal: %w", err)
			return
		}
		select {
		case c.frames <- frame:
		case <-ctx.Done():
			return
		}
	}
}

// write writes frames until the connection ends.
func (c *connection) write(ctx context.Context) {
	for {
		select {
		case frame := <-c.writes:
			timed, cancel := context.WithTimeout(ctx, writeTimeout)
			err := c.socket.Write(timed, frame)
			cancel()
			if err != nil {
				c.broken <- fmt.Errorf("write to the portal: %w", err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// ping detects half-open connections, since a backend of G1 sends nothing by itself.
func (c *connection) ping(ctx context.Context) {
	for {
		select {
		case <-time.After(pingEvery):
		case <-ctx.Done():
			return
		}
		timed, cancel := context.WithTimeout(ctx, writeTimeout)
		err := c.socket.Ping(timed)
		cancel()
		if err != nil {
			c.broken <- fmt.Errorf("ping the portal: %w", err)
			return
		}
	}
}
