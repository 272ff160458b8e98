package logfile

// ErrorFileVariable names the file that 'betcode daemon start' made the standard error of the daemon it started. The
// daemon rotates that file, and not one to which somebody else has redirected standard error.
const ErrorFileVariable = "BETCODE_ERROR_FILE"
