package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/lsp"
	"github.com/rigwiki/rig/wiki"
)

// lspCmd is `rig wiki lsp [--stdio] [--listen 127.0.0.1:PORT]`. Editors append flags of their own: unknown ones are ignored (--clientProcessId=N).
func (a *app) lspCmd() *cobra.Command {
	var listen string
	var events int
	c := &cobra.Command{Use: "lsp", Short: "The language server, over standard input and output", Args: cobra.ArbitraryArgs, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), listen, events) }}
	c.Flags().Bool("stdio", true, "talk over standard input and output")
	c.Flags().StringVar(&listen, "listen", "", "listen on a loopback address instead, for debugging (127.0.0.1:PORT)")
	c.Flags().IntVar(&events, "events", 0, "port of 127.0.0.1 that takes events of agents' own sessions for the editor (rigwiki/event); else BOARD_PORT, else a free one")
	return c
}

func (a *app) serve(ctx context.Context, listen string, events int) error {
	log, err := a.logger()
	if err != nil {
		return fail(wiki.ExitUsage, "name a file that can be written", "open the log: %v", err)
	}
	defer func() { _ = log.Sync() }()
	taken := make(chan any, 1024)
	board := a.endpointBeside(events, log.Sugar().Warnf, func(e adapters.Event) {
		select {
		case taken <- e:
		default: // an editor that does not read keeps no agent waiting
		}
	})
	defer board.close()
	h, err := a.hostWith(board.port())
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx, listen)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	board.publish(h.RigHome(), log.Sugar().Warnf)
	code, err := lsp.Serve(ctx, conn, lsp.Options{Host: h, Log: log, Version: version, Events: taken})
	if err := errors.Join(err, h.Close()); err != nil {
		log.Error("server ended", zap.Error(err))
	}
	if code != 0 {
		return &failure{code: code}
	}
	return nil
}

// connect is the stream of the client: stdin and stdout, or the first connection to a loopback address.
func (a *app) connect(ctx context.Context, listen string) (io.ReadWriteCloser, error) {
	if listen == "" {
		return newStdio(a.in, a.out), nil
	}
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil || addr.IP == nil || !addr.IP.IsLoopback() {
		return nil, fail(wiki.ExitUsage, "use 127.0.0.1:PORT", "--listen %s is not a loopback address", listen)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, fail(wiki.ExitFailed, "choose another port", "listen on %s: %v", listen, err)
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	fmt.Fprintln(a.err, "listening on", l.Addr())
	return l.Accept()
}

// stdio joins the process's streams.
type stdio struct {
	*io.PipeReader
	io.Writer
}

// newStdio reads standard input through a pipe of its own, so that Close ends a read at once: closing the file would not, and an editor that
// keeps its side open until we are gone would wait for the server as long as the server waits for it. The pump ends with the input or the process.
func newStdio(in io.Reader, out io.Writer) stdio {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err) // nil means io.EOF
	}()
	return stdio{r, out}
}

// logger writes to stderr or --log-file, never to stdout, which is the protocol's.
func (a *app) logger() (*zap.Logger, error) {
	level := zapcore.InfoLevel
	if a.flags.verbose {
		level = zapcore.DebugLevel
	}
	var sink zapcore.WriteSyncer = zapcore.Lock(zapcore.AddSync(a.err))
	if a.flags.logFile != "" {
		f, err := os.OpenFile(a.abs(a.flags.logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		sink = zapcore.Lock(f)
	}
	cfg := zap.NewProductionEncoderConfig()
	cfg.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(cfg), sink, level)), nil
}
