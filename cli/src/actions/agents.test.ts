import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { agentIdOfToken } from '@probe-mesh/contracts/account/key-text'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useEach } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'
import { fetchInto } from './testing.ts'

const folder = testFolder('cli-agents-')
const at = useTestApp()
const account = useEach(() => at.account('growth'))

const run = async (...argv: string[]) => {
  const { fetch, asked } = fetchInto(at)
  const context = testContext({
    fetch,
    nowMs: at.now(),
    environment: {
      SERVICE_API_URL: 'http://app/v1',
      SERVICE_API_KEY: account.writeKey,
      LANG: 'C.UTF-8',
    },
  })
  const exitCode = await runCommandLine(allCommands, context, ['agents', ...argv])
  return { exitCode, ...context.written, asked: asked.length }
}

test('enrolls, lists and revokes an agent, and prints its token on standard output', async () => {
  expect((await run()).out).toBe('This account has no private agents.\n')
  const made = await run('enroll', 'office')
  expect(made.exitCode).toBe(0)
  const id = agentIdOfToken(made.out.trim())
  expect(made.err).toContain(`private-${id}`)
  expect((await run()).out).toMatch(new RegExp(`^office +never seen +- +0 +${id}$`, 'm'))
  expect(await run('revoke', 'office')).toMatchObject({ exitCode: 0 })
  expect((await run('list')).out).toContain('revoked')
  expect(await run('revoke', 'office')).toMatchObject({ exitCode: 1 })
})

test('writes the token to a new file that only its owner can read, and never overwrites a file', async () => {
  const file = join(folder, 'office.token')
  const made = await run('enroll', 'office', '--out', file)
  expect(made).toMatchObject({ exitCode: 0, out: '' })
  const [, token = ''] = (await readFile(file, 'utf8')).split('\n')
  expect(agentIdOfToken(token)).not.toBeNull()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(made.err).not.toContain(token)
  for (const act of ['enroll', 'rotate']) {
    const again = await run(act, 'office', '--out', file)
    expect(again).toMatchObject({ exitCode: 1, out: '', err: `${file} exists already: name a new file.\n` })
  }
  expect(await readFile(file, 'utf8')).toContain(token)
  expect((await run('list')).out.match(/office/g)).toHaveLength(1)
})

test('leaves no file behind when the API refuses the agent', async () => {
  const file = join(folder, 'refused.token')
  expect(await run('enroll', '', '--out', file)).toMatchObject({ exitCode: 1 })
  expect(await run('enroll', 'x'.repeat(500), '--out', file)).toMatchObject({ exitCode: 1, out: '' })
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('asks for the id when several agents share a name', async () => {
  await run('enroll', 'twin')
  const second = agentIdOfToken((await run('enroll', 'twin')).out.trim()) ?? ''
  expect(await run('revoke', 'twin')).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining(second),
  })
  expect(await run('revoke', second)).toMatchObject({ exitCode: 0 })
})

test.each([
  [['fly', 'office'], 'list, enroll, rotate or revoke'],
  [['constructor', 'office'], 'list, enroll, rotate or revoke'],
  [['enroll'], 'needs an agent'],
  [['list', 'office'], 'takes no agent'],
  [['revoke', 'office', '--out', 'x'], 'no token'],
])('agents %j sends no request and names the mistake', async (argv, said) => {
  expect(await run(...argv)).toMatchObject({
    exitCode: 1,
    asked: 0,
    err: expect.stringContaining(said),
  })
})
