package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"betcode/messages"
)

// roleVariable makes this test binary play a role.
const roleVariable = "BETCODE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "agent":
		fakeAgent()
	case "deaf": // an agent that never reads
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "closing": // an agent that closes its input while bytes are in it
		fmt.Println("ready")
		ends := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
		for {
			if n, _ := unix.Poll(ends, -1); n > 0 {
				break
			}
		}
		os.Stdin.Close()
		time.Sleep(time.Hour)
	case "daemon":
		fakeDaemon()
	case "writer":
		fakeWriter()
	default:
		goleak.VerifyTestMain(m)
	}
}

// fakeAgent carries out each line of its stdin, and answers with a line.
func fakeAgent() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	fmt.Println("ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			os.Exit(99)
		}
		word, arg, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "exit":
			code, _ := strconv.Atoi(arg)
			os.Exit(code)
		case "kill":
			number, _ := strconv.Atoi(arg)
			syscall.Kill(os.Getpid(), syscall.Signal(number))
			time.Sleep(time.Hour)
		case "writer":
			fmt.Println(arg)
		case "env":
			fmt.Println(os.Getenv(arg))
		case "child": // in a session of its own, as Claude Code's Bash
			child := exec.Command("/bin/sh", "-c", arg)
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := child.Start(); err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(child.Process.Pid)
			go child.Wait()
		default: // a long line: was it whole?
			fmt.Println(len(line), strings.Count(line, "x"))
		}
	}
}

// fakeDaemon starts the agent of a Spec and then does nothing, until killed.
func fakeDaemon() {
	var spec Spec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		panic(err)
	}
	p, err := Spawn(context.Background(), spec)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.Identity().PID)
	time.Sleep(time.Hour)
}

// fakeWriter adopts the agent of a RunRecord and writes one line of 900 KB when it gets
// a line. The test tries to kill it meanwhile.
func fakeWriter() {
	var record messages.RunRecord
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&record); err != nil {
		panic(err)
	}
	p, _, err := Adopt(context.Background(), record)
	if err != nil || p == nil {
		fmt.Println(err)
		os.Exit(1)
	}
	line := []byte(strings.Repeat("x", 900_000) + "\n")
	fmt.Println("ready")
	io.ReadAll(io.MultiReader(in.Buffered(), os.Stdin))
	p.WriteLine(line)
	time.Sleep(time.Hour)
}

// helper starts this test binary in a role.
func helper(t *testing.T, role string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, in, bufio.NewReader(out)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
