package grpcapi

import (
	"context"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// reviewDirectory answers a TrustDirectoryRequest with inspect, which changes nothing.
func (s adminService) reviewDirectory(ctx context.Context, r *pb.TrustDirectoryRequest) (*pb.TrustDirectoryResponse, error) {
	const op = "review directory"
	if r.GetRemove() || r.GetDirectory() == "" {
		return nil, messages.Errorf(op, messages.Invalid, "inspect needs a directory and excludes remove")
	}
	directory, err := directoryIn(op, r.GetDirectory())
	if err != nil {
		return nil, err
	}
	review, err := ask[messages.DirectoryReview](ctx, s.asker, messages.ReviewDirectory{Directory: directory})
	if err != nil {
		return nil, err
	}
	trusted, err := ask[messages.TrustedDirectories](ctx, s.asker, messages.TrustDirectory{})
	if err != nil {
		return nil, err
	}
	return &pb.TrustDirectoryResponse{Directories: trusted.Directories, Review: reviewOut(review)}, nil
}

func reviewOut(r messages.DirectoryReview) *pb.DirectoryReview {
	return &pb.DirectoryReview{
		Directory: r.Directory, Digest: r.Digest, Trusted: r.Trusted, Known: r.Known, Empty: r.Empty,
		Findings: findingsOut(r.Findings), Changes: findingsOut(r.Changes), Problems: r.Problems,
	}
}

func findingsOut(all []messages.DirectoryFinding) []*pb.DirectoryFinding {
	var out []*pb.DirectoryFinding
	for _, f := range all {
		out = append(out, &pb.DirectoryFinding{Mark: f.Mark, Kind: f.Kind, Path: f.Path, Text: f.Text})
	}
	return out
}
