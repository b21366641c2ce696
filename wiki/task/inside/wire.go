package inside

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/rigwiki/rig/adapters/guard"
)

// EnvName is the variable that holds a [Door] as JSON. Its name has no TOKEN and no KEY in it: some agents keep such variables from their shells.
const EnvName = "RIG_BROKER"

// Door is what the inside is told.
type Door struct {
	URL   string      `json:"url"` // of the broker, with the run's token in its path
	Git   string      `json:"git"` // the real git as it is found inside
	Grant guard.Grant `json:"grant"`
	Start string      `json:"start"` // commit that the run began at: the host has it
}

// Ask is one request to the broker. What follows it on the wire is the bundle of a push.
type Ask struct {
	Program string            `json:"program"` // "git", "gh"
	Args    []string          `json:"args"`    // as the agent wrote them: the broker judges for itself
	Texts   map[string][]byte `json:"texts,omitempty"`
	Env     []string          `json:"env,omitempty"` // git's variables, which count in the judgement
	Dir     string            `json:"dir,omitempty"`
	Tip     string            `json:"tip,omitempty"` // push: commit that the branch is at here
}

// Answer is what the broker did. What follows it on the wire is the bundle of a fetch, empty where nothing is new.
type Answer struct {
	Code int               `json:"code"` // exit status
	Out  []byte            `json:"out,omitempty"`
	Err  []byte            `json:"err,omitempty"`
	Refs map[string]string `json:"refs,omitempty"` // fetch: branch of the remote -> commit
}

// MaxHead bounds an Ask or an Answer on the wire, in bytes.
const MaxHead = 16 << 20

// WriteHead writes v as JSON behind its length (32 bits, big endian).
func WriteHead(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > MaxHead {
		return fmt.Errorf("%d bytes are more than a request may have", len(b))
	}
	if _, err := w.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b)))); err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// ReadHead reads what WriteHead wrote and leaves r at what follows.
func ReadHead(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > MaxHead {
		return fmt.Errorf("%d bytes are more than a request may have", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
