package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func tiers(c Choice) []tier {
	overlaid := func(ctx context.Context, l Layer, root, home string) error {
		if len(c.Foreign) > 0 && os.Geteuid() != 0 {
			return foreignError(c.Foreign[0])
		}
		return errors.Join(tryOver(ctx, l, root, home, c), tryAll(ctx, l, c.Scratch))
	}
	return []tier{
		{name: "A", layer: Overlay(OverlayOptions{Dialer: c.Dialer}), try: overlaid, now: func() error { return c.memoryShort() }},
		{name: "A2", layer: Overlay(OverlayOptions{Dialer: c.Dialer, Upper: OnDisk}), try: overlaid, now: func() error {
			if c.Layer != "A2" && c.memoryShort() == nil {
				return errors.New("memory is not short")
			}
			return nil
		}},
		{name: "B", layer: Copy(CopyOptions{Dialer: c.Dialer}), try: func(ctx context.Context, l Layer, _, _ string) error { return tryAll(ctx, l, c.Scratch) }},
		unconfined(c),
	}
}

// memoryReserve is what must be left beside a full upper layer, for the agent and everybody else.
const memoryReserve = 256 << 20

// memoryShort tells why an upper layer may not be kept in memory, nil where it may.
func (c Choice) memoryShort() error {
	ask := c.Memory
	if ask == nil {
		ask = memoryLeft
	}
	need := Limits{Upper: c.Upper}.withDefaults().Upper + memoryReserve
	if left, known := ask(); known && left < need {
		return fmt.Errorf("memory is short: %d MiB are left, and a run may take %d", left>>20, need>>20)
	}
	return nil
}

// tryOver opens and closes a layer over the real folder.
func tryOver(ctx context.Context, l Layer, root, home string, c Choice) error {
	run, err := os.MkdirTemp(c.Scratch, "rig-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(run)
	if run, err = filepath.EvalSymlinks(run); err != nil {
		return err
	}
	box, err := l.Open(ctx, Spec{Root: root, RunDir: run, Home: home, Hide: c.Hide})
	if err != nil {
		return err
	}
	return box.Close()
}
