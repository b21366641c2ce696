// Package sandbox runs one program over a folder and tells what it changed.
//
// It opens a [Layer] over the folder (the program works on the layer, never on the folder itself), starts the program
// with the confinement that the layer can give, waits until no process of the run is left, and then reads the changes
// from the file system: never from what the program says, never from diff text.
//
// Guarantees: the folder is not written; standard input ends when the given bytes are read; output is bounded and streamed;
// a deadline, an idle limit and a cancelled context end the whole tree (the program's own stop signal, then SIGKILL);
// changes are read only when nothing can write them any more; links made by the program are never followed, FIFOs and
// devices never opened; what a layer cannot enforce is said in [Confinement].
//
// What a program is held by comes in tiers, found out by really trying ([Auto]); the design has their table.
//   - A: [Overlay], Linux. User, mount, process, network, IPC and host name namespaces; an overlayfs over the folder's own path whose upper layer is a
//     bounded tmpfs; the host read-only, HOME and temporary folders private; no capability, no new privileges, Landlock, a filter of system
//     calls; the network through a proxy with an allow-list, or not at all. Its cost is that of the change.
//   - A2: the same with the upper layer on disk ([OnDisk]), where memory is short.
//   - B: [Copy] on Linux with Landlock: the same filter, files and TCP by Landlock, a reaper that the program cannot signal.
//   - C: [Copy] on macOS in a profile of sandbox-exec. Untested: no Mac has run it.
//   - D: [Copy] elsewhere, or on request: nothing is enforced but that the folder itself is not what the program is given.
//
// Not done: confinement on Windows (there, tier D).
//
// Not seen: files that came to belong to another user or group since somebody looked ([FindForeign]), below the folder's own entries. An overlay reads the entries of
// the folder and refuses where one is foreign; a program that changes a deeper one gets EOVERFLOW. Nor can a folder on a file system that folds case be tested where the kernel
// has none; the trial run over the folder itself decides there, as on NFS.
//
// A program that opens boxes calls [Main] first in its main (a package's TestMain too): helpers are the same executable under another name.
//
// It does not know what a wiki is, what a page is or which change is allowed: see package wiki for the policy.
package sandbox
