import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import {
  draftsMax,
  planBytesMax,
  type CheckDraft,
  type DraftRefusal,
} from '@probe-mesh/contracts/check/check-plan'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { checkOf } from '../plan/testing.ts'
import { testContext } from '../terminal/testing.ts'
import { partsOf } from './judge-plan.ts'
import { modelApi } from './testing.ts'

// S-2621

const folder = testFolder('service-')
afterAll(() => rm(folder, { recursive: true }))

type Answers = { refusals?: DraftRefusal[]; left?: number; answer?: () => Response }

/** Runs `apply` with a file of two checks, of which `web` is replaced, and `old` is not in the file. */
const apply = async ({ refusals = [], left = 30, answer }: Answers, ...flags: string[]) => {
  const file = join(folder, 'checks.yaml')
  const url = 'https://new.example.com/'
  await writeFile(
    file,
    `version: 1\nchecks:\n  - name: web\n    url: ${url}\n  - name: api\n    url: ${url}\n`,
  )
  const model = modelApi([checkOf('web'), checkOf('old')])
  const writes: string[] = []
  const context = testContext({
    environment: { SERVICE_API_KEY: formatApiKey('read_write', new Uint8Array(32)) },
    fetch: async (input, init) => {
      if (String(input).endsWith('/checks/plan')) {
        return answer?.() ?? Response.json({ refusals, writes: { left, perMinute: 30, resetSeconds: 9 } })
      }
      if (init?.method !== 'GET') writes.push(String(input))
      return model.fetch(input, init)
    },
  })
  const args = ['apply', '-f', file, '--allow-replace', '--prune', '--yes', ...flags]
  const exitCode = await runCommandLine(allCommands, context, args)
  return { exitCode, writes, ...context.written, name: file }
}

const refusal = (index: number, path: string | null): DraftRefusal => ({
  index,
  name: 'x',
  code: 'SV-5001',
  message: 'refused as a whole',
  errors: path === null ? [] : [{ path, message: `wrong ${path}` }],
})

describe('a change that the API would refuse', () => {
  test('is shown at its line of the file, or by name if it is not in the file, and nothing is sent', async () => {
    // in the order of applying: delete old, replace web, create api
    const refusals = [refusal(0, null), refusal(1, 'url'), refusal(2, null), refusal(2, 'tags')]
    for (const flags of [[], ['--dry-run']]) {
      const ran = await apply({ refusals }, ...flags)
      expect(ran).toMatchObject({ exitCode: 1, out: '', writes: [] })
      const lines = ran.err.split('\n').filter((line) => line.includes('SV-5001'))
      expect(lines).toEqual([
        `${ran.name}:4:10: checks[0].url: SV-5001: wrong url`,
        `${ran.name}:5:5: checks[1].tags: SV-5001: wrong tags`,
        `${ran.name}:5:11: checks[1]: SV-5001: refused as a whole`,
        'old: SV-5001: refused as a whole',
      ])
      expect(ran.err.endsWith('\n4 problems; nothing was sent.\n')).toBe(true)
    }
  })

  test('is JSON with line, column, path and code', async () => {
    const { out, exitCode } = await apply({ refusals: [refusal(1, 'url')] }, '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(out)).toEqual({
      version: 1,
      problems: [{ line: 4, column: 10, path: 'checks[0].url', code: 'SV-5001', message: 'wrong url' }],
    })
  })
})

test('an older control plane is named before the first write', async () => {
  const problem = toProblem(refuse('SV-3001'))
  const answer = () => Response.json(problem, { status: 404 })
  const ran = await apply({ answer })
  expect(ran).toMatchObject({ exitCode: 1, out: '', writes: [] })
  expect(ran.err).toMatch(/^This control plane is older than this command: .* Nothing was sent\.\nUpgrade /)
})

test('a plan says how long its writes take, and a run how much of it is left', async () => {
  const { out, err, writes } = await apply({ left: 1 })
  expect(out).toContain('\n3 writes at 30 a minute: about 9 s.\n')
  expect(err).toContain('- old: done (1 of 3, about 9 s left)\n')
  expect(writes).toHaveLength(3)
  expect((await apply({ left: 30 })).out).not.toContain('a minute')
})

test('many changes are judged in parts that the API takes', () => {
  const many = Array.from({ length: 2 * draftsMax + 1 }, (): CheckDraft => ({ action: 'delete', id: 'x' }))
  expect(partsOf(many).map((part) => part.length)).toEqual([draftsMax, draftsMax, 1])
  const large: CheckDraft = { action: 'create', check: { url: 'x'.repeat(planBytesMax / 2 - 1_000) } }
  const parts = partsOf([large, large, large])
  expect(parts.map((part) => part.length)).toEqual([2, 1])
  for (const drafts of parts) expect(JSON.stringify({ drafts }).length).toBeLessThan(planBytesMax)
  expect(partsOf([])).toEqual([])
})
