import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommandLine } from '@probe-mesh/cli/src/command-line/create-program'
import { allCommands } from '@probe-mesh/cli/commands/all-commands'
import { fetchInto } from '@probe-mesh/cli/src/actions/testing'
import { FileCheckInput } from '@probe-mesh/cli/src/file/checks-file'
import { testContext } from '@probe-mesh/cli/src/terminal/testing'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { judgeCheck, refinedRules, schemaRules } from '@probe-mesh/contracts/check/check-rules'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { targetRules } from '@probe-mesh/contracts/target/target'
import {
  startTestApp,
  type TestAccount,
  type TestApp,
} from '@probe-mesh/control-plane/src/app/testing/test-app'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountInputs, good, offlineInputs } from './testing/wrong-inputs.ts'

// S-2607, S-2621: what can be refused is refused before the first write, and as early as it can be known

const monitors = 2
let at: TestApp
let account: TestAccount
const folder = testFolder('service-')
beforeAll(async () => {
  const denied = parseDenyList(['denied.example.org'])
  if (!denied.ok) throw new Error('the deny list of the test is wrong')
  at = await startTestApp({
    config: {
      budgetScale: 1_000,
      targetAllow: allowNothing,
      blockedTargets: denied.deny,
      targetRequestsPerMinute: 8,
      tiers: { ...tiersDefault, growth: { ...tiersDefault.growth, monitors } },
    },
  })
  account = await at.account('growth')
})
afterAll(async () => {
  await at?.close()
})

/** Where a file is refused, by command, and the writes that were sent. */
const tryFile = async (...checks: object[]) => {
  const file = join(folder, 'checks.json')
  await writeFile(file, JSON.stringify({ version: 1, checks }, null, 2))
  const run = async (...args: string[]) => {
    const { fetch, asked } = fetchInto(at)
    const environment = { SERVICE_API_KEY: account.writeKey, SERVICE_API_URL: 'http://app/v1' }
    const context = testContext({ environment, fetch })
    const exitCode = await runCommandLine(allCommands, context, [...args, '-f', file])
    const sent = asked.filter(({ method, url }) => method !== 'GET' && !url.endsWith('/checks/plan'))
    const places = context.written.err.match(/^.*checks\.json:\d+:\d+: .*$/gm) ?? []
    return { exitCode, writes: sent.length, places, err: context.written.err }
  }
  return {
    validate: await run('validate'),
    dryRun: await run('apply', '--dry-run'),
    apply: await run('apply', '--allow-replace', '--prune', '--yes'),
  }
}

const refused = { exitCode: 1, writes: 0 }

test('every rule of a check has a wrong input', () => {
  // opened by TARGET_ALLOW; the length of a URL is a rule of its field
  const online = new Set(['address', 'host_localhost', 'url_length'])
  const known = [...schemaRules(FileCheckInput), ...refinedRules, ...targetRules]
  const rules = known.filter((rule) => !online.has(rule))
  expect(Object.keys(offlineInputs).toSorted()).toEqual(rules.toSorted())
})

const row = (rule: string, { validate, dryRun, apply }: Awaited<ReturnType<typeof tryFile>>): string => {
  const outcomes = [validate, dryRun, apply].map(({ exitCode, writes }) =>
    `${exitCode === 1 ? 'refused' : 'passes'}${writes > 0 ? `, ${writes} writes` : ''}`.padEnd(9),
  )
  return `${rule.padEnd(34)} ${outcomes.join(' ')}`.trimEnd()
}
const rows: string[] = []

describe('refused without an account, and nothing is sent:', () => {
  test.each(Object.entries(offlineInputs))('%s', async (rule, fields) => {
    const check = { name: 'a', ...good, ...fields }
    expect(judgeCheck(FileCheckInput, check).problems.map((problem) => problem.rule)).toContain(rule)
    const tried = await tryFile({ ...good, name: 'good' }, check)
    for (const command of ['validate', 'dryRun', 'apply'] as const) {
      expect(tried[command]).toMatchObject(refused)
      expect(tried[command].places.length).toBeGreaterThan(0)
    }
    rows.push(row(rule, tried))
  })
})

/** Checks before the one that is refused: the same host, a full account, or one that is not refused. */
const besides = (rule: string, fields: object): object[] => {
  const first = { name: 'b', ...good }
  if (rule.startsWith('SV-4001')) return [first, { name: 'c', url: 'https://second.example.net/' }]
  return [rule.endsWith('a minute') ? { ...first, ...fields } : first]
}

describe('refused by the API before the first write:', () => {
  test.each(Object.entries(accountInputs))('%s', async (rule, fields) => {
    const tried = await tryFile(...besides(rule, fields), { name: 'a', ...good, ...fields })
    expect(tried.validate).toMatchObject({ exitCode: 0, writes: 0 })
    const [code = '', ...words] = rule.split(' ')
    for (const command of ['dryRun', 'apply'] as const) {
      expect(tried[command]).toMatchObject(refused)
      const codes = tried[command].places.map((line) => /SV-\d+/.exec(line)?.[0])
      expect(new Set(codes)).toEqual(new Set([code]))
      expect(tried[command].err).toContain(words.join(' '))
    }
    rows.push(row(rule, tried))
  })
})

test('all of them at once, each at its line, and nothing is stored', async () => {
  const checks = Object.values(accountInputs).map((fields, index) => ({
    ...good,
    ...fields,
    name: `check ${index}`,
  }))
  const { dryRun, apply } = await tryFile(...checks)
  expect(apply).toMatchObject(refused)
  expect(apply.places).toEqual(dryRun.places)
  // of eight creates two are allowed
  const codes = apply.places.map((line) => /SV-\d+/.exec(line)?.[0])
  expect(codes.filter((code) => code === 'SV-4001')).toHaveLength(checks.length - monitors)
  expect(new Set(codes)).toEqual(new Set(['SV-2001', 'SV-3001', 'SV-4001', 'SV-4002', 'SV-5001']))
  expect((await at.call('GET', '/v1/checks', { key: account.readKey })).json.checks).toEqual([])
})

test('where each is caught stands in the table', async () => {
  const head = `${'rule'.padEnd(34)} validate  dry run   apply`
  await expect(`${[head, ...rows].join('\n')}\n`).toMatchFileSnapshot('wrong-inputs.txt')
})
