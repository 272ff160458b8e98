package main

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// raw returns the output of a run, whether the daemon has compressed it or not. A run whose preparation did not end
// has none.
func (r *round) raw(id string, run int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), restTime)
	defer cancel()
	stream, err := r.house.now().Admin().RawOutput(ctx, &pb.RawOutputRequest{SessionId: id, Run: uint64(run)})
	if err != nil {
		return nil, err
	}
	var all []byte
	for {
		piece, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF), status.Code(err) == codes.NotFound:
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, piece.GetData()...)
	}
}
