package recall

import (
	"errors"
	"io"
	"io/fs"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/claude/transcript"
	"betcode/messages"
	"betcode/messages/regular"
)

// Bounds of the transcripts of one conversation together. An agent has one for each working directory of a conversation; its commands
// can make any number of others.
const (
	maxFiles = 64
	maxBytes = 4 << 30
)

// Question is what a transcript is read for.
type Question struct {
	Run          messages.RunNumber
	Conversation string   // as the agent calls it
	Keys         []string // of messages that may be in it
	Compare      bool     // with the messages in the journal
}

// Ask returns what the transcript of a session is to be read for, when the run has ended, and whether it is to be read at all.
func Ask(r *messages.SessionRecord, inputs []messages.InputRecord) (Question, bool) {
	q := Question{Run: r.Run, Conversation: r.AgentSession, Compare: r.Restored}
	for _, in := range inputs {
		// Also one that the agent has not acknowledged: what it wrote may have been
		// cut off behind what it remembers.
		if in.State >= messages.InputWritten || in.Run != 0 {
			q.Keys = append(q.Keys, in.Key)
		}
	}
	return q, r.AgentSession != "" && (len(q.Keys)+len(r.InterruptedKeys) > 0 || r.Restored)
}

// Answer is what the transcript shows.
type Answer struct {
	Run     messages.RunNumber
	Known   map[string]bool     // the messages of the question that are part of the conversation, by key
	End     transcript.End      // of the newest turn; zero while that has not ended
	Lacking []transcript.Prompt // messages that the journal does not have, if they were asked for
	Path    string              // of the transcript
	Found   bool                // there is a transcript
	Err     error
}

// Read looks for the transcript below the agent's configuration directory. One that is not there shows nothing. Of several, for
// several working directories, the one with the newest message shows how the conversation ended. inJournal reports whether the journal
// has a message.
func (q Question) Read(environment []string, inJournal func(key string) (bool, error)) Answer {
	a := Answer{Run: q.Run, Known: map[string]bool{}}
	files, err := claude.Transcripts(environment, q.Conversation)
	if err != nil {
		a.Err = err
		return a
	}
	if len(files) > maxFiles {
		a.Found, a.Err = true, errors.New("there are too many transcripts of the conversation")
		return a
	}
	var newest transcript.Report
	left := allowance(maxBytes)
	for _, path := range files {
		a.Found = true
		report, err := readFile(path, q.Keys, &left)
		a.Err = errors.Join(a.Err, err)
		for key := range report.Known {
			a.Known[key] = true
		}
		if a.Path == "" || report.Newest().After(newest.Newest()) {
			newest, a.Path = report, path
		}
	}
	if a.Err != nil {
		return a
	}
	a.End = newest.End
	if q.Compare {
		a.Lacking, a.Err = newest.Since(inJournal)
	}
	return a
}

// readFile reads one transcript. One that is gone again shows nothing.
func readFile(path string, keys []string, left *allowance) (transcript.Report, error) {
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return transcript.Report{}, nil
	}
	if err != nil {
		return transcript.Report{}, err
	}
	defer file.Close()
	return transcript.Read(limited{file, left}, keys)
}

// allowance is how many bytes may still be read.
type allowance int64

// limited reads until the allowance is used up, which is an error.
type limited struct {
	io.Reader
	left *allowance
}

// Read implements io.Reader.
func (l limited) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if *l.left -= allowance(n); *l.left < 0 {
		return 0, errors.New("the transcripts of the conversation are too large")
	}
	return n, err
}
