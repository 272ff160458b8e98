package translate

import (
	"maps"
	"strings"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of health.proto.

// DegradedStates is the metadata key of the degraded states, with the names of the API document.
const DegradedStates = "degraded_states"

// OverallOut returns the status of the daemon. As in the API document, only critical components matter.
func OverallOut(v messages.HealthView) pb.ServingStatus {
	for _, c := range v.Components {
		if c.Critical && !c.Serving {
			return pb.ServingStatus_NOT_SERVING
		}
	}
	return pb.ServingStatus_SERVING
}

// HealthOut translates the state of all components.
func HealthOut(v messages.HealthView) *pb.HealthDetailsResponse {
	out := &pb.HealthDetailsResponse{OverallStatus: OverallOut(v), Metadata: maps.Clone(v.Metadata)}
	var reasons, states []string
	for _, c := range v.Components {
		status := pb.ServingStatus_SERVING
		if !c.Serving {
			status = pb.ServingStatus_NOT_SERVING
		}
		out.Degraded = out.Degraded || c.Degraded()
		for _, text := range []string{c.Reason, c.Impact} {
			if text != "" {
				reasons = append(reasons, strings.TrimRight(text, ".")+".")
			}
		}
		if c.State != "" {
			states = append(states, c.State)
		}
		out.Components = append(out.Components, &pb.ComponentHealth{
			Name: c.Name, Status: status, Message: strings.ToValidUTF8(c.Message, "?"), LastCheck: TimeOut(c.Checked),
		})
	}
	out.Degraded = out.Degraded && out.GetOverallStatus() == pb.ServingStatus_SERVING
	out.DegradedReason = strings.ToValidUTF8(strings.Join(reasons, " "), "?")
	if len(states) > 0 {
		if out.Metadata == nil {
			out.Metadata = map[string]string{}
		}
		out.Metadata[DegradedStates] = strings.Join(states, ",")
	}
	return out
}

// StandardOut translates a status into that of grpc.health.v1, which has the same values.
func StandardOut(s pb.ServingStatus) healthpb.HealthCheckResponse_ServingStatus {
	return healthpb.HealthCheckResponse_ServingStatus(s)
}
