package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// A Layer lays a writable view over a folder. Implementations: the parallel copy and, on Linux, overlayfs.
type Layer interface {
	// Name is "copy" or "overlay".
	Name() string
	// Open prepares the view. On an error nothing is left behind.
	Open(ctx context.Context, s Spec) (Box, error)
}

// A Box is one open layer: one program may be run in it, then its changes are read, then it is closed.
type Box interface {
	// Dir is the path at which the program sees the folder. In the overlay it is Spec.Root itself.
	Dir() string
	// Confinement tells what this box enforces.
	Confinement() Confinement
	// Run starts the program and returns when no process of it is left. The error is about starting or containing it
	// (a reaper that died: ErrNotQuiescent); how the program ended is in Exit.
	Run(ctx context.Context, c Command) (Exit, error)
	// Changes compares the view with its lower folder, sorted by path (bytewise), bounded by Spec.Limits.
	// Call it after Run. A path touched with equal bytes is no change. Where Spec.Own is set there is no lower folder, and it gives ErrOwn.
	Changes(ctx context.Context) (Changes, error)
	// Close removes the view and everything in Spec.RunDir that the box made. It is idempotent.
	Close() error
}

// Spec says what a box is laid over. Paths named "rel" are slash-separated and relative to Root.
type Spec struct {
	Root    string   // absolute, symlinks resolved
	RunDir  string   // private folder (0700) of this run, made by the caller; the box keeps its state here
	Protect []string // rel: readable but not writable at their true paths (overlay); left out (copy)
	// Inject maps a rel path (".rig-readonly/schema.md") to an absolute host file. Files are readable, not writable where the layer
	// can say so, and never show up as changes.
	Inject map[string]string
	// Buffers maps rel to unsaved text. It is the program's starting point and the base of its changes.
	Buffers map[string][]byte
	// Gone are rel files that are not shown, as if they had been deleted before: what the program makes in their place is new. None is in Buffers.
	Gone []string
	// Hide says which entries are not shown (and not copied): dot folders, node_modules. It is asked for each entry met;
	// an overlay asks only for the entries of Root. nil hides nothing.
	Hide func(rel string, d fs.DirEntry) bool
	// BaseText finds the text that rel had when its stat identity was id, where somebody still knows it (an index).
	// nil or false: not known. An overlay, which looks at no file before the program changed it, asks with the zero id: the text that rel had
	// when the box's program started.
	BaseText func(rel string, id FileID) ([]byte, bool)
	// Own says that Root was made for this run alone: the program works in it as it is, what it writes stays there, and Changes has nothing to compare.
	// Hide, Inject, Buffers, Gone and Protect do not count then.
	Own bool
	// Lend maps rel paths, empty folders of an Own Root, to folders of the host that are shown there. An overlay gives each a throwaway layer; a copy
	// shows them read-only, by a link.
	Lend     map[string]string
	Visible  []string // absolute paths bound in as they are, read-only (agent's program, runtime, adapter folder, our binary)
	Tools    []Tool   // executables under names of their own; Command says how they get on PATH
	Cover    []string // absolute folders of which nothing is shown but Root, RunDir and what Visible names: the caller's own state, other runs
	State    []string // paths relative to HOME: the program's own state folders or files; writes go to a throwaway layer
	KeepBack []string // paths relative to HOME: of State, files copied back after validation (credentials that were refreshed)
	Home     string   // the user's HOME; "" hides it all
	Network  Network
	Limits   Limits
}

// Network says what the program may reach.
type Network struct {
	Hosts    []string // names ("api.example.com", "*.example.com") reachable over TCP 443 and 80 (or "name:port"); none: no network
	Loopback []string // "127.0.0.1:PORT" of the host, reachable inside at the same address
}

// Limits bound what a run may cost. A zero field means its default.
type Limits struct {
	FileBytes int64         // read of one changed file at most; larger ones are reported unread as TooLarge. 8 MiB
	Files     int           // changed paths at most; over it Changes.Overflow is set. 2000
	Bytes     int64         // bytes of all new texts read; over it Changes.Overflow. 256 MiB
	Upper     int64         // bytes the program may write in all: a full tmpfs, elsewhere the end of the run. 512 MiB
	Inodes    int64         // files the program may create; the same. 100000
	Own       int64         // bytes that may come into a Root of the run's own, where only a look at it every so often bounds them. 8 GiB
	Procs     int           // processes. 512
	Memory    int64         // bytes of memory, where a control group can be made; 0: not bounded, but the kernel ends the run first where memory runs out
	Grace     time.Duration // between the stop signal and SIGKILL. 3s
	Linger    time.Duration // for the program to exit by itself after Command.Talk returned. 5s
}

// Command is the program to run. Argv[0] is an absolute path. "{tools}" in an Argv or Env element becomes the folder of Spec.Tools as the program sees
// it ("PATH={tools}:/usr/bin").
type Command struct {
	Argv []string
	Env  []string // the whole environment: nothing is inherited
	Dir  string   // rel; "" is the box's folder
	// Stdin is written to the program and then closed. It is ignored when TwoWay is set, where Talk writes.
	Stdin  []byte
	TwoWay bool
	// Talk reads the program's stdout (and writes its stdin where TwoWay). When it returns, the program has Limits.Linger to exit
	// before the tree is stopped; stdout that Talk left unread is drained and dropped. nil drains.
	Talk func(ctx context.Context, rw io.ReadWriter)
	// Stdout and Stderr receive a raw copy of the streams (the caller bounds them); nil drops. Writes are serialized per stream
	// and their errors ignored.
	Stdout, Stderr io.Writer
	Files          map[string][]byte // name -> bytes, written 0600 to a private folder; {files} in an Argv or Env element becomes its path inside
	Timeout        time.Duration     // from start; 0: none
	Idle           time.Duration     // longest silence on both streams; 0: none
	Stop           os.Signal         // the program's own stop signal; nil: SIGTERM
}

// Exit tells how a program ended.
type Exit struct {
	Code     int       // exit status; 128+n where signal n ended it; -1 where it heeded no stop signal and had to be killed
	Signal   os.Signal // nil unless a signal ended it
	Why      Ending
	Duration time.Duration
}

// Ending is the reason a program ended.
type Ending string

// The endings.
const (
	Exited    Ending = "exited"    // by itself
	Finished  Ending = "finished"  // Talk had what it wanted and the program lingered until it was stopped
	TimedOut  Ending = "timed-out" // Command.Timeout
	WentIdle  Ending = "idle"      // Command.Idle
	Cancelled Ending = "cancelled" // the context
	Overfull  Ending = "overfull"  // it wrote more than Limits.Upper, Limits.Inodes or Limits.Own where nothing but a look at it bounds that
)

// Confinement is what a box really enforces.
type Confinement struct {
	Layer       string   // "overlay", "copy"
	Tier        string   // "A", "A2", "B", "C", "D" as in the design
	Processes   bool     // no process of the run outlives it
	HostWrites  bool     // writes outside the view are denied
	HostSecrets bool     // the user's other files in HOME are hidden
	Network     string   // "none", "proxy (hosts)", "open"
	Missing     []string // what this machine could not give, each a clause
}

// Kind is the kind of a change.
type Kind string

// The kinds. Odd is something that can be no edit; Change.Why says what.
const (
	Create Kind = "create"
	Edit   Kind = "edit"
	Delete Kind = "delete"
	Odd    Kind = "odd"
)

// Why names what is odd about a change.
type Why string

// The oddities. Mode is reported for regular files beside an ordinary kind as well (exec or setuid bit gained).
const (
	Symlink  Why = "symlink"
	Hardlink Why = "hardlink" // shares its inode with a file outside the view, or with another path of it
	FIFO     Why = "fifo"
	Socket   Why = "socket"
	Device   Why = "device"
	TooLarge Why = "too-large"
	Mode     Why = "mode"
)

// FileID is a file's stat identity: equal means not written since.
type FileID struct {
	Dev, Ino           uint64
	Size, Mtime, Ctime int64 // bytes, ns, ns
}

// A Change is one path of the view that differs from the lower folder.
type Change struct {
	Path string // rel, raw bytes; need not be UTF-8
	Kind Kind
	Why  Why // set for Odd, and Mode beside Edit or Create
	// Base is the text that the program was given, nil where HasBase is false: a create, or a page that moved on whose old text nobody
	// kept (then Drift is true as well).
	Base    []byte
	HasBase bool
	New     []byte // nil for Delete and Odd
	Size    int64  // bytes of the new file, also where it was not read
	Mode    fs.FileMode
	Drift   bool // the lower file was written since the start
}

// Changes is what a run did.
type Changes struct {
	List     []Change
	Overflow string   // "" or which limit was passed; List is then incomplete and must not be applied
	Dirs     []string // rel: folders that came to be (empty or not), sorted
	Warnings []string // entries of the lower folder that could not be shown (FIFOs, links that leave the folder), each a clause
}

// ErrNotQuiescent: the processes of the run cannot be known to be gone, so its changes must not be read.
var ErrNotQuiescent = errors.New("a process of the run may still be writing")
