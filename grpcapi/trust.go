package grpcapi

import (
	"context"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// reviewDirectory answers a TrustDirectoryRequest with inspect set. It changes nothing.
func (s adminService) reviewDirectory(ctx context.Context, r *pb.TrustDirectoryRequest) (*pb.TrustDirectoryResponse, error) {
	const op = "review directory"
	if r.GetRemove() || r.GetDirectory() == "" {
		return nil, messages.Errorf(op, messages.Invalid, "inspect needs a directory and excludes remove")
	}
	directory, err := translate.DirectoryIn(op, r.GetDirectory())
	if err != nil {
		return nil, err
	}
	review, err := handler.Ask[messages.DirectoryReview](ctx, s.asker, messages.ReviewDirectory{Directory: directory})
	if err != nil {
		return nil, err
	}
	trusted, err := handler.Ask[messages.TrustedDirectories](ctx, s.asker, messages.TrustDirectory{})
	if err != nil {
		return nil, err
	}
	return &pb.TrustDirectoryResponse{Directories: trusted.Directories, Review: translate.ReviewOut(review)}, nil
}
