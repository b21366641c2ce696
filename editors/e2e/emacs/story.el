;;; story.el --- ingest, review one hunk in the diff, apply the rest, undo  -*- lexical-binding: t -*-
(load (expand-file-name "emacs/driver.el"))
(load (getenv "CONFIG"))
(drive-say "Emacs %s" emacs-version)

(let* ((emoji (drive-open (drive-path "concepts/emoji.md")))
       (source (drive-open (drive-path "raw/widths.md"))))

  ;; Review: the diff opens, belongs to the same server, and one hunk is accepted in it.
  (setq drive-answer "Review")
  (drive-act "Ingest into wiki")
  (drive-wait "the question" (lambda () (cl-some (lambda (q) (string-match-p "4 pages" q)) drive-asked)))
  (drive-check (cl-some (lambda (q) (string-match-p "cannot create, rename or delete files" q)) drive-asked) "not told what eglot cannot do: %S" drive-asked)
  (drive-wait "the diff" (lambda () (cl-some (lambda (b) (string-suffix-p "ingest.diff" (or (buffer-file-name b) ""))) (buffer-list))))
  (let ((diff (cl-find-if (lambda (b) (string-suffix-p "ingest.diff" (or (buffer-file-name b) ""))) (buffer-list)))
        (server (with-current-buffer source (eglot-current-server))))
    (switch-to-buffer diff)
    (run-hooks 'post-command-hook)
    (drive-wait "the server of the diff" #'eglot-managed-p)
    (drive-check (eq server (eglot-current-server)) "a second server was started for the diff")
    (goto-char (point-min))
    (search-forward "two columns")
    (setq drive-asked nil)
    (drive-act "Accept this hunk of concepts/emoji.md"))
  (drive-wait "the hunk in the page" (lambda () (with-current-buffer emoji (save-excursion (goto-char (point-min)) (search-forward "two columns" nil t)))))
  (drive-check (not (drive-page "sources/widths.md")) "a page was written that was not accepted")
  (with-current-buffer emoji (save-buffer))
  (drive-check (equal (drive-page "concepts/emoji.md") (drive-wanted "concepts/emoji.md")) "the accepted page is %S" (drive-page "concepts/emoji.md"))

  ;; Declined: eglot says "applied" all the same, the server does not believe it, and nothing is lost.
  (switch-to-buffer source)
  (setq drive-yes nil)
  (condition-case oops (drive-act "Apply proposal of") (error (drive-say "declined: %s" (error-message-string oops))))
  (drive-wait "the server not believing it" (lambda () (cl-some (lambda (m) (string-match-p "the pages are as before" m)) drive-said)))
  (drive-check (not (equal (drive-page "index.md") (drive-wanted "index.md"))) "applied though it was declined")
  (setq drive-yes t)

  ;; The rest: eglot edits what is there, the server makes the new page.
  (drive-wait "the rest still on offer" (lambda () (cl-some (lambda (a) (string-prefix-p "Apply proposal of" (plist-get a :title))) (drive-actions))))
  (drive-act "Apply proposal of")
  (drive-wait "the new page" (lambda () (equal (drive-page "sources/widths.md") (drive-wanted "sources/widths.md"))))
  (drive-wait "the index in its buffer" (lambda () (get-file-buffer (drive-path "index.md"))))
  (save-some-buffers t)
  (dolist (rel '("concepts/emoji.md" "index.md" "log.md"))
    (drive-check (equal (drive-page rel) (drive-wanted rel)) "%s after the apply is %S" rel (drive-page rel)))

  ;; Undo.
  (switch-to-buffer source)
  (drive-wait "the undo on offer" (lambda () (cl-some (lambda (a) (string-prefix-p "Undo" (plist-get a :title))) (drive-actions))))
  (drive-act "Undo")
  (drive-wait "the new page gone" (lambda () (not (drive-page "sources/widths.md"))))
  (save-some-buffers t)

  ;; An agent that does not end by itself is stopped by a code action: eglot has no way to cancel a progress.
  (eglot-execute (eglot--current-server-or-lose)
                 (list :command "rigwiki.ingest" :arguments (vector (list :uri (eglot-path-to-uri (drive-path "raw/widths.md")) :agent "endless"))))
  (drive-wait "the cancel on offer" (lambda () (cl-some (lambda (a) (string-prefix-p "Cancel" (plist-get a :title))) (drive-actions))))
  (drive-act "Cancel ingest")
  (drive-wait "nothing under way" (lambda () (not (cl-some (lambda (a) (string-prefix-p "Cancel" (plist-get a :title))) (drive-actions)))))
  (drive-done))
;;; story.el ends here
