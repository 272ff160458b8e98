package grpcapi

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// unknownKey is the metadata key of the number of unknown fields that were received.
const unknownKey = "unknown_fields_received"

// The polling interval while a client watches the health, and the time limit of one poll.
const (
	healthInterval = 5 * time.Second
	healthTimeout  = 3 * time.Second
)

// status returns the health of a service by the name that probes use: empty for the whole
// daemon, "betcode.v1.AgentService", or "AgentService".
func (s *Server) status(ctx context.Context, service string) pb.ServingStatus {
	if !s.serves(service) {
		return pb.ServingStatus_SERVICE_UNKNOWN
	}
	if ready, _ := s.readiness(); !ready {
		return pb.ServingStatus_NOT_SERVING
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	view, err := handler.Ask[messages.HealthView](ctx, s.asker, messages.GetHealth{})
	if err != nil {
		return pb.ServingStatus_NOT_SERVING
	}
	return translate.OverallOut(view)
}

func (s *Server) serves(service string) bool {
	if service == "" {
		return true
	}
	services := s.grpc.GetServiceInfo()
	if _, ok := services[service]; ok {
		return true
	}
	_, ok := services["betcode.v1."+service]
	return ok && !strings.Contains(service, ".")
}

// watch calls send with the status, and again after each change.
func (s *Server) watch(ctx context.Context, service string, send func(pb.ServingStatus) error) error {
	tick := time.NewTicker(healthInterval)
	defer tick.Stop()
	last := pb.ServingStatus(-1)
	for {
		_, changed := s.readiness()
		if now := s.status(ctx, service); now != last {
			if err := send(now); err != nil {
				return err
			}
			last = now
		}
		select {
		case <-tick.C:
		case <-changed:
		case <-s.draining:
			if last != pb.ServingStatus_SERVICE_UNKNOWN && last != pb.ServingStatus_NOT_SERVING {
				if err := send(pb.ServingStatus_NOT_SERVING); err != nil {
					return err
				}
			}
			return handler.ShuttingDown()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func errUnknownService(service string) error {
	return messages.Errorf("check health", messages.NotFound, "there is no service %q", wire.Printable(service)).
		WithHint("Leave the service empty to check the daemon as a whole.")
}

// standardHealth is grpc.health.v1.Health, which process managers use.
type standardHealth struct {
	healthpb.UnimplementedHealthServer
	server *Server
}

// Check implements grpc.health.v1.Health.
func (h standardHealth) Check(ctx context.Context, r *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	now := h.server.status(ctx, r.GetService())
	if now == pb.ServingStatus_SERVICE_UNKNOWN {
		return nil, errUnknownService(r.GetService())
	}
	return &healthpb.HealthCheckResponse{Status: translate.StandardOut(now)}, nil
}

// Watch implements grpc.health.v1.Health.
func (h standardHealth) Watch(r *healthpb.HealthCheckRequest, stream grpc.ServerStreamingServer[healthpb.HealthCheckResponse]) error {
	return h.server.watch(stream.Context(), r.GetService(), func(s pb.ServingStatus) error {
		return stream.Send(&healthpb.HealthCheckResponse{Status: translate.StandardOut(s)})
	})
}

// healthService is the same service under betcode.v1.
type healthService struct {
	pb.UnimplementedHealthServer
	server *Server
}

// Check implements Health.
func (h healthService) Check(ctx context.Context, r *pb.HealthCheckRequest) (*pb.HealthCheckResponse, error) {
	now := h.server.status(ctx, r.GetService())
	if now == pb.ServingStatus_SERVICE_UNKNOWN {
		return nil, errUnknownService(r.GetService())
	}
	return &pb.HealthCheckResponse{Status: now}, nil
}

// Watch implements Health.
func (h healthService) Watch(r *pb.HealthCheckRequest, stream grpc.ServerStreamingServer[pb.HealthCheckResponse]) error {
	return h.server.watch(stream.Context(), r.GetService(), func(s pb.ServingStatus) error {
		return stream.Send(&pb.HealthCheckResponse{Status: s})
	})
}

// detailsService is BetCodeHealth.
type detailsService struct {
	pb.UnimplementedBetCodeHealthServer
	server *Server
}

// GetHealthDetails implements BetCodeHealth.
func (h detailsService) GetHealthDetails(ctx context.Context, _ *pb.HealthDetailsRequest) (*pb.HealthDetailsResponse, error) {
	view, err := handler.Ask[messages.HealthView](ctx, h.server.asker, messages.GetHealth{})
	if err != nil {
		return nil, err
	}
	out := translate.HealthOut(h.server.withLocalServer(view, time.Now()))
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	out.Metadata[unknownKey] = strconv.FormatInt(h.server.interceptor.UnknownFields(), 10)
	page := h.server.summaries.Page()
	recent, err := handler.Ask[messages.SessionList](ctx, h.server.asker, messages.ListSessions{Limit: limitedAmong, Known: page.Known})
	if err != nil {
		return out, nil //nolint:nilerr // the health of the components reports the failure
	}
	out.RateLimitedSessions, out.RateLimitedUntil, err = page.Limits(recent, time.Now())
	return out, err
}

// withLocalServer adds the gateway as a component. It does not serve until recovery has ended, nor during shutdown.
func (s *Server) withLocalServer(v messages.HealthView, now time.Time) messages.HealthView {
	ready, _ := s.readiness()
	c := messages.ComponentHealth{Name: "local_server", Serving: ready, Critical: true, Checked: now}
	if !ready {
		c.Message = "recovering, or shutting down"
		c.Reason, c.Impact = "Daemon is not ready", "It serves when what was going on before has been found, and until it ends"
	}
	v.Components = append(slices.Clip(v.Components), c)
	return v
}

// limitedAmong is the number of sessions, most recently used first, that are checked for limits of the account.
const limitedAmong = 1000
