-- neovim.py runs this in Neovim: it does what a user does with the server, through vim.lsp.
vim.cmd('filetype plugin on')
vim.cmd('syntax on')
vim.g.axle_command = { vim.env.AXC, 'lsp' }
vim.cmd('runtime! plugin/axle.lua')

local limit_ms = 20000

local function check(what, good, found)
  if not good then error(what .. ': ' .. vim.inspect(found), 2) end
end

local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

local function wait(what, condition)
  check(what .. ' did not come', vim.wait(limit_ms, condition, 20), { lines(), vim.diagnostic.get(0) })
end

local function ask(method, more)
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(), more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, limit_ms)
  for _, answer in pairs(answers or {}) do
    check(method, not answer.error, answer.error)
    return answer.result
  end
  error(method .. ' is not answered')
end

local function put(text) vim.api.nvim_win_set_cursor(0, text) end

local tests = {}

function tests.a_opening_starts_the_server()
  local file = io.open(vim.env.FOLDER .. '/model.ax', 'w')
  file:write('import nn;\n/// Weights.\nparam kernel : f32 [17, 8];\nlayer = fn (x : f32 [n, 16]) { nn.relu(matmul(x, kernel)) };\n',
    'main=fn (x) { layer(x) };\n')
  file:close()
  vim.cmd('edit ' .. vim.env.FOLDER .. '/model.ax')
  check('filetype', vim.bo.filetype == 'axle', vim.bo.filetype)
  check('syntax', vim.fn.synIDattr(vim.fn.synID(3, 1, 1), 'name') == 'axleStatement', vim.b.current_syntax)
  wait('a client', function() return #vim.lsp.get_active_clients() == 1 end)
end

function tests.b_diagnostics_come_and_go()
  wait('the error', function() return #vim.diagnostic.get(0) == 1 end)
  local found = vim.diagnostic.get(0)[1]
  check('its place', found.lnum == 3 and found.message:find('16') and found.message:find('17'), found)
  vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'param kernel : f32 [16, 8];' })
  wait('its end', function() return #vim.diagnostic.get(0) == 0 end)
end

function tests.c_hover_tells_the_type()
  put({ 4, 50 })
  local found = ask('textDocument/hover')
  check('hover', found.contents.value:find('kernel : f32 %[16, 8%]') and found.contents.value:find('Weights'), found)
end

function tests.d_definition_jumps()
  put({ 4, 50 })
  vim.lsp.buf.definition()
  wait('the jump', function() return vim.api.nvim_win_get_cursor(0)[1] == 3 end)
  put({ 4, 40 })
  vim.lsp.buf.definition()
  wait('the stdlib', function() return vim.api.nvim_buf_get_name(0):find('core.ax$') ~= nil end)
  check('the operator', vim.api.nvim_get_current_line():find('^op matmul'), vim.api.nvim_get_current_line())
  vim.cmd('buffer model.ax')
end

function tests.e_rename_changes_all()
  put({ 4, 1 })
  vim.lsp.buf.rename('block')
  wait('the new name', function() return lines()[4]:find('^block = ') and lines()[5]:find('block%(x%)') end)
end

function tests.f_format_lays_out()
  vim.lsp.buf.formatting_sync({}, limit_ms)
  wait('the layout', function() return lines()[5] == 'main = fn (x) { block(x) };' end)
end

function tests.g_code_action_inserts_types()
  put({ 5, 2 })
  local offered
  vim.ui.select = function(items, _, choose)
    offered = items
    choose(items[1], 1)
  end
  vim.lsp.buf.code_action()
  wait('the type', function() return lines()[5] == 'main = fn (x : f32 [n, 16]) : f32 [n, 8] { block(x) };' end)
  wait('no error', function() return #vim.diagnostic.get(0) == 0 end)
end

function tests.h_completion_and_symbols()
  put({ 4, 34 })
  local labels = {}
  local found = ask('textDocument/completion')
  for _, item in ipairs(found.items or found) do labels[item.label] = true end
  check('completion', labels['nn.dense'] and labels['nn.relu'], labels)
  local symbols = ask('textDocument/documentSymbol')
  check('symbols', #symbols == 4, symbols)
end

function tests.i_a_broken_text_keeps_its_types()
  vim.api.nvim_buf_set_lines(0, 3, 4, false, { 'block = fn (x : f32 [n, 16]) { nn.relu(matmul(x, kernel) };' })
  wait('the error', function() return #vim.diagnostic.get(0) >= 1 end)
  put({ 5, 1 })
  local found = ask('textDocument/hover')
  check('hover', found.contents.value:find('%[n, 8%]'), found)
end

local names = vim.tbl_keys(tests)
table.sort(names)
for _, name in ipairs(names) do
  local good, why = xpcall(tests[name], debug.traceback)
  io.stdout:write((good and 'passed ' or 'FAILED ') .. name .. (good and '' or ': ' .. tostring(why)) .. '\n')
  if not good then vim.cmd('cquit 1') end
end
io.stdout:write("all of the editor's tests passed\n")
vim.cmd('qall!')
