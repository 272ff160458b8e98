package session

import notices "betcode/actors/internal/notify"

// Notice is something a person should know who does not watch.
type Notice = notices.Notice
