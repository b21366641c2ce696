package lsp

import (
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

const (
	messageError   = protocol.MessageTypeError
	messageWarning = protocol.MessageTypeWarning
	messageInfo    = protocol.MessageTypeInfo
)

// tell shows a sentence to the user.
func (s *server) tell(kind protocol.MessageType, sentence string) {
	err := s.client.ShowMessage(s.ctx, &protocol.ShowMessageParams{Type: kind, Message: sentence})
	if err != nil && s.ctx.Err() == nil {
		s.log.Debug("message not sent", zap.String("message", sentence), zap.Error(err))
	}
}
