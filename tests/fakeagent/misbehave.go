package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The steps no honest agent takes. What each does is in the package comment.

func exit(t *turn, arg string) error {
	t.a.out.drain(time.Second)
	os.Exit(size(arg, 1))
	return nil
}

func tornExit(t *turn, _ string) error {
	whole := encode(obj{"type": "assistant", "session_id": t.a.session.get(), "message": obj{"role": "assistant"}})
	t.a.out.raw(whole[:len(whole)/2])
	t.a.out.drain(time.Second)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func hang(t *turn, _ string) error {
	t.a.hung.Store(true)
	select {}
}

// deaf blocks the reader of its input, by a line that it writes itself, before it prints anything.
// So it reads no later input.
func deaf(t *turn, _ string) error {
	t.a.hung.Store(true)
	if _, err := os.Stdin.WriteString("\n"); err != nil {
		return complain("deaf: %v", err)
	}
	<-t.a.stuck
	if err := t.sayf("I hear nothing."); err != nil {
		return err
	}
	go func() {
		ends := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
		for {
			if n, _ := unix.Poll(ends, -1); n > 0 {
				break
			}
		}
		_ = os.Stdin.Close()
	}()
	return nil
}

func garbage(t *turn, _ string) error {
	t.a.out.raw([]byte("Segmentation fault (just kidding)\n{\"type\":\"assistant\",\n[1,2\n{\"type\":}\n42\n\"text\"\nnull\n"))
	return t.sayf("That was garbage.")
}

// noise writes a quarter of a megabyte at a time: lines of 4 KB that mean nothing.
func noise(t *turn, arg string) error {
	line := append(bytes.Repeat([]byte("\x01\xffnoise!"), 512), '\n')
	block := bytes.Repeat(line, 64)
	for {
		if _, err := os.Stat(arg); err == nil {
			return t.sayf("That was noise.")
		}
		if err := t.wait(0); err != nil {
			t.interruption("[Request interrupted by user]")
			return err
		}
		t.a.out.room(8 << 20)
		t.a.out.raw(block)
	}
}

func blank(t *turn, _ string) error {
	t.a.out.raw([]byte("\n   \n\t\n\r\n\n"))
	return t.sayf("That was nothing.")
}

func crlf(t *turn, _ string) error {
	t.a.out.setEnding("\r\n") // until the turn has ended
	return t.sayf("These lines end with CR LF.")
}

func invalidUTF8(t *turn, _ string) error {
	bad := encode(obj{
		"type": "stream_event", "session_id": t.a.session.get(), "parent_tool_use_id": nil,
		"event": obj{"type": "content_block_delta", "index": 0, "delta": obj{"type": "text_delta", "text": "<BAD>"}},
	})
	t.a.out.raw([]byte(strings.Replace(string(bad), "<BAD>", "caf\xe9 \xff\xfe \xc3( \xed\xa0\x80", 1) + "\n"))
	return t.sayf("That was not UTF-8.")
}

func bigLines(t *turn, arg string) error {
	text := filler(size(arg, 1<<20))
	return t.say(func(yield func(string) bool) { yield(text) }, 0)
}

func ignoreSignals(t *turn, _ string) error {
	t.a.stubborn.Store(true)
	return t.sayf("I will not go.")
}

func toStderr(t *turn, arg string) error {
	fmt.Fprintln(t.a.stderr, filler(size(arg, 80)))
	return t.sayf("Complained.")
}

// duplicateRequest prints its permission request twice; one answer is enough.
func duplicateRequest(t *turn, _ string) error {
	c := newCall("Bash", map[string]any{"command": "true", "description": "asked twice"})
	r := t.reply("tool_use")
	r.tool(c)
	r.ended()
	q := t.a.request(c)
	t.a.out.line(q.line)
	r.stop()
	v, err := t.a.await(t.ctx, q)
	if err != nil {
		t.rejected(err, c)
		return err
	}
	if _, err := t.settle(c, v); err != nil {
		return err
	}
	return t.sayf("Done.")
}

func unknownTypes(t *turn, _ string) error {
	a := t.a
	a.emit("telepathy", obj{"strength": 3})
	a.system("weather_changed", obj{"rain": true})
	a.out.line(obj{"no_type_at_all": true})
	a.out.line(obj{"type": 7})
	a.out.line(obj{"type": "control_request", "request_id": newUUID(), "request": obj{"subtype": "read_minds"}})
	r := t.reply("end_turn")
	r.event(obj{"type": "content_block_hologram", "index": 0}, nil)
	r.close(obj{"type": "hologram", "data": []int{1, 2, 3}})
	if err := r.text(strings.SplitAfterSeq("That was unheard of.", " "), 0); err != nil {
		return err
	}
	r.ended()
	r.stop()
	return nil
}
