//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/adaptertest"
)

// scriptDesk is a desk whose agent is a shell script, as a directory adapter.
func scriptDesk(t testing.TB, run string) *desk {
	t.Helper()
	d := layDesk(t, realAgent{name: "script", setup: func(*desk) {}}, "/nowhere", nil)
	adaptertest.FakeDirectory(t, d.rigHome, "script", run)
	return d
}

// flood prints so many bytes as one line.
const flood = `head -c %d /dev/zero | tr '\0' x; echo`

// TestFlood: what an agent prints is not kept in memory, be it lines or one line without end.
func TestFlood(t *testing.T) {
	if raced {
		t.Skip("the race detector's own memory would be measured: the run without it counts")
	}
	quiet := peak(t, scriptDesk(t, "echo done\n"))
	for name, d := range map[string]*desk{
		"log": scriptDesk(t, fmt.Sprintf(flood, 256<<20)+"\necho done\n"),
		"events": layDesk(t, realAgent{name: "claude", setup: func(d *desk) {
			fake := adaptertest.Fake(d.t, filepath.Join(d.top, "bin"), "claude", "case $1 in --*) echo 2.1.197; exit;; esac\ncat >/dev/null\n"+fmt.Sprintf(flood, 256<<20)+"\n"+
				`echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done"}'`+"\n")
			d.vars[0] = "PATH=" + filepath.Dir(fake) + ":" + os.Getenv("PATH")
		}}, "/nowhere", nil),
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			more := peak(t, d) - quiet
			t.Logf("256 MB of output took %d MB more memory", more>>20)
			if more > 64<<20 {
				t.Error("more than 64 MB are kept")
			}
		})
	}
}

// peak runs a query and returns the most memory that a process of it held, in bytes.
func peak(t testing.TB, d *desk) int64 {
	t.Helper()
	cmd := d.command(t.Context(), "query", "x", "--wiki", d.wiki, "--agent", d.agent.name, "--again", "--json")
	if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(out), "done") {
		t.Fatalf("%v: %.1000s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Skip("this system does not tell")
	}
	return int64(usage.Maxrss) << 10
}

// BenchmarkFlood is TestFlood's log with 1 GB.
func BenchmarkFlood(b *testing.B) {
	quiet := peak(b, scriptDesk(b, "echo done\n"))
	for b.Loop() {
		b.StopTimer()
		d := scriptDesk(b, fmt.Sprintf(flood, 1<<30)+"\necho done\n")
		b.StartTimer()
		b.ReportMetric(float64(peak(b, d)-quiet)/(1<<20), "MB-more")
	}
}

// BenchmarkOverhead compares the command line with the agent alone: the same prompt, the same server, from start to exit, in turns. What counts is
// the median of the differences of each pair: what else the machine does meets both.
func BenchmarkOverhead(b *testing.B) {
	b.Run("script", func(b *testing.B) {
		d := scriptDesk(b, "cat \"$AGENT_CWD/index.md\"\n")
		compare(b, d, func() *exec.Cmd {
			cmd := exec.Command(filepath.Join(d.rigHome, "adapters", "script", "run"))
			cmd.Env = append(d.vars, "AGENT_CWD="+d.wiki)
			return cmd
		})
	})
	b.Run("claude", func(b *testing.B) {
		d := newDesk(b, realAgents()[0])
		question := "Say it. " + adaptertest.Script(adaptertest.Step{Op: "say", Text: "said"})
		d.agent.question = question
		env := adapters.Env{Vars: d.vars, Home: d.homeDir, RigHome: d.rigHome}
		a, err := adapters.NewRegistry(env).Find(d.agent.name)
		if err != nil {
			b.Fatal(err)
		}
		inv, err := a.Plan(adapters.Request{Op: "query", Mode: adapters.Review, Prompt: question, Cwd: d.wiki, Detection: a.Detect(b.Context(), env), Env: env})
		if err != nil {
			b.Fatal(err)
		}
		settings := filepath.Join(d.top, "settings")
		for name, text := range inv.Files {
			d.write(filepath.Join(settings, name), string(text))
		}
		compare(b, d, func() *exec.Cmd {
			argv := slices.Clone(inv.Argv)
			for i, s := range argv {
				argv[i] = strings.ReplaceAll(s, "{files}", settings)
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env, cmd.Stdin = append(slices.Clone(d.vars), inv.Env...), strings.NewReader(string(inv.Stdin))
			return cmd
		})
	})
}

// compare runs the agent alone and through rig, in turns, one first and then the other. On a busy machine the processor time says more than the clock.
func compare(b *testing.B, d *desk, bare func() *exec.Cmd) {
	b.Helper()
	var wall, cpu [2][]float64
	clock := func(i int, cmd *exec.Cmd) {
		cmd.Dir = d.wiki
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %.2000s", err, out)
		}
		wall[i] = append(wall[i], time.Since(start).Seconds()*1000)
		cpu[i] = append(cpu[i], (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1000)
	}
	ours := func() *exec.Cmd {
		return d.command(b.Context(), "query", cmp.Or(d.agent.question, "x"), "--wiki", d.wiki, "--agent", d.agent.name, "--again", "--json")
	}
	clock(0, bare())
	clock(1, ours()) // the first ones ask the agent what it is, and the machine what it can
	wall, cpu = [2][]float64{}, [2][]float64{}
	for n := 0; b.Loop(); n++ {
		if n%2 == 0 {
			clock(0, bare())
			clock(1, ours())
		} else {
			clock(1, ours())
			clock(0, bare())
		}
	}
	b.ReportMetric(middle(wall[0]), "bare-ms")
	b.ReportMetric(middle(cpu[0]), "bare-cpu-ms")
	b.ReportMetric(middle(paired(wall)), "more-ms")
	b.ReportMetric(middle(paired(cpu)), "more-cpu-ms")
}

// paired are the differences within each pair.
func paired(of [2][]float64) []float64 {
	list := slices.Clone(of[1])
	for i := range list {
		list[i] -= of[0][i]
	}
	return list
}

func middle(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
