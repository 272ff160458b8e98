package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// socketScenarios attack the daemon's socket with the rights of any process of its user in the socket's directory.
var socketScenarios = []siege.Scenario{
	{Name: "socket: deleted without end", Attack: attackSocketFile},
	{Name: "socket: a link in the place of its directory", Attack: attackSocketDirectory},
	{Name: "socket: another listener", Attack: attackSocketListener},
}

// reachable reports whether a new client gets an answer.
func reachable(s *siege.Siege) bool {
	return s.Becomes(func() bool {
		_, code := s.Cli("health")
		return code == 0
	})
}

// descriptors counts the open files of the daemon.
func descriptors(s *siege.Siege) int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Daemon.PID()))
	s.Must(err, "look at the daemon's files")
	return len(open)
}

// answers reports whether a client that is connected gets an answer in time.
func answers(s *siege.Siege) bool {
	ctx, cancel := context.WithTimeout(s, 10*time.Second)
	defer cancel()
	_, err := s.Daemon.Agents().ListSessions(ctx, &pb.ListSessionsRequest{})
	return err == nil
}

// attackSocketFile deletes the socket whenever it exists, then creates many files beside it.
func attackSocketFile(s *siege.Siege) {
	path, before, served := s.World.Socket(), descriptors(s), true
	deleted := 0
	for end := time.Now().Add(15 * time.Second); deleted < 10_000 && time.Now().Before(end); {
		if err := os.Remove(path); err == nil {
			if deleted++; deleted%500 == 0 {
				served = served && answers(s)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			s.Fail("delete the socket: %v", err)
		}
	}
	s.Held("clients that are connected are served", served && answers(s), "they are not")
	s.Held("it is made again", reachable(s), "it is not, after %d times", deleted)
	s.Held("no files stay open", descriptors(s) < before+50, "%d of %d", descriptors(s), before)
	told := strings.Count(s.Daemon.Log(), "made again")
	s.Held("the log stays short", told < 200, "%d lines about it for %d times", told, deleted)

	for i := range 50_000 {
		file, err := os.Create(filepath.Join(filepath.Dir(path), fmt.Sprint("many", i)))
		s.Must(err, "make a file")
		file.Close()
		if i%10_000 == 0 {
			s.Held(fmt.Sprintf("it is made again among %d files", i), os.Remove(path) == nil && reachable(s), "it is not")
		}
	}
	s.Held("clients are served among many files", answers(s), "they are not")
}

// attackSocketDirectory replaces the socket's directory with a link to a directory of the user.
func attackSocketDirectory(s *siege.Siege) {
	dir, away := filepath.Dir(s.World.Socket()), filepath.Join(s.World.Root, "away")
	s.Write(filepath.Join(away, "file"), "of the user")
	s.Must(os.Chmod(away, 0o755), "open a directory") //nolint:gosec // the daemon would change it to 0700
	s.Until("a link takes the place", func() bool {   // the daemon may make the directory again in between
		return os.Rename(dir, dir+uuid.NewString()) == nil && os.Symlink(away, dir) == nil
	})
	held := !s.BecomesQuickly(func() bool {
		info, err := os.Stat(away)
		return err != nil || info.Mode().Perm() != 0o755 || s.Exists(filepath.Join(away, filepath.Base(s.World.Socket())))
	})
	s.Held("no directory is closed or used behind a link", held, "it is")
	s.Held("clients that are connected are served", answers(s), "they are not")
	s.Must(os.Remove(dir), "remove the link")
	s.Held("the socket is made again", reachable(s), "it is not")
}

// attackSocketListener listens in the place of the daemon, as the same user.
func attackSocketListener(s *siege.Siege) {
	path := s.World.Socket()
	for name, said := range map[string]string{"says nothing": "", "says something else": "HTTP/1.1 200 \x1b]0;owned\x07\u202e\r\n\r\n\x1b[2J"} {
		s.Must(os.Remove(path), "remove the socket")
		l, err := net.Listen("unix", path)
		for err != nil { // the daemon was faster
			_ = os.Remove(path)
			l, err = net.Listen("unix", path)
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte(said))
				defer conn.Close()
			}
		}()
		for _, args := range [][]string{{"session", "list"}, {"health"}, {"doctor"}, {"__complete", "session", "show", ""}} {
			ctx, cancel := context.WithTimeout(s, time.Minute)
			command := exec.CommandContext(ctx, s.World.Binary, args...)
			command.Env, command.Dir = s.World.Environ(), s.World.Project
			out, _ := command.CombinedOutput()
			s.Held(fmt.Sprintf("%s ends when a listener %s", args[0], name), ctx.Err() == nil && siege.Plain(string(out)), "%q", out)
			cancel()
		}
		s.Held("the daemon says that another file is there", s.Becomes(func() bool { return strings.Contains(s.Daemon.Log(), "another file is at") }), "it does not")
		l.Close() // it takes its file away
		s.Held("it is made again", reachable(s), "it is not")
	}
}
