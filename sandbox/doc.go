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
// A program that opens boxes calls [Main] first in its main (a package's TestMain too): helpers are the same executable under another name.
// [Auto] picks the layer.
//
// It does not know what a wiki is, what a page is or which change is allowed: see package wiki for the policy.
package sandbox
