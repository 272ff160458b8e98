package logfile

// ErrorFileVariable names the file that 'betcode daemon start' made the standard error of the daemon it started. The
// daemon rotates that file only, and no file to which another program has redirected standard error.
const ErrorFileVariable = "BETCODE_ERROR_FILE"
