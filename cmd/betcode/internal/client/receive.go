package client

import (
	"errors"
	"io"
)

// Each calls do for each message of a stream, in order, until the stream ends or do fails.
func Each[M any](stream interface{ Recv() (*M, error) }, do func(*M) error) error {
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(m); err != nil {
			return err
		}
	}
}
