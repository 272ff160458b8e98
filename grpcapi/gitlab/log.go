package gitlab

import (
	"context"
	"fmt"
	"io"
	"net/http"

	api "gitlab.com/gitlab-org/api/client-go"

	pb "betcode/proto/betcode/v1"
)

// The size of a part of a log, by default and at most, and of any answer.
const (
	defaultPiece = 64 << 10
	maxPiece     = 1 << 20
	maxBody      = 256 << 20
)

// GetJobLog implements GitLabService. A GitLab returns only whole logs, so the service reads the
// whole log each time and keeps only the requested part.
func (s *Service) GetJobLog(ctx context.Context, r *pb.GetJobLogRequest) (*pb.GetJobLogResponse, error) {
	return do(ctx, s, "get job log", r.GetProject(), func(q *request) (*pb.GetJobLogResponse, error) {
		id, err := number(q.op, "job_id", r.GetJobId())
		if err != nil {
			return nil, err
		}
		if r.GetTail() && r.GetOffset() > 0 {
			return nil, invalid(q.op, "the last piece has no offset")
		}
		p := newPiece(r.GetOffset(), r.GetLimit(), r.GetTail())
		path := fmt.Sprintf("projects/%s/jobs/%d/trace", api.PathEscape(q.project), id)
		ask, err := q.client.NewRequest(http.MethodGet, path, nil, []api.RequestOptionFunc{q.context})
		if err != nil {
			return nil, q.failed(nil, err)
		}
		if answer, err := q.client.Do(ask, p); err != nil {
			return nil, q.failed(answer, err)
		}
		content, offset := p.content()
		return &pb.GetJobLogResponse{Content: content, Offset: offset, Total: p.seen}, nil
	})
}

// piece is a writer that keeps a part of its input: from an offset on, or the end.
type piece struct {
	offset uint64
	limit  int
	tail   bool
	kept   []byte
	seen   uint64 // bytes written so far
}

func newPiece(offset uint64, limit uint32, tail bool) *piece {
	if limit == 0 {
		limit = defaultPiece
	}
	return &piece{offset: offset, limit: int(min(limit, maxPiece)), tail: tail}
}

// Write implements io.Writer. It never fails.
func (p *piece) Write(b []byte) (int, error) {
	n := len(b)
	before := p.seen
	p.seen += uint64(n)
	if p.tail {
		if p.kept = append(p.kept, b...); len(p.kept) > 2*p.limit { // cut only at twice the limit, so that the cost of moving stays low
			p.kept = append(p.kept[:0], p.kept[len(p.kept)-p.limit:]...)
		}
		return n, nil
	}
	if p.offset > before {
		b = b[min(p.offset-before, uint64(n)):]
	}
	p.kept = append(p.kept, b[:min(len(b), p.limit-len(p.kept))]...)
	return n, nil
}

// content returns the part and its offset.
func (p *piece) content() (content []byte, offset uint64) {
	if !p.tail {
		return p.kept, min(p.offset, p.seen)
	}
	content = p.kept[max(0, len(p.kept)-p.limit):]
	return content, p.seen - uint64(len(content))
}

// bounded limits the body of every answer.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxBody), answer.Body}
	return answer, nil
}
