package sandbox

import "time"

// settle returns when the clock that a run's start is read from has passed what was written so far. Until then that may have been written in the run.
func settle() {
	for written := time.Now().UnixNano(); coarseNow() <= written; {
		time.Sleep(time.Millisecond)
	}
}
