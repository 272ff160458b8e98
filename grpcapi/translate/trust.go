package translate

import (
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ReviewOut translates the review of a directory.
func ReviewOut(r messages.DirectoryReview) *pb.DirectoryReview {
	return &pb.DirectoryReview{
		Directory: r.Directory, Digest: r.Digest, Trusted: r.Trusted, Known: r.Known, Empty: r.Empty,
		Findings: findingsOut(r.Findings), Changes: findingsOut(r.Changes), Problems: r.Problems,
	}
}

// findingsOut translates parts of a directory that an agent would obey.
func findingsOut(all []messages.DirectoryFinding) []*pb.DirectoryFinding {
	var out []*pb.DirectoryFinding
	for _, f := range all {
		out = append(out, &pb.DirectoryFinding{Mark: f.Mark, Kind: f.Kind, Path: f.Path, Text: f.Text})
	}
	return out
}
