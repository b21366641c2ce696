package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// stopSignal is the stop signal of a program that has none of its own: the system has no other that reaches one without a console.
func stopSignal() os.Signal { return os.Kill }

// jobbed is a program in a job object, which ends all that came from it.
type jobbed struct {
	cmd *exec.Cmd
	job windows.Handle
}

func (b *copyBox) start(p Command, its stdio) (child, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return nil, fmt.Errorf("set up job object: %w", err)
	}
	j := &jobbed{&exec.Cmd{Path: p.Argv[0], Args: p.Argv, Env: p.Env, Dir: p.Dir, Stdin: its.in, Stdout: its.out, Stderr: its.err}, job}
	if err := j.cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(j.cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, h)
		windows.CloseHandle(h)
	}
	if err != nil {
		j.cmd.Process.Kill()
		j.cmd.Wait()
		windows.CloseHandle(job)
		return nil, fmt.Errorf("put program into job object: %w", err)
	}
	return j, nil
}

func (j *jobbed) stop(os.Signal) {}

func (j *jobbed) kill() { windows.TerminateJobObject(j.job, 1) }

func (j *jobbed) wait() (status, error) {
	err := j.cmd.Wait()
	windows.TerminateJobObject(j.job, 1)
	windows.CloseHandle(j.job)
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		return status{code: -1}, err
	}
	return status{code: j.cmd.ProcessState.ExitCode()}, nil
}
