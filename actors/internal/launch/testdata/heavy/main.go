// Command heavy links what the real program links. With an argument it starts a
// launcher for that command line, as the daemon does.
package main

import (
	"fmt"
	"os"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/urfave/cli/v2"
	bolt "go.etcd.io/bbolt"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"

	"betcode/actors/internal/launch"
)

func main() {
	if len(os.Args) < 3 {
		system := actor.NewActorSystem()
		server := grpc.NewServer()
		reflection.Register(server)
		fmt.Println(system.ID, server, promhttp.Handler(), cli.NewApp().Run(nil), bolt.DefaultOptions)
		return
	}
	run, program := os.Args[1], os.Args[2:]
	argv, env := launch.Params{Run: run, Dir: "/", Program: program[0], Argv: program, Env: os.Environ()}.Command()
	null, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	lock, _ := os.Create(run + "/" + launch.LockFile)
	hear, say, _ := os.Pipe()
	_, err := os.StartProcess("/proc/self/exe", argv, &os.ProcAttr{Env: env, Files: []*os.File{null, null, null, lock, say}})
	if err != nil {
		panic(err)
	}
	say.Close()
	words := make([]byte, 4096)
	n, _ := hear.Read(words)
	os.Stdout.Write(words[:n])
}
