--- The server of this session, and how it is asked.
local M = {}

M.NAME = 'rig_wiki'

--- Clients have methods since 0.11, functions before.
local methods = vim.fn.has('nvim-0.11') == 1

---@param client vim.lsp.Client
---@param name string
function M.call(client, name, ...)
  if methods then return client[name](client, ...) end
  return client[name](...)
end

---@param text string
---@param level integer?
function M.say(text, level) vim.notify('rig: ' .. text, level or vim.log.levels.INFO) end

--- The server of a buffer, else any that runs.
---@param buf integer?
---@return vim.lsp.Client?
function M.find(buf)
  return vim.lsp.get_clients({ name = M.NAME, bufnr = buf or 0 })[1] or vim.lsp.get_clients({ name = M.NAME })[1]
end

--- Asks; `done` gets the result, also a null one. An error is shown, and said to `failed`.
---@param method string
---@param params table
---@param done fun(result: any)
---@param failed fun(message: string)?
function M.request(method, params, done, failed)
  local client = M.find()
  if not client then return M.say('no server runs: open a page of a wiki first', vim.log.levels.WARN) end
  M.call(client, 'request', method, params, function(err, result)
    if not err then return done(result) end
    M.say(err.message, vim.log.levels.ERROR)
    if failed then failed(err.message) end
  end)
end

--- Sends one of the server's commands. What the server does not offer is said, not sent.
---@param command string
---@param argument table
---@param done fun(result: any)?
---@param failed fun(message: string)?
function M.execute(command, argument, done, failed)
  local client = M.find()
  local offered = client and vim.tbl_get(client.server_capabilities, 'executeCommandProvider', 'commands') or {}
  if client and not vim.tbl_contains(offered, command) then
    return M.say('this server has no ' .. command, vim.log.levels.WARN)
  end
  if next(argument) == nil then argument = vim.empty_dict() end
  M.request('workspace/executeCommand', { command = command, arguments = { argument } }, function(result)
    if type(result) == 'table' and result.run and (command ~= 'rigwiki.cancel') then require('rig-wiki.runs').ours(result) end
    if done then done(result) end
  end, failed)
end

--- The text of a rigwiki:// document, waited for.
---@param uri string
---@return string
function M.content(uri)
  local client = M.find() or error('rig: no server runs; open a page of a wiki first', 0)
  local answer, why = M.call(client, 'request_sync', 'workspace/textDocumentContent', { uri = uri }, 5000, 0)
  if not answer or answer.err then error('rig: ' .. (answer and answer.err.message or why or 'no answer'), 0) end
  return answer.result.text
end

return M
