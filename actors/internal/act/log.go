package act

// Names of log fields. The first three are those of the daemon document, and every line
// has LogSpan and LogTarget.
const (
	LogSession = "session_id"
	LogSpan    = "span"   // the place in the tree: "session/<id>/run/3"
	LogTarget  = "target" // the package
	LogActor   = "actor"
	LogRun     = "run"
)
