package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"betcode/messages"
)

// of returns the series of an entry.
func (l *Log) of(e messages.AuditEntry) *series {
	if refusal(e) {
		return l.refusals
	}
	return l.decisions
}

// complete sets the fields of an entry that the log itself determines.
func (l *Log) complete(e messages.AuditEntry) messages.AuditEntry {
	e.CreatedAt = l.options.Now().UTC()
	if l.options.MaxAge > 0 {
		e.ExpiresAt = e.CreatedAt.Add(l.options.MaxAge)
	}
	e.Severity = messages.AuditSeverity(e)
	if id, err := uuid.NewV7(); err == nil {
		e.EventID = id.String()
	}
	if len(e.Input) > 0 {
		sum := sha256.Sum256(e.Input)
		e.InputHash, e.InputPreview = hex.EncodeToString(sum[:]), l.options.Mask.Preview(string(e.Input))
	}
	e.ErrorMessage = l.options.Mask.Preview(e.ErrorMessage)
	e.ActorID, e.Tool = l.options.Mask.Preview(e.ActorID), l.options.Mask.Preview(e.Tool)
	if len(e.Context) > 0 {
		masked := make(map[string]string, len(e.Context))
		for key, value := range e.Context {
			masked[key] = l.options.Mask.Preview(value)
		}
		e.Context = masked
	}
	return e
}

// write appends an entry with the next number.
func (l *Log) write(e messages.AuditEntry) error {
	s := l.of(e)
	if err := l.turn(s, e.CreatedAt); err != nil {
		return err
	}
	e.ID = l.next
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := s.append(append(line, '\n')); err != nil {
		return err
	}
	l.next++
	if l.sync == nil {
		l.sync = time.AfterFunc(syncAfter, l.syncNow)
	}
	return nil
}
