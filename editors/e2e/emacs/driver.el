;;; driver.el --- a user of Emacs, in batch  -*- lexical-binding: t -*-
;; What every story shares: waits on states, what the user is asked and answers. emacs_test.go says in the environment
;; where things are. The configuration is the one of editors/emacs/README.md.

(require 'cl-lib)
(require 'subr-x)
(require 'markdown-mode) ; a package manager would load it with the first page
(setq native-comp-enable-subr-trampolines nil native-comp-jit-compilation nil) ; they would call a compiler
(setq make-backup-files nil auto-save-default nil create-lockfiles nil eglot-autoshutdown nil
      find-file-visit-truename nil enable-local-variables nil)

(defvar drive-asked nil "Questions that the user was asked, the newest first.")
(defvar drive-answer "Apply" "What the user chooses when the server asks.")
(defvar drive-yes t "What the user says when eglot asks whether to apply.")
(defvar drive-said nil "Messages that were shown, the newest first.")

(defun drive-say (format &rest args) (princ (concat (apply #'format format args) "\n")))

(defun drive-idle ()
  "Tell the server what was typed, as eglot's idle timer does: an Emacs in batch is never idle."
  (dolist (b (buffer-list))
    (with-current-buffer b (when (eglot-managed-p) (eglot--signal-textDocument/didChange)))))

(defun drive-wait (what state)
  "Wait until STATE is true; WHAT names it. The bound is there for a hang only."
  (let ((end (time-add nil 60)))
    (while (not (funcall state))
      (when (time-less-p end nil)
        (error "never saw: %s\nasked: %S\nsaid: %S" what drive-asked drive-said))
      (accept-process-output nil 0.02)
      (drive-idle))
    (drive-say "saw %s" what)))

(defun drive-check (ok format &rest args) (unless ok (error "%s" (apply #'format format args))))

(defun drive-path (rel) (concat (getenv "WIKI") "/" rel))

(defun drive-bytes (file)
  (when (file-exists-p file)
    (with-temp-buffer (set-buffer-multibyte nil) (insert-file-contents-literally file) (buffer-string))))

(defun drive-page (rel) (drive-bytes (drive-path rel)))
(defun drive-wanted (rel) (drive-bytes (concat (getenv "WANT") "/" rel)))

(defun drive-open (file)
  "Visit FILE as a user does, and wait for its server."
  (find-file file)
  (run-hooks 'post-command-hook)
  (drive-wait (format "the server of %s (%s)" (file-name-nondirectory file) major-mode) #'eglot-managed-p)
  (current-buffer))

(defun drive-actions ()
  "The code actions at point."
  (append (eglot--request (eglot--current-server-or-lose) :textDocument/codeAction
                          (list :textDocument (eglot--TextDocumentIdentifier)
                                :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                                :context '(:diagnostics [])))
          nil))

(defun drive-act (title)
  "Choose the code action whose title begins with TITLE."
  (let ((action (cl-find-if (lambda (a) (string-prefix-p title (plist-get a :title))) (drive-actions))))
    (drive-check action "no action %s among %S" title (mapcar (lambda (a) (plist-get a :title)) (drive-actions)))
    (eglot-execute (eglot--current-server-or-lose) action)))

;; The user: questions are answered as the story says.
(defun drive-choose (prompt collection &rest _)
  (push prompt drive-asked)
  (let ((found (cl-find-if (lambda (c) (string-match-p (regexp-quote drive-answer) (if (consp c) (car c) c))) collection)))
    (if (consp found) (car found) (or found drive-answer))))
(setq completing-read-function #'drive-choose)
(advice-add 'y-or-n-p :override (lambda (prompt) (push prompt drive-asked) drive-yes))
(advice-add 'message :before (lambda (format &rest args) (when format (push (apply #'format-message format args) drive-said))))

(defun drive-done ()
  (let ((server (eglot-current-server)))
    (when server (eglot-shutdown server))))

;;; driver.el ends here
