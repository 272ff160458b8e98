package act

// Names of log fields. The first three are those of the daemon document, and every line
// has the last two of them.
const (
	LogSession = "session_id"
	LogSpan    = "span"   // where in the tree: "session/<id>/run/3"
	LogTarget  = "target" // which package
	LogActor   = "actor"
	LogRun     = "run"
)
