package gitlab

import (
	"context"
	"fmt"
	"io"
	"net/http"

	api "gitlab.com/gitlab-org/api/client-go"

	pb "betcode/proto/betcode/v1"
)

// What is handed over of a log at once, unless it is said and at most, and what is
// read of any answer at all.
const (
	defaultPiece = 64 << 10
	maxPiece     = 1 << 20
	maxBody      = 256 << 20
)

// GetJobLog implements GitLabService. A GitLab hands out whole logs only, so all of
// it is read each time; what is kept of it is the piece.
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

// piece keeps a part of what is written to it: from an offset on, or the end.
type piece struct {
	offset uint64
	limit  int
	tail   bool
	kept   []byte
	seen   uint64 // bytes written to it
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
		if p.kept = append(p.kept, b...); len(p.kept) > 2*p.limit { // moved seldom, so that it costs little
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

// content is what was kept, and where it begins.
func (p *piece) content() (content []byte, offset uint64) {
	if !p.tail {
		return p.kept, min(p.offset, p.seen)
	}
	content = p.kept[max(0, len(p.kept)-p.limit):]
	return content, p.seen - uint64(len(content))
}

// bounded cuts every answer: whatever a server sends, it is not all read.
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
