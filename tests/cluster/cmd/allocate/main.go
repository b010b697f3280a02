// Command allocate asks Kubernetes' own structured allocator.
//
// It reads one scenario a line ({"id", "scenario"}) on standard input and writes one answer a line, in the same order:
// per node the verdict and the devices picked, and which devices a claim for just one of them could get.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"k8s.io/klog/v2"
)

// allocatorModule is the module whose release decides the answers.
const allocatorModule = "k8s.io/dynamic-resource-allocation"

type options struct {
	each     bool
	strict   bool
	seconds  bool
	features string
	timeout  time.Duration
}

func main() {
	var opts options
	noEach := flag.Bool("no-each", false, "leave out which single devices are free")
	version := flag.Bool("version", false, "print the release of the allocator and stop")
	profile := flag.String("profile", "", "write a CPU profile to this file")
	flag.BoolVar(&opts.strict, "strict", false, "refuse objects with unknown or repeated fields")
	flag.BoolVar(&opts.seconds, "seconds", false, "add the seconds spent on the verdicts to each answer")
	flag.StringVar(&opts.features, "features", "all", "feature gates that are on: all, or those that are on by default")
	flag.DurationVar(&opts.timeout, "timeout", 10*time.Second, "give up a search on one node after this time")
	flag.Parse()
	opts.each = !*noEach
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)

	if *version {
		fmt.Println(allocatorRelease())
		return
	}
	if *profile != "" {
		stop, err := profileTo(*profile)
		if err != nil {
			fail(err)
		}
		defer stop()
	}
	if err := answerAll(os.Stdin, os.Stdout, opts); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "allocate:", err)
	os.Exit(1)
}

// profileTo starts a CPU profile; the function it returns ends it.
func profileTo(path string) (func(), error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

// allocatorRelease tells which release of the allocator this binary was built with.
func allocatorRelease() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path != allocatorModule {
			continue
		}
		if dep.Replace != nil {
			return dep.Replace.Version
		}
		return dep.Version
	}
	return "unknown"
}

// answerAll reads lines until the input ends; each answer is flushed at once, so that a caller may talk back and forth.
func answerAll(in io.Reader, out io.Writer, opts options) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	judge, err := newJudge(opts)
	if err != nil {
		return err
	}
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 1 {
			if err := encoder.Encode(judge.answer(line)); err != nil {
				return err
			}
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
