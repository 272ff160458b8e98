package voice

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/gateway/portal/wire"
)

// A page records. Frames before StartVoice and about another session are ignored; a second recording follows.
func TestRecording(t *testing.T) {
	r := enter(t, recogniser("count"))
	r.speak(8192)
	r.send(wire.StopVoice{SessionID: session})
	r.send(wire.StartVoice{SessionID: other})
	r.speak(8192)
	for range 2 {
		r.send(wire.StartVoice{SessionID: session, LanguageCode: "de-DE"})
		for range 8 {
			r.speak(8192)
		}
		r.send(wire.StopVoice{SessionID: other})
		r.speak(1000)
		r.send(wire.StopVoice{SessionID: session})
		r.speak(8192)
		r.expect(text("listening", false, 0.25), text("heard 66536", true, 0.5), wire.VoiceEnded{SessionID: session})
	}
}

// A second StartVoice replaces the first, whose recogniser and its children end.
func TestSecondStartReplacesTheFirst(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	r := enter(t, recogniser("deaf:"+pid))
	r.send(wire.StartVoice{SessionID: session})
	child := childOf(t, pid)
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	r.send(wire.StartVoice{SessionID: session})
	second := childOf(t, pid)
	gone(t, child)
	_ = r.page.CloseNow()
	gone(t, second)
}

func TestRecogniserFails(t *testing.T) {
	for name, c := range map[string]struct {
		with Recogniser
		want string
	}{
		"none":       {nil, "Speech-to-text not configured on server"},
		"not there":  {Command{[]string{"/nonexistent/recogniser"}}, "Failed to start speech recognition: "},
		"no program": {Command{}, "Failed to start speech recognition: no program"},
		"fails":      {recogniser("fail"), "Speech recognition failed: exit status 3: no model[2J"},
		"100 MB":     {recogniser("flood"), "Speech recognition failed: the recogniser writes too much"},
	} {
		r := enter(t, c.with)
		r.send(wire.StartVoice{SessionID: session})
		r.send(wire.StopVoice{SessionID: session})
		all := r.hears()
		if e, ok := all[len(all)-1].(wire.VoiceError); !ok || e.SessionID != session || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%s: %v, want %s", name, all, c.want)
		}
	}
	r := enter(t, recogniser("many"))
	r.send(wire.StartVoice{SessionID: session})
	if all := r.hears(); len(all) != maxResults+1 {
		t.Errorf("%d results", len(all)-1)
	}
	r = enter(t, recogniser("short"))
	r.send(wire.StartVoice{SessionID: session})
	r.speak(8192)
	r.expect(text("enough", true, 0), wire.VoiceEnded{SessionID: session})
	r.speak(8192) // the recogniser has ended
	r.send(wire.StopVoice{SessionID: session})
}

func TestResultsAreText(t *testing.T) {
	r := enter(t, recogniser("escapes"))
	r.send(wire.StartVoice{SessionID: session})
	r.send(wire.StopVoice{SessionID: session})
	r.expect(text("[2Jred ]0;titleevil end", true, 0), text("[31mjson", true, 0), wire.VoiceEnded{SessionID: session})
}

// A recogniser gets no secrets from the environment.
func TestEnvironment(t *testing.T) {
	t.Setenv("SESSION_SECRET", "s3cret")
	t.Setenv("BETCODE_TOKEN_FILE", "/s3cret")
	t.Setenv("ANTHROPIC_API_KEY", "s3cret")
	r := enter(t, recogniser("environment"))
	r.send(wire.StartVoice{SessionID: session, LanguageCode: "fr-FR"})
	r.send(wire.StopVoice{SessionID: session})
	all := fmt.Sprint(r.hears())
	if strings.Contains(all, "s3cret") || !strings.Contains(all, "BETCODE_LANGUAGE=fr-FR") || !strings.Contains(all, "BETCODE_AUDIO_TYPE="+PCM) || !strings.Contains(all, "PATH=") {
		t.Error(all)
	}
}

// A recording has at most ten minutes of audio, and ends if its recogniser reads none.
func TestRecordingIsBounded(t *testing.T) {
	r := enter(t, recogniser("count"))
	r.send(wire.StartVoice{SessionID: session})
	for range MaxAudio/(200<<10) + 1 {
		r.speak(200 << 10)
	}
	all := r.hears()
	if want := (wire.VoiceError{SessionID: session, Message: "Speech recognition failed: " + ErrTooLong.Error()}); all[len(all)-1] != want {
		t.Errorf("%v", all)
	}
}

// A page that keeps its socket open and sends nothing gets an error, and its recogniser ends.
func TestSilence(t *testing.T) {
	for _, starts := range []bool{true, false} {
		s := New(recogniser("count"), 0, nil)
		s.silence, s.idle = 100*time.Millisecond, 100*time.Millisecond
		r := enterService(t, s)
		if starts {
			r.send(wire.StartVoice{SessionID: session})
		}
		all := r.hears()
		if want := (wire.VoiceError{SessionID: session, Message: "Nothing was heard for a while"}); all[len(all)-1] != want {
			t.Errorf("%v", all)
		}
		if kind, _, err := r.page.Read(t.Context()); err == nil {
			t.Errorf("another frame of kind %d", kind)
		}
	}
}

func TestTranscribe(t *testing.T) {
	s := New(recogniser("count"), 0, nil)
	got, err := s.Transcribe(t.Context(), Audio{Reader: strings.NewReader("12345"), Type: "audio/wav"})
	if err != nil || got != "heard 5" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := s.Transcribe(t.Context(), Audio{Reader: io.LimitReader(zeros{}, MaxAudio+1), Type: "audio/wav"}); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if _, err := New(nil, 0, nil).Transcribe(t.Context(), Audio{Reader: strings.NewReader("")}); !errors.Is(err, ErrOff) {
		t.Errorf("none: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	s := New(nil, 2, nil)
	first, _ := s.Enter("ann")
	if _, ok := s.Enter("ann"); ok {
		t.Error("one caller takes both places")
	}
	if _, ok := s.Enter("bob"); !ok {
		t.Error("the second place is taken")
	}
	if _, ok := s.Enter("eve"); ok {
		t.Error("there is a third place")
	}
	first()
	if _, ok := s.Enter("ann"); !ok {
		t.Error("a place that was left is taken")
	}
}

// For any output of a recogniser, results are short and have only visible characters.
func FuzzResults(f *testing.F) {
	f.Add([]byte("hello\n{\"text\":\"x\",\"final\":false}\n"))
	f.Add([]byte("\x1b[2J\xff\n{\"text\":\"\\u202e\"}\n{"))
	f.Fuzz(func(t *testing.T, said []byte) {
		check := func(r Result) {
			if r.Text == "" || len(r.Text) > maxResult || clean(r.Text) != r.Text || r.Confidence < 0 || r.Confidence > 1 {
				t.Errorf("%+v", r)
			}
		}
		_ = results(bytes.NewReader(said), check) // either is fine
		_ = values(bytes.NewReader(said), check)
	})
}

// Only tags of languages reach a recogniser.
func TestLanguageOf(t *testing.T) {
	for tag, want := range map[string]string{
		"de-DE": "de-DE", "zh-Hant-TW": "zh-Hant-TW", "es-419": "es-419",
		"": "en-US", "-x": "en-US", "de_DE": "en-US", "de;id": "en-US", "$(id)": "en-US", "de DE": "en-US", "dé": "en-US", strings.Repeat("a", 36): "en-US",
	} {
		if got := languageOf(tag); got != want {
			t.Errorf("languageOf(%q) = %q, want %q", tag, got, want)
		}
	}
}
