import { expect, test } from 'vitest'
import { terminalText } from './terminal.ts'

test('a terminal shows what parts of lines were changed to', () => {
  const terminal = terminalText()
  terminal.write('\u001B[?1049h\u001B[1;1H\u001B[Jname up\nweb   up\nlast')
  terminal.write('\u001B[2A\u001B[E\u001B[7G\u001B[Kdown\n\u001B[31mlast\u001B[39m line')
  expect(terminal.text()).toBe('name up\nweb   down\nlast line')
  terminal.write('\u001B[2K\u001B[1A\u001B[2K\u001B[G2 checks: 1 down')
  expect(terminal.text()).toBe('name up\n2 checks: 1 down\n')
  terminal.write('\u001B[1;1H\u001B[Jnew')
  expect(terminal.text()).toBe('new')
})
