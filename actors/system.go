package actors

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/internal/act"
	"betcode/actors/internal/checks"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/fork"
	"betcode/actors/internal/git"
	"betcode/actors/internal/launchplan"
	"betcode/actors/internal/notify"
	"betcode/actors/internal/process"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/queries"
	"betcode/actors/internal/ruleset"
	"betcode/actors/internal/sidecar"
	"betcode/actors/internal/spool"
	"betcode/actors/internal/ticket"
	"betcode/actors/internal/workdir"
	"betcode/actors/journal"
	"betcode/actors/orchestration"
	"betcode/actors/retention"
	"betcode/actors/run"
	"betcode/actors/search"
	"betcode/actors/settings"
	"betcode/actors/worktree"
	"betcode/messages"
	"betcode/supervision"
)

// System is the running actor system: the tree of actors, and the entry point
// of the gateway.
type System struct {
	options    Options
	log        zerolog.Logger
	policy     supervision.Policy
	now        func() time.Time
	executor   *supervision.Executor // runs actors and their workers
	tree       *supervision.Tree
	watcher    *spool.Watcher
	actors     *actor.ActorSystem
	crashes    crashes
	background *act.Worker // I/O that belongs to no actor: removing directories
	auditor    *act.Worker // writes the audit log; never closed, so that no entry is dropped at the end
	archivist  *act.Worker // archives spools
	workers    act.Workers // all goroutines of the system
	notifier   *notify.Notifier
	searcher   *search.Searcher
	started    time.Time

	settings    atomic.Pointer[settings.Settings] // the present settings
	rules       ruleset.Live                      // the parsed rules of settings
	directories *workdir.Reviewer
	protected   *protect.List
	planner     *launchplan.Planner
	queries     *queries.Queries
	checks      *checks.Checks
	forker      *fork.Forker
	slots       atomic.Pointer[messages.SlotQueue] // written by the pool's actor alone; nil before its first report
	room        *disk.Meter
	archiver    *retention.Archiver
	damage      journal.Damage       // found in the journal's files
	backup      journal.BackupHealth // of scheduled backups
	versions    *sidecar.Versions
	fleet       *sidecar.Fleet
	limits      *sidecar.Limits
	tickets     *ticket.Registry
	stops       *sidecar.Stops
	cgroups     process.Cgroups
	git         *git.Git
	registry    *worktree.Registry // nil = no worktrees are kept
	spawning    spawns
	names       names
	repos       *worktree.Repositories
	plans       *orchestration.Registry // nil = no orchestrations are kept
	endings     endings                 // of subagents

	day *daybudget.Ledger

	daemon, disk, journal, pool, daily, sessions, health, worktrees, orchestrations *actor.PID

	draining  atomic.Bool   // the daemon ends; see [System.Drain]
	ready     chan struct{} // closed when the journal's unfinished sessions have been started
	readyOnce sync.Once
	shutdown  chan messages.Shutdown // capacity 1
}

// Start builds the tree and begins recovery: it starts the sessions with work left,
// which adopt the agents that live. [System.Ready] is closed when all of these
// sessions have been found.
func Start(o Options) (*System, error) { return startWith(o, spool.NewWatcher()) }

func startWith(o Options, watcher *spool.Watcher) (*System, error) {
	s := &System{
		options: o, log: *o.Logger, policy: o.Restart, now: o.Now,
		ready: make(chan struct{}), shutdown: make(chan messages.Shutdown, 1),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if o.Mask == nil {
		s.options.Mask = func(string) string { return "***" }
	}
	if o.Audit == nil {
		s.options.Audit = func(messages.AuditEntry) {}
	}
	s.options.LockGrace = cmp.Or(o.LockGrace, 10*time.Second)
	if o.Settings == nil {
		defaults := settings.Default()
		o.Settings = &defaults
	}
	s.settings.Store(o.Settings)
	if s.options.AgentRestart == (supervision.Policy{}) {
		s.options.AgentRestart = o.Restart
	}
	s.setRules(o.Settings.Rules)
	s.directories = workdir.New(workdir.Deps{Source: o.Directories, Own: claude.Home(o.Environment), Log: s.logOf("trust")})
	s.protected = checks.Protected(o.Environment, o.Home, o.Protected)
	s.options.Disk.SpoolQuota = max(cmp.Or(o.Disk.SpoolQuota, run.SpoolQuota), 0)
	s.room = newMeter(o)
	var err error
	if s.cgroups, err = process.FindCgroups(o.RunsDirectory); err != nil {
		s.logOf("daemon").Info().Err(err).Msg("no control groups for agents; leftover processes are found by their environment")
	}
	s.tickets = newTickets(o.RunsDirectory)
	s.planner = launchplan.New(s.planDeps())
	s.queries = queries.New(s.queriesDeps())
	s.checks = checks.New(s.checksDeps())
	s.forker = fork.New(s.forkDeps())
	if s.versions, err = sidecar.LoadVersions(o.VersionsFile); err != nil {
		s.logOf("daemon").Warn().Err(err).Msg("facts about versions of the agent are lost")
	}
	if s.fleet, err = sidecar.LoadFleet(o.FleetFile, s.now()); err != nil {
		s.logOf("daemon").Warn().Err(err).Msg("the stop of the fleet cannot be read; the fleet stays stopped")
	}
	if s.limits, err = sidecar.LoadLimits(o.LimitsFile); err != nil {
		s.logOf("daemon").Warn().Err(err).Msg("rate limits of an earlier daemon cannot be read")
	}
	if s.stops, err = sidecar.LoadStops(o.StopsDirectory); err != nil {
		s.logOf("daemon").Warn().Err(err).Msg("saved stops of sessions cannot be read")
	}
	if s.git = git.New("git", o.Environment); o.WorktreesDirectory != "" {
		if s.repos, err = worktree.OpenRepositories(o.ReposDirectory); err != nil {
			s.logOf("daemon").Warn().Err(err).Msg("some repositories cannot be read")
		}
		if s.registry, err = worktree.Open(o.WorktreesDirectory); err != nil {
			s.logOf("daemon").Warn().Err(err).Msg("some worktrees cannot be read")
		}
	}
	s.watcher, s.started = watcher, s.now()
	s.day = daybudget.NewLedger(s.started, s.settings.Load().DayBudget)
	if o.OrchestrationsDirectory != "" {
		if s.plans, err = orchestration.Open(o.OrchestrationsDirectory); err != nil {
			s.logOf("daemon").Warn().Err(err).Msg("some orchestrations cannot be read")
		}
	}
	s.executor = supervision.NewExecutor()
	s.workers.Executor = s.executor
	s.tree = supervision.NewTree(s.executor, s.crashed)
	s.actors = actor.NewActorSystem(actor.WithLoggerFactory(s.libraryLog))
	s.background = act.NewBackground(&s.workers, s.backgroundFailed)
	s.archivist = act.NewBackground(&s.workers, s.backgroundFailed)
	s.archiver = retention.NewArchiver(s.archivist, o.RunsDirectory, o.Disk.ArchiveBytes, o.Disk.ArchiveAge)
	s.auditor = act.NewBackground(&s.workers, s.backgroundFailed)
	s.notifier = notify.New(s.options.NotifyEnv)
	s.searcher = search.NewSearcher(o.Store)
	s.backup.Look(s.options.Backups)
	s.maintainer().NoteFindings()

	root := daemonProps(s)
	pid, err := s.actors.Root.SpawnNamed(root, "daemon")
	if err != nil {
		s.watcher.Close()
		s.executor.Close()
		return nil, fmt.Errorf("start daemon actor: %w", err)
	}
	s.daemon = pid
	s.disk, s.journal, s.pool, s.sessions, s.health = s.below("disk"), s.below("journal"), s.below("pool"), s.below("sessions"), s.below("health")
	s.daily, s.worktrees, s.orchestrations = s.below("day"), s.below("worktrees"), s.below("orchestrations")
	s.actors.Root.Send(pid, startChildren{})
	return s, nil
}

func (s *System) below(name string) *actor.PID {
	return actor.NewPID(s.daemon.Address, s.daemon.Id+"/"+name)
}

// Ready is closed when every session that has work left has its actor.
func (s *System) Ready() <-chan struct{} { return s.ready }

func (s *System) recovered(sessions int) {
	s.readyOnce.Do(func() {
		s.logOf("daemon").Info().Int("sessions", sessions).Msg("recovery begun")
		close(s.ready)
	})
}

// crashed logs the crash of an actor, which is always a bug of ours.
func (s *System) crashed(f supervision.Failure) {
	defer s.crashes.crashed(f.Actor)
	e := s.logOf(f.Actor).Error().Str(act.LogActor, f.Actor).Str("reason", f.Reason).Int("restarts", f.Restarts)
	if f.Decision.Verdict == supervision.Restart {
		e = e.Dur("backoff", f.Decision.After)
	}
	e.Str("stack", f.Stack).Str("decision", f.Decision.Reason).Msg("actor crashed")
}

// backgroundFailed logs a failure of background work.
func (s *System) backgroundFailed(result any) {
	s.logOf("daemon").Warn().Str("result", fmt.Sprint(result)).Msg("background work failed")
}
