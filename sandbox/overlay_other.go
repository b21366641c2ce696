//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// OverlayOptions says how an overlay is made.
type OverlayOptions struct{ Dialer Dialer }

// Overlay is Linux's; here its Open is an error.
func Overlay(OverlayOptions) Layer { return noOverlay{} }

type noOverlay struct{}

func (noOverlay) Name() string { return "overlay" }

func (noOverlay) Open(context.Context, Spec) (Box, error) {
	return nil, errors.New("overlays are had on Linux only")
}
