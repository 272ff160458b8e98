package siege

// Callers are ways in which a child runs a script: $1 is the script, $2 the name of its output,
// $betcode and $probe are programs.
var Callers = [][2]string{
	{"a child", `sh $1 $2`},
	{"an orphan with a clean environment", `( (env -i PATH="$PATH" HOME="$HOME" betcode="$betcode" probe="$probe" setsid sh $1 $2 &) & )`},
	{"a copy of the program", `cp "$betcode" ./innocent && betcode=./innocent sh $1 $2`},
	{"a copy started by an orphan", `cp "$betcode" ./sh2 && ( (env -i PATH="$PATH" HOME="$HOME" betcode=./sh2 probe="$probe" setsid sh $1 $2 &) & )`},
}
