package requests

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"betcode/messages"
)

// kind is a kind of answer that is a result, under a name that stays.
type kind struct {
	name string
	is   func(messages.Reply) bool
	read func(says []byte) (messages.Reply, error)
}

func kindOf[R messages.Reply](name string) kind {
	return kind{
		name: name,
		is:   func(answer messages.Reply) bool { _, ok := answer.(R); return ok },
		read: func(says []byte) (messages.Reply, error) {
			var answer R
			err := json.Unmarshal(says, &answer)
			return answer, err
		},
	}
}

// kinds are all of them: append only, journals and the files of changes of worktrees have their names.
var kinds = []kind{
	kindOf[messages.Done]("done"),
	kindOf[messages.InputAcknowledged]("input"),
	kindOf[messages.TurnCanceling]("canceling"),
	kindOf[messages.PermissionAnswered]("answered"),
	kindOf[messages.SessionStopped]("stopped"),
	kindOf[messages.SessionContinued]("continued"),
	kindOf[messages.SessionRestarted]("restarted"),
	kindOf[messages.WorktreeView]("worktree"),
	kindOf[messages.WorktreeRemoved]("worktree_removed"),
	kindOf[messages.WorktreeSwitched]("worktree_switched"),
	kindOf[messages.RepositoryView]("repository"),
	kindOf[messages.RepositoryUnregistered]("repository_unregistered"),
	kindOf[messages.BranchView]("branch"),
	kindOf[messages.RepeatStopped]("repeat_stopped"),
}

// stored is a result in the journal: the name of its kind, then its fields.
type stored struct {
	Answer string          `json:"answer"`
	Says   json.RawMessage `json:"says"`
}

var errNoResult = errors.New("this answer is no result of a request")

// Encode returns a result as the journal stores it. It fails for an answer that is no result, such as an error.
func Encode(answer messages.Reply) ([]byte, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.is(answer) })
	if i < 0 {
		return nil, errNoResult
	}
	says, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return json.Marshal(stored{kinds[i].name, says})
}

// Decode returns a result that [Encode] encoded.
func Decode(text []byte) (messages.Reply, error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == s.Answer })
	if i < 0 {
		return nil, errNoResult
	}
	return kinds[i].read(s.Says)
}

// InputDigest returns the digest of a message to an agent.
func InputDigest(content string, attachments []messages.Attachment, repeat *messages.Repeat) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(content) // a hash takes everything
	for _, a := range attachments {
		_ = json.NewEncoder(h).Encode(a)
	}
	if repeat != nil {
		_ = json.NewEncoder(h).Encode(repeat)
	}
	return h.Sum(nil)
}
