package wiki

import (
	"context"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Import makes a proposal from a diff that somebody else made (unified, git's, GNU diff's, or rig's own). It is judged as a run's changes are.
func (h *Host) Import(ctx context.Context, w *Wiki, diff []byte, by string) (proposal.Record, error) {
	drafts, err := proposal.FromPatch(diff, Disk(w))
	if err != nil {
		return proposal.Record{}, err
	}
	return h.propose(ctx, w, proposal.Record{Op: "import", Agent: by, Title: "import a diff"}, drafts)
}

// changesOf is a draft as the file system would have shown it: a rename is a delete and a create.
func changesOf(d proposal.Draft) []sandbox.Change {
	gone := sandbox.Change{Path: d.From, Kind: sandbox.Delete, Base: d.BaseText, HasBase: true}
	now := sandbox.Change{Path: d.Path, Kind: sandbox.Kind(d.Kind), Base: d.BaseText, HasBase: d.BaseText != nil, New: d.NewText, Size: int64(len(d.NewText)), Mode: 0o644}
	if d.Kind == "rename" {
		now.Kind, now.Base, now.HasBase = sandbox.Create, nil, false
		return []sandbox.Change{gone, now}
	}
	return []sandbox.Change{now}
}
