package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// patience bounds every wait of the kit. It is long, because machines that run tests are busy; a wait ends as soon as
// its condition holds.
const patience = 3 * time.Minute

// Daemon is one running daemon process.
type Daemon struct {
	World *World

	command *exec.Cmd
	log     *logBuffer
	done    chan struct{}
	conn    *grpc.ClientConn
}

// Start runs a daemon in the world and returns when it serves.
func (w *World) Start(ctx context.Context) (*Daemon, error) {
	d := &Daemon{World: w, log: &logBuffer{}, done: make(chan struct{})}
	d.command = exec.Command(w.Binary, "--socket", w.Socket(), "daemon", "run") // so that its command line names the world
	d.command.Env, d.command.Dir = w.Environ(), w.Root
	d.command.Stdout, d.command.Stderr = d.log, d.log
	d.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.command.Start(); err != nil {
		return nil, fmt.Errorf("start daemon: %w", err)
	}
	go func() {
		_ = d.command.Wait() // how it ended is read from ProcessState
		close(d.done)
	}()
	if err := d.dial(ctx); err != nil {
		d.Kill()
		return nil, fmt.Errorf("%w\n%s", err, d.log)
	}
	return d, nil
}

// dial connects and waits until the health of the daemon is SERVING.
func (d *Daemon) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	go func() { // a daemon that has ended will never serve
		select {
		case <-d.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	options := append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(fastReconnect()),
		Calls(),
	}, d.World.Dial...)
	conn, err := grpc.NewClient("unix:"+d.World.Socket(), options...)
	if err != nil {
		return fmt.Errorf("dial daemon: %w", err)
	}
	d.conn = conn
	health := healthpb.NewHealthClient(conn)
	for {
		answer, err := health.Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
		if err == nil && answer.GetStatus() == healthpb.HealthCheckResponse_SERVING {
			return nil
		}
		if d.Ended() {
			return fmt.Errorf("the daemon has ended: %s", d.command.ProcessState)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the daemon does not serve: %w (%w)", err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// PID returns the process id of the daemon.
func (d *Daemon) PID() int { return d.command.Process.Pid }

// Beside is the same daemon over a connection of its own, which the caller closes.
func (d *Daemon) Beside(ctx context.Context) (*Daemon, error) {
	other := &Daemon{World: d.World, command: d.command, log: d.log, done: d.done}
	return other, other.dial(ctx)
}

// Calls are the options of a connection that is given to [Daemon.Over].
func Calls() grpc.DialOption {
	return grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.ForceCodecV2(codec{}))
}

// Over is the same daemon over a connection that the caller has made, with the options
// of [Calls], and closes.
func (d *Daemon) Over(conn *grpc.ClientConn) *Daemon {
	return &Daemon{World: d.World, command: d.command, log: d.log, done: d.done, conn: conn}
}

// Conn returns the connection to the daemon.
func (d *Daemon) Conn() *grpc.ClientConn { return d.conn }

// Agents returns the client of AgentService.
func (d *Daemon) Agents() pb.AgentServiceClient { return pb.NewAgentServiceClient(d.conn) }

// Admin returns the client of AdminService.
func (d *Daemon) Admin() pb.AdminServiceClient { return pb.NewAdminServiceClient(d.conn) }

// Search is its SearchService.
func (d *Daemon) Search() pb.SearchServiceClient { return pb.NewSearchServiceClient(d.conn) }

// Fleet is its FleetService.
func (d *Daemon) Fleet() pb.FleetServiceClient { return pb.NewFleetServiceClient(d.conn) }

// Kill ends the daemon by SIGKILL, and only the daemon.
func (d *Daemon) Kill() {
	_ = d.command.Process.Kill() // it may have ended by itself
	<-d.done
	if d.conn != nil {
		d.conn.Close() // not before: the daemon would see its clients leave
	}
}

// Stop asks the daemon to end with its agents and returns how long it took.
func (d *Daemon) Stop() (time.Duration, error) {
	began := time.Now()
	if d.conn != nil {
		d.conn.Close()
	}
	if err := d.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop daemon: %w", err)
	}
	select {
	case <-d.done:
		return time.Since(began), nil
	case <-time.After(patience):
		d.Kill()
		return 0, fmt.Errorf("the daemon did not stop within %s\n%s", patience, d.log)
	}
}

// Log returns what the daemon has written to its standard error so far. A pipe carries it, so a line may arrive later than its event. Wait
// for a line with [Daemon.Logged]; only the log of a daemon that has ended is complete.
func (d *Daemon) Log() string { return d.log.String() }

// Logged waits for a whole line of the log that fits, and returns it. It fails if none comes in time, or if the daemon has
// ended without one.
func (d *Daemon) Logged(what string, fits func(line string) bool) (string, error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		ended := d.Ended() // before the log is read: it is complete then
		log := d.Log()
		for line := range strings.Lines(log) {
			if strings.HasSuffix(line, "\n") && fits(line) {
				return line, nil
			}
		}
		switch {
		case ended:
			return "", fmt.Errorf("the daemon ended, and its log does not have %s\n%s", what, log)
		case time.Now().After(deadline):
			return "", fmt.Errorf("the daemon's log did not have %s within %s\n%s", what, patience, log)
		}
	}
}

// Indexed waits until the search index has all history, however long that takes, and returns at once if the daemon keeps no index.
func (d *Daemon) Indexed(ctx context.Context) error {
	for !d.Ended() {
		found, err := d.Search().Search(ctx, &pb.SearchRequest{Query: "x", PageSize: 1})
		if err == nil && found.GetEventsBehind() == 0 || status.Code(err) == codes.FailedPrecondition {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("wait for the search index: %w", errors.Join(ctx.Err(), err))
		}
	}
	return fmt.Errorf("the daemon ended before its index had all history\n%s", d.log)
}

// tcpAddress finds where the daemon listens.
var tcpAddress = regexp.MustCompile(`"address":"([^"]+)","tls":(?:true|false),[^\n]*"message":"daemon listens on TCP"`)

// TCPAddress waits for the daemon to log where it listens on TCP, and returns that.
func (d *Daemon) TCPAddress() (string, error) {
	line, err := d.Logged("an address of TCP", tcpAddress.MatchString)
	if err != nil {
		return "", err
	}
	return tcpAddress.FindStringSubmatch(line)[1], nil
}

// logBuffer collects output that is read while it grows.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String returns everything written so far.
func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// End kills the remaining processes of the world by pid and reports them.
func (w *World) End() []int {
	left := w.Left()
	for _, pid := range left {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may be gone
		}
	}
	return left
}

// Ended reports whether the daemon process has ended.
func (d *Daemon) Ended() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}
