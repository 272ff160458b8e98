package actors

import (
	"context"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
)

const target = "betcode/actors"

// logs reports whether anything of a level is shown, so that a caller can skip work that
// serves the log alone.
func (s *System) logs(level zerolog.Level) bool {
	return level >= s.log.GetLevel() && level >= zerolog.GlobalLevel()
}

// logOf returns the log of a part of the tree.
func (s *System) logOf(span string) *zerolog.Logger {
	log := s.log.With().Str(act.LogTarget, target).Str(act.LogSpan, span).Logger()
	return &log
}

// libraryLog bridges the actor library's log. Its dead letter lines carry the
// payload of messages, which must not be logged.
func (s *System) libraryLog(system *actor.ActorSystem) *slog.Logger {
	quiet := s.log.Level(max(s.log.GetLevel(), zerolog.WarnLevel)).With().Str(act.LogTarget, "protoactor").Str(act.LogSpan, "daemon").Logger()
	return slog.New(dropPayload{zerolog.NewSlogHandler(quiet)}).With("system", system.ID)
}

// dropPayload keeps message payloads out of the log.
type dropPayload struct{ slog.Handler }

// Handle implements slog.Handler.
func (d dropPayload) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "message" {
			clean.AddAttrs(a)
		}
		return true
	})
	return d.Handler.Handle(ctx, clean)
}
