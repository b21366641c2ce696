package main

import (
	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// pdfCmd is the hidden verb that a fetch calls: it reads a PDF in a process of its own.
func (a *app) pdfCmd() *cobra.Command {
	return &cobra.Command{Use: wiki.PDFVerb, Hidden: true, Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		return wiki.ServePDF(c.Context(), a.in, a.out)
	}}
}
