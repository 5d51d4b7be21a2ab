import { expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'
import { completionScript } from './completion-script.ts'

const run = async (...argv: string[]) => {
  const context = testContext()
  return { exitCode: await runCommandLine(allCommands, context, argv), ...context.written }
}

test('prints the script of the shell and nothing else', async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell, allCommands)
    expect(await run('completion', shell)).toEqual({ exitCode: 0, out: script, err: '' })
    const { out } = await run('completion', shell, '--json')
    expect(JSON.parse(out)).toEqual({ version: 1, shell, script })
  }
})

test('refuses an unknown shell and lists the known ones', async () => {
  expect(await run('completion', 'tcsh')).toEqual({
    exitCode: 1,
    out: '',
    err: 'There is no completion script for "tcsh": use bash, zsh or fish.\n',
  })
  const { exitCode, out } = await run('completion', '__proto__', '--json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ version: 1, problems: [{}] })
  expect(await run('completion')).toMatchObject({ exitCode: 1, out: '' })
})
